import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyMergePatch } from "./merge-patch.ts";

describe("a merge patch", () => {
  it("merges objects, replaces everything else and removes fields that are null", () => {
    const object = { a: { b: 1, c: 2 }, list: [1, 2], gone: 1 };
    expect(applyMergePatch(object, { a: { b: null, d: 3 }, list: [3], gone: null })).toEqual({
      a: { c: 2, d: 3 },
      list: [3],
    });
    expect(object).toEqual({ a: { b: 1, c: 2 }, list: [1, 2], gone: 1 });
  });

  it("drops nulls from new values, also inside of lists, but not elements that are null", () => {
    expect(applyMergePatch({}, { a: { b: null, c: [null, { d: null, e: 1 }] } })).toEqual({
      a: { c: [null, { e: 1 }] },
    });
  });

  it("accepts a list that replaces an object unchanged", () => {
    expect(applyMergePatch({ a: {} }, { a: [{ b: null }] })).toEqual({ a: [{ b: null }] });
  });

  it("treats __proto__ like any other field", () => {
    const result = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}'));
    expect(Object.keys(result)).toEqual(["__proto__"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("never changes its arguments", () => {
    const fields = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fields, fields, (object, patch) => {
        const before = JSON.stringify(object);
        applyMergePatch(object, patch);
        expect(JSON.stringify(object)).toBe(before);
      }),
    );
  });
});
