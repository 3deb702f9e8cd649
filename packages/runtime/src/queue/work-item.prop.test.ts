import fc from "fast-check";
import { expect, it } from "vitest";
import { type Arrival, OldestAgeTracker } from "./work-item.ts";

it("knows the age of the oldest key to the second, whichever leave", () => {
  const step = fc.record({
    waitMs: fc.nat(1_500),
    action: fc.oneof(fc.constant("enter" as const), fc.nat()),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const arrivals = new OldestAgeTracker();
      const here: { readonly arrival: Arrival; readonly cameMs: number }[] = [];
      let nowMs = 0;
      for (const { waitMs, action } of steps) {
        nowMs += waitMs;
        if (action === "enter") here.push({ arrival: arrivals.enter(nowMs), cameMs: nowMs });
        else if (here.length > 0) {
          const [left] = here.splice(action % here.length, 1);
          if (left !== undefined) arrivals.leave(left.arrival);
        }
        const [oldest] = here;
        const ageMs = arrivals.oldestAgeMs(nowMs + 5);
        if (oldest === undefined) expect(ageMs).toBe(0);
        else {
          expect(ageMs).toBeGreaterThanOrEqual(nowMs + 5 - oldest.cameMs);
          expect(ageMs).toBeLessThan(nowMs + 5 - oldest.cameMs + 1_000);
        }
      }
      arrivals.clear();
      expect(arrivals.oldestAgeMs(nowMs)).toBe(0);
    }),
  );
});
