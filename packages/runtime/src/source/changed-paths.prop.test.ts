import { deepEqual, draft } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedFields, changedPaths } from "./changed-paths.ts";

/** JSON with names that collide often, lists with and without names, and keys that objects inherit. */
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, "", "a", "80", 80),
    fc.dictionary(fc.constantFrom("name", "type", "a", "b.c", "__proto__", "constructor", ""), tie("json"), {
      maxKeys: 4,
    }),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.array(fc.record({ name: fc.constantFrom("x", "y", "80", 80), value: tie("json") }), { maxLength: 3 }),
  ),
}));

describe("the changed fields of any two values", () => {
  it("are none exactly when the values are equal", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(changedFields(a, b).length === 0).toBe(deepEqual(a, b));
        expect(changedFields(a, draft(a))).toEqual([]);
      }),
    );
  });

  it("have paths that are all different", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const paths = changedFields(a, b).map(({ path }) => path);
        expect(new Set(paths).size).toBe(paths.length);
      }),
    );
  });

  it("hold different values, and the other way round the same ones exchanged", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const there = changedFields(a, b);
        for (const { before, after } of there) expect(deepEqual(before, after)).toBe(false);
        const back = changedFields(b, a).map(({ path, before, after }) => ({
          path,
          before: after,
          after: before,
        }));
        const inOrder = (fields: typeof back) => fields.toSorted((x, y) => (x.path < y.path ? -1 : 1));
        expect(inOrder(back)).toEqual(inOrder([...there]));
      }),
    );
  });

  it("lie under the field that was changed, and nowhere else", () => {
    fc.assert(
      fc.property(json, json, json, (rest, a, b) => {
        const paths = changedPaths({ rest, spec: a }, { rest: draft(rest), spec: b });
        expect(paths.filter((path) => !path.startsWith("spec"))).toEqual([]);
        expect(paths.length === 0).toBe(deepEqual(a, b));
      }),
    );
  });
});
