import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergePatchBetween } from "./patch.ts";

describe("the merge patch between two objects", () => {
  it.each([
    ["nothing", { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, undefined],
    ["a changed field", { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
    ["a new field", { a: 1 }, { a: 1, b: 2 }, { b: 2 }],
    ["a removed field", { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ["a field that became undefined", { a: 1, b: 2 }, { a: 1, b: undefined }, { b: null }],
    [
      "a field deep inside",
      { a: { b: { c: 1, d: 2 } } },
      { a: { b: { c: 1, d: 3 } } },
      { a: { b: { d: 3 } } },
    ],
    ["a list, replaced whole", { a: [1, 2] }, { a: [1] }, { a: [1] }],
    ["an object in place of a list", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])("holds %s", (_, before, after, patch) => {
    expect(mergePatchBetween(before, after)).toEqual(patch);
  });

  it("turns the one into the other", () => {
    // Null cannot be written by a merge patch: it means removal.
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean()),
      list: fc.array(tie("leaf"), { maxLength: 3 }),
      object: fc.dictionary(
        fc.constantFrom("a", "b", "c"),
        fc.oneof(tie("leaf"), tie("list"), tie("object")),
        { maxKeys: 3 },
      ),
    })).object;
    fc.assert(
      fc.property(value, value, (before, after) => {
        if (!isObject(before) || !isObject(after)) throw new Error("objects only");
        expect(applyMergePatch(before, mergePatchBetween(before, after) ?? {})).toEqual(after);
      }),
    );
  });
});

/** RFC 7386, straight from its pseudo code. */
function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = applyMergePatch(result[key], value);
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
