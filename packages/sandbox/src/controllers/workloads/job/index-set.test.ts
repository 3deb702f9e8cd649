import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatIndexes, parseIndexes } from "./index-set.ts";

describe("a set of indexes", () => {
  it("is written as the server writes it", () => {
    expect(formatIndexes(new Set([5, 0, 2, 1, 7, 8]))).toBe("0-2,5,7,8");
    expect(formatIndexes(new Set())).toBe("");
  });

  it("reads what it wrote", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 50 })), (indexes) => {
        const set = new Set(indexes);
        expect(parseIndexes(formatIndexes(set), 51)).toEqual(set);
      }),
      { numRuns: 200 },
    );
  });

  it("leaves out what is beyond the limit, and stops at what cannot be read", () => {
    expect([...parseIndexes("0,2-9", 4)]).toEqual([0, 2, 3]);
    expect([...parseIndexes("1,x,2", 10)]).toEqual([1]);
    expect([...parseIndexes(undefined, 10)]).toEqual([]);
  });
});
