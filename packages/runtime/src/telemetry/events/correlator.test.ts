import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import {
  type Correlation,
  type CorrelatorOptions,
  EventCorrelator,
  type TrackedEvent,
} from "./correlator.ts";
import { type Occurrence, occurrenceOf } from "./occurrence.ts";

const minute = 60_000;

/** A correlator whose writes all reach the server at once. */
function setUp(repetitions: CorrelatorOptions["repetitions"] = "series") {
  const clock = new VirtualClock();
  let names = 0;
  const correlator = new EventCorrelator({ clock, repetitions, nameFor: (name) => `${name}.${++names}` });
  const save = (event: TrackedEvent): void => {
    event.savedCount = event.count;
  };
  const happen = (note: string, changes: Partial<Occurrence> = {}, object = "web"): Correlation => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "shop", name: object } };
    const event = { type: "Normal", reason: "Pulled", message: note } as const;
    const occurrence = occurrenceOf(pod, event, clock.now());
    if (occurrence === undefined) throw new Error("no occurrence");
    const correlation = correlator.observe({ ...occurrence, ...changes });
    if (correlation.verdict === "write") save(correlation.event);
    correlation.displaced.forEach(save);
    return correlation;
  };
  const sweep = (): readonly TrackedEvent[] => {
    const due = correlator.due();
    due.forEach(save);
    return due;
  };
  return { clock, correlator, happen, sweep, save };
}

describe("a series", () => {
  it("[EVR3] begins with the second of two identical events, which is written; further ones are counted", () => {
    const { happen } = setUp();
    const first = happen("a");
    const second = happen("a");
    const third = happen("a");
    expect([first, second, third].map(({ verdict }) => verdict)).toEqual(["write", "write", "later"]);
    expect(second.event).toBe(first.event);
    expect(first.event).toMatchObject({ name: "web.1", namespace: "shop", count: 3, savedCount: 2 });
  });

  it("[EVR3] is of events that are the same in type, reason, action, objects and note, whatever the version", () => {
    const { happen } = setUp();
    const { event } = happen("a");
    const regarding = { ...event.first.regarding, resourceVersion: "99" };
    expect(happen("a", { regarding }).event).toBe(event);
    const different = [
      happen("b"),
      happen("a", { type: "Warning" }),
      happen("a", { reason: "Other" }),
      happen("a", { action: "Other" }),
      happen("a", { related: { kind: "Node", name: "n1" } }),
      happen("a", { regarding: { ...regarding, uid: "u2" } }),
      happen("a", {}, "other"),
    ];
    expect(new Set([event, ...different.map((other) => other.event)]).size).toBe(8);
  });

  it("[EVR3] is finished after 6 min of silence, with its last count written", async () => {
    const { clock, correlator, happen, sweep } = setUp();
    happen("a");
    happen("a");
    await clock.advance(minute);
    const { event } = happen("a");
    expect(correlator.nextDueMs).toBe(7 * minute);
    await clock.advance(6 * minute - 1);
    expect(sweep()).toEqual([]);
    await clock.advance(1);
    expect(sweep()).toEqual([event]);
    expect(event).toMatchObject({ count: 3, savedCount: 3 });
    expect(correlator.nextDueMs).toBeUndefined();
    const next = happen("a");
    expect(next).toMatchObject({ verdict: "write", event: { name: "web.2", count: 1 } });
  });

  it("[EVR3] that has ended without a sweep is written before the next occurrence starts another", async () => {
    const { clock, happen } = setUp();
    happen("a");
    happen("a");
    const { event } = happen("a");
    await clock.advance(6 * minute);
    const next = happen("a");
    expect(next.displaced).toEqual([event]);
    expect(next.event.name).toBe("web.2");
  });

  it("[EVR3] has a heartbeat every 30 min for as long as it goes on", async () => {
    const { clock, correlator, happen, sweep } = setUp();
    const { event } = happen("a");
    const writes: string[] = [];
    for (let elapsed = 0; elapsed < 65; elapsed += 5) {
      happen("a");
      const due = correlator.nextDueMs ?? 0;
      await clock.advance(5 * minute);
      if (due > clock.monotonicNow()) continue;
      for (const written of sweep()) writes.push(`${clock.monotonicNow() / minute} min: ${written.count}`);
    }
    expect(writes).toEqual(["30 min: 7", "60 min: 13"]);
    expect(event.name).toBe("web.1");
  });

  it("[EVR3] of one event is forgotten without a write", async () => {
    const { clock, correlator, happen, sweep } = setUp();
    happen("a");
    await clock.advance(6 * minute);
    expect(sweep()).toEqual([]);
    expect(correlator.nextDueMs).toBeUndefined();
  });

  it("[EVR3] whose last counts are not written is included in a flush", () => {
    const { correlator, happen } = setUp();
    const { event } = happen("a");
    happen("a");
    expect(correlator.unsaved()).toEqual([]);
    happen("a");
    happen("b");
    expect(correlator.unsaved()).toEqual([event]);
  });
});

describe("counting", () => {
  it("[EVR2] writes every repetition, however late it comes", async () => {
    const { clock, correlator, happen } = setUp("count");
    const { event } = happen("a");
    expect(happen("a").verdict).toBe("write");
    await clock.advance(120 * minute);
    expect(happen("a")).toMatchObject({ verdict: "write", event: { name: "web.1", count: 3 } });
    expect(happen("a").event).toBe(event);
    expect(correlator.nextDueMs).toBeUndefined();
    expect(correlator.due()).toEqual([]);
  });
});

describe("similar events", () => {
  it("[EVR2] are combined once there are more than 10 in 10 min that differ by their note only", () => {
    const { happen } = setUp();
    const apart = Array.from({ length: 10 }, (_, index) => happen(`try ${index}`));
    expect(new Set(apart.map(({ event }) => event.name)).size).toBe(10);
    const combined = happen("try 10");
    expect(combined.event).toMatchObject({ note: "(combined from similar events): try 10", count: 1 });
    const more = happen("try 11");
    expect(more.event).toBe(combined.event);
    expect(more.event).toMatchObject({
      count: 2,
      note: "(combined from similar events): try 11",
      first: { note: "(combined from similar events): try 10" },
    });
    expect(happen("try 0").event).toBe(combined.event);
    expect(happen("try 12", { reason: "Other" }).event.note).toBe("try 12");
    expect(happen("try 12", {}, "other").event.note).toBe("try 12");
  });

  it("[EVR2] are recorded one by one again after 10 min without one", async () => {
    const { clock, happen } = setUp();
    for (let index = 0; index < 10; index++) happen(`try ${index}`);
    await clock.advance(10 * minute);
    expect(happen("try 10").event.note).toContain("combined");
    await clock.advance(10 * minute + 1);
    expect(happen("try 11").event.note).toBe("try 11");
  });

  it("[EVR2] identical ones are one of them", () => {
    const { happen } = setUp();
    for (let index = 0; index < 20; index++) happen("same");
    expect(happen("other").event.note).toBe("other");
  });

  it("[EVR2] keep a note that is short enough", () => {
    const { happen } = setUp();
    for (let index = 0; index < 10; index++) happen(`try ${index}`);
    expect(Buffer.byteLength(happen("x".repeat(1024)).event.note)).toBe(1024);
  });
});

describe("the spam filter", () => {
  it("[EVR2] allows 25 Events about an object and then one per 300 s", async () => {
    const { clock, happen } = setUp();
    const reasons = Array.from({ length: 30 }, (_, index) => happen("a", { reason: `R${index}` }).verdict);
    expect(reasons.slice(0, 25).every((verdict) => verdict === "write")).toBe(true);
    expect(reasons.slice(25).every((verdict) => verdict === "spam")).toBe(true);
    await clock.advance(299_000);
    expect(happen("a", { reason: "X" }).verdict).toBe("spam");
    await clock.advance(1_000);
    expect(happen("a", { reason: "Y" }).verdict).toBe("write");
    expect(happen("a", { reason: "Z" }).verdict).toBe("spam");
  });

  it("[EVR2] is per object and type", () => {
    const { happen } = setUp();
    for (let index = 0; index < 26; index++) happen("a", { reason: `R${index}` });
    expect(happen("a", { reason: "X" }).verdict).toBe("spam");
    expect(happen("a", { reason: "X", type: "Warning" }).verdict).toBe("write");
    expect(happen("a", {}, "other").verdict).toBe("write");
  });

  it("[EVR2] loses no count: the next write includes what was stopped", async () => {
    const { clock, happen } = setUp("count");
    for (let index = 0; index < 25; index++) happen("a");
    for (let index = 0; index < 5; index++) expect(happen("a").verdict).toBe("later");
    await clock.advance(300_000);
    expect(happen("a")).toMatchObject({ verdict: "write", event: { count: 31 } });
    // One that was stopped before it was ever written is made with its count.
    const fresh = () => happen("b", { reason: "Fresh" });
    expect(fresh().verdict).toBe("spam");
    await clock.advance(300_000);
    expect(fresh()).toMatchObject({ verdict: "write", event: { count: 2 } });
  });

  it("[EVR2] takes no token for repetitions that are only counted, or that wait to be written", () => {
    const { happen, save } = setUp();
    for (let index = 0; index < 500; index++) happen("a");
    const waiting = happen("w", { reason: "Waiting" });
    waiting.event.savedCount = 0;
    waiting.event.isQueued = true;
    for (let index = 0; index < 500; index++)
      expect(happen("w", { reason: "Waiting" }).verdict).toBe("later");
    save(waiting.event);
    const passed = Array.from({ length: 30 }, (_, index) => happen("a", { reason: `R${index}` }).verdict);
    expect(passed.filter((verdict) => verdict === "write")).toHaveLength(22);
  });

  it("[EVR3] lets neither a heartbeat nor the end of a series create an Event that it has stopped", async () => {
    const { clock, happen, sweep } = setUp();
    for (let index = 0; index < 25; index++) happen("a", { reason: `R${index}` });
    expect(happen("b").verdict).toBe("spam");
    expect(happen("b").verdict).toBe("spam");
    await clock.advance(6 * minute);
    expect(sweep()).toEqual([]);
  });
});

describe("the tracked Events", () => {
  it("[EVR2] are the 4096 most recent ones, and the counts of evicted ones are written", () => {
    const { happen } = setUp();
    const { event } = happen("a", {}, "first");
    happen("a", {}, "first");
    happen("a", {}, "first");
    const displaced = [];
    for (let index = 0; index < 4096; index++) displaced.push(...happen("a", {}, `pod-${index}`).displaced);
    expect(displaced).toEqual([event]);
    expect(happen("a", {}, "first").event.count).toBe(1);
    expect(happen("a", {}, "pod-4095").event.count).toBe(2);
  });
});
