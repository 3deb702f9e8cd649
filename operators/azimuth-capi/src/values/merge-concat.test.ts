import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeConcat } from "./merge-concat.ts";

describe("F.1: merging values", () => {
  it("does what the vector of the specification says", () => {
    expect(
      mergeConcat(
        { a: [1], b: { c: 1 }, d: 1, e: { x: 1 }, n: null },
        { a: [2], b: { c: null }, d: null, e: 5, z: null, n: { q: 1 } },
      ),
    ).toEqual({ a: [1, 2], b: { c: 1 }, d: 1, e: 5, n: { q: 1 }, z: null });
  });

  it.each([
    ["maps are merged key by key", { m: { a: 1, b: 1 } }, { m: { b: 2, c: 2 } }, { m: { a: 1, b: 2, c: 2 } }],
    ["lists are concatenated, and keep what occurs twice", { l: [1, 2] }, { l: [2, 3] }, { l: [1, 2, 2, 3] }],
    ["an empty list adds nothing", { l: [1] }, { l: [] }, { l: [1] }],
    ["maps in lists are not merged", { l: [{ a: 1 }] }, { l: [{ a: 2 }] }, { l: [{ a: 1 }, { a: 2 }] }],
    ["a scalar replaces a map", { a: { b: 1 } }, { a: false }, { a: false }],
    ["a scalar replaces a list", { a: [1] }, { a: 0 }, { a: 0 }],
    ["a map replaces a list", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ["a list replaces a map", { a: { b: 1 } }, { a: [1] }, { a: [1] }],
    ["an empty text replaces a text", { a: "x" }, { a: "" }, { a: "" }],
    ["a null stays if there was one", { a: null }, { a: null }, { a: null }],
  ])("%s", (_, left, right, merged) => {
    expect(mergeConcat(left, right)).toEqual(merged);
  });

  it("lets the last ones win", () => {
    expect(mergeConcat({ a: 1, l: [1] }, { a: 2, l: [2] }, { a: 3, l: [3] })).toEqual({ a: 3, l: [1, 2, 3] });
    expect(mergeConcat({ a: 1 })).toEqual({ a: 1 });
  });

  it("treats keys that JavaScript knows as any other", () => {
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":1}}');
    const merged = mergeConcat(odd, JSON.parse('{"__proto__":{"c":1}}'), { toString: { d: 1 } });
    expect(JSON.stringify(merged)).toBe(
      '{"__proto__":{"a":1,"c":1},"constructor":{"b":1},"toString":{"d":1}}',
    );
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 3 }), {
    noNullPrototype: true,
  });

  it("leaves its input as it was, and adding nothing changes nothing", () => {
    fc.assert(
      fc.property(values, values, (left, right) => {
        const before = structuredClone({ left, right });
        mergeConcat(left, right);
        expect({ left, right }).toEqual(before);
        expect(mergeConcat(left, {})).toEqual(left);
        expect(mergeConcat({}, right)).toEqual(right);
      }),
      { numRuns: 200 },
    );
  });
});
