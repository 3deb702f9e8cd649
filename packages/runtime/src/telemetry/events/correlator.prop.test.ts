import { VirtualClock } from "@keelson/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CorrelatorOptions, EventCorrelator, type TrackedEvent } from "./correlator.ts";

type Step =
  | { readonly type: "happen"; readonly note: number; readonly object: number }
  | { readonly type: "wait"; readonly seconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant("happen" as const),
      note: fc.integer({ min: 0, max: 20 }),
      object: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 700 }) }),
  },
);

const save = (event: TrackedEvent): void => {
  event.savedCount = event.count;
};

/** Executes the steps; returns all Events, and how often those of each object were written at once. */
async function execute(repetitions: CorrelatorOptions["repetitions"], steps: readonly Step[]) {
  const clock = new VirtualClock();
  let names = 0;
  const correlator = new EventCorrelator({ clock, repetitions, nameFor: () => `event-${++names}` });
  const events = new Set<TrackedEvent>();
  const writes = new Map<string, number>();
  for (const each of steps) {
    if (each.type === "wait") {
      await clock.advance(each.seconds * 1_000);
      correlator.due().forEach(save);
      continue;
    }
    const regarding = { kind: "Pod", namespace: "shop", name: `pod-${each.object}` };
    const facts = { type: "Normal", reason: "R", action: "A", note: `note ${each.note}` } as const;
    const { event, verdict, displaced } = correlator.observe({ regarding, ...facts, atMs: clock.now() });
    events.add(event);
    displaced.forEach(save);
    if (verdict !== "write") continue;
    save(event);
    writes.set(regarding.name, (writes.get(regarding.name) ?? 0) + 1);
  }
  correlator.unsaved().forEach(save);
  return { events: [...events], writes, elapsedMs: clock.monotonicNow() };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

describe.each(["series", "count"] as const)("any occurrences, counted as a %s", (repetitions) => {
  it("[EVR2] every occurrence is counted once, and its count is written unless the spam filter stopped its Event", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
        const { events, writes } = await execute(repetitions, steps);
        const occurrences = steps.filter((each) => each.type === "happen");
        expect(sum(events.map(({ count }) => count))).toBe(occurrences.length);
        // The first occurrence of an object is always written.
        expect(new Set(writes.keys())).toEqual(new Set(occurrences.map(({ object }) => `pod-${object}`)));
        for (const { savedCount, count } of events) expect([0, count]).toContain(savedCount);
      }),
    );
  });

  it("[EVR2] no object has more than 25 writes and one per 300 s", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
        const { writes, elapsedMs } = await execute(repetitions, steps);
        for (const count of writes.values()) expect(count).toBeLessThanOrEqual(25 + elapsedMs / 300_000);
      }),
    );
  });
});
