import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  difference,
  differenceWithInner,
  type FieldSet,
  formatPaths,
  hasPath,
  intersection,
  isEmpty,
  readFieldSet,
  setOfFields,
  union,
} from "./field-set.ts";

const element = fc.oneof(
  fc.constantFrom("a", "b", "c").map((name) => `f:${name}`),
  fc.constantFrom(9, 10, 100).map((port) => `k:{"port":${port}}`),
  fc.constantFrom("x", "y").map((value) => `v:"${value}"`),
);

const set: fc.Arbitrary<FieldSet> = fc
  .letrec<{ node: object }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant({}),
      fc
        .tuple(fc.boolean(), fc.dictionary(element, tie("node"), { maxKeys: 4 }))
        .map(([member, children]) => (member ? { ".": {}, ...children } : children)),
    ),
  }))
  .node.map((node) => readFieldSet(node));

function paths(fields: FieldSet): Set<string> {
  return new Set(formatPaths(fields));
}

describe("a set of fields", () => {
  it("is joined, intersected and subtracted like a set of paths", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [left, right] = [paths(a), paths(b)];
        expect(paths(union(a, b))).toEqual(new Set([...left, ...right]));
        expect(paths(intersection(a, b))).toEqual(new Set([...left].filter((path) => right.has(path))));
        expect(paths(difference(a, b))).toEqual(new Set([...left].filter((path) => !right.has(path))));
      }),
    );
  });

  it("always has the one form in which it is stored", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        for (const result of [union(a, b), intersection(a, b), difference(a, b), differenceWithInner(a, b)]) {
          expect(JSON.stringify(result)).toBe(JSON.stringify(readFieldSet(result)));
        }
      }),
    );
  });

  it("loses fields with everything inside of them only on request", () => {
    const fields = setOfFields(["spec"], ["spec", "replicas"], ["status"]);
    expect(difference(fields, setOfFields(["spec"]))).toEqual({
      "f:spec": { "f:replicas": {} },
      "f:status": {},
    });
    expect(differenceWithInner(fields, setOfFields(["spec"]))).toEqual({ "f:status": {} });
  });

  it("stands in the order of names and values", () => {
    const fields = readFieldSet({
      "v:10": {},
      "v:9": {},
      'k:{"port":443,"name":"a"}': {},
      'k:{"name":"a","port":80}': {},
      "f:b": { "f:x": {}, ".": {} },
      "f:a": {},
      "x:unknown": {},
    });
    expect(JSON.stringify(fields)).toBe(
      JSON.stringify({
        "f:a": {},
        "f:b": { ".": {}, "f:x": {} },
        'k:{"name":"a","port":80}': {},
        'k:{"name":"a","port":443}': {},
        "v:9": {},
        "v:10": {},
      }),
    );
    expect(hasPath(fields, ["f:b", "f:x"])).toBe(true);
    expect(hasPath(fields, ["f:b", "f:y"])).toBe(false);
  });

  it("lists its paths, shorter ones first", () => {
    const fields = readFieldSet({
      "f:a": { "f:z": {} },
      "f:b": { 'k:{"name":"c"}': { ".": {}, "f:x": {} }, 'v:"q"': {} },
      "f:c": {},
    });
    expect(formatPaths(fields)).toEqual([".c", ".a.z", '.b[name="c"]', '.b[="q"]', '.b[name="c"].x']);
  });

  it("cannot be read from something else", () => {
    for (const fields of [3, { nonsense: {} }, { "k:3": {} }, { "k:{": {} }, { "i:x": {} }, { "f:a": 3 }]) {
      expect(() => readFieldSet(fields)).toThrow(SyntaxError);
    }
    expect(isEmpty(readFieldSet(undefined))).toBe(true);
  });
});
