import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Backlog } from "./backlog.ts";

describe("a backlog", () => {
  it("returns everything in the order it came, however it grows and shrinks", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3000, max: 3000 }), { maxLength: 30 }), (steps) => {
        const backlog = new Backlog<number>();
        const expected: number[] = [];
        let next = 0;
        for (const step of steps) {
          for (let count = 0; count < step; count++) {
            backlog.push(next);
            expected.push(next++);
          }
          const taken = Array.from({ length: Math.max(0, -step) }, () => backlog.shift());
          expect(taken.filter((entry) => entry !== undefined)).toEqual(expected.splice(0, -step));
          expect(backlog.size).toBe(expected.length);
        }
      }),
    );
  });
});
