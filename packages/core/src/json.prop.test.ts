import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual, isRecord } from "./json.ts";

const runs = { numRuns: 200 };
const json = fc.jsonValue({ maxDepth: 4 });

/** The same value with the properties of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
}

/** Text in which equal values are equal texts. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "";
  const fields = Object.entries(value).map(
    ([key, field]) => `${JSON.stringify(key)}:${canonicalText(field)}`,
  );
  return `{${fields.sort().join()}}`;
}

describe("equality of JSON values", () => {
  it("holds between a value and its copy, in whatever order", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(deepEqual(value, structuredClone(value))).toBe(true);
        expect(deepEqual(value, reversed(value))).toBe(true);
      }),
      runs,
    );
  });

  it("is symmetric and agrees with the texts of the values", () => {
    const small = fc.jsonValue({ maxDepth: 1, stringUnit: fc.constantFrom("a", "b") });
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(deepEqual(a, b)).toBe(canonicalText(a) === canonicalText(b));
        expect(deepEqual(b, a)).toBe(deepEqual(a, b));
      }),
      { numRuns: 1000 },
    );
  });
});
