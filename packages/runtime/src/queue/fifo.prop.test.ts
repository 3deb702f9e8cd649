import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fifo } from "./fifo.ts";

describe("a first-in-first-out ring", () => {
  it("gives back what was pushed, in that order, while it grows and shrinks", () => {
    // A number pushes so many values, a negative one shifts so many.
    const steps = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (counts) => {
        const fifo = new Fifo<number>();
        const list: number[] = [];
        let next = 0;
        for (const count of counts) {
          for (let i = 0; i < count; i++, next++) {
            fifo.push(next);
            list.push(next);
          }
          for (let i = count; i < 0; i++) expect(fifo.shift()).toBe(list.shift());
          expect(fifo.size).toBe(list.length);
        }
      }),
      { numRuns: 200 },
    );
  });
});
