import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyMergePatch } from "./merge-patch.ts";

describe("a merge patch", () => {
  it("merges objects, replaces everything else and removes what is null", () => {
    const object = { a: { b: 1, c: 2 }, list: [1, 2], gone: 1 };
    expect(applyMergePatch(object, { a: { b: null, d: 3 }, list: [3], gone: null })).toEqual({
      a: { c: 2, d: 3 },
      list: [3],
    });
    expect(object).toEqual({ a: { b: 1, c: 2 }, list: [1, 2], gone: 1 });
  });

  it("drops nulls from what is new, also inside of lists, but not elements that are null", () => {
    expect(applyMergePatch({}, { a: { b: null, c: [null, { d: null, e: 1 }] } })).toEqual({
      a: { c: [null, { e: 1 }] },
    });
  });

  it("takes a list that replaces an object as it is", () => {
    expect(applyMergePatch({ a: {} }, { a: [{ b: null }] })).toEqual({ a: [{ b: null }] });
  });

  it("takes __proto__ for a field like any other", () => {
    const result = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}'));
    expect(Object.keys(result)).toEqual(["__proto__"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("never changes what it is given", () => {
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
