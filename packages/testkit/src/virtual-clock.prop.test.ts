import fc from "fast-check";
import { expect, it } from "vitest";
import { VirtualClock } from "./virtual-clock.ts";

const timer = fc.record({ delayMs: fc.nat(50), isCancelled: fc.boolean() });

it("fires what was not cancelled, sorted stably by delay, in however many steps time moves", async () => {
  const property = fc.asyncProperty(
    fc.array(timer, { maxLength: 30 }),
    fc.array(fc.nat(20), { maxLength: 10 }),
    async (timers, steps) => {
      const clock = new VirtualClock();
      const fired: { readonly index: number; readonly atMs: number }[] = [];
      const cancels = timers.map(({ delayMs }, index) =>
        clock.schedule(delayMs, () => fired.push({ index, atMs: clock.monotonicNow() })),
      );
      for (const [index, { isCancelled }] of timers.entries()) if (isCancelled) cancels[index]?.();
      for (const step of steps) await clock.advance(step);
      await clock.advance(50);
      const expected = timers
        .map(({ delayMs, isCancelled }, index) => ({ index, atMs: delayMs, isCancelled }))
        .filter(({ isCancelled }) => !isCancelled)
        .sort((a, b) => a.atMs - b.atMs)
        .map(({ index, atMs }) => ({ index, atMs }));
      expect(fired).toEqual(expected);
      expect(clock.pendingTimers).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
