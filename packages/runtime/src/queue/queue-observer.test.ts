import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { addAll, dequeueAll, dequeueNow } from "../../test/support/dequeue-now.ts";
import { RecordingObserver } from "../../test/support/recording-observer.ts";
import { PriorityLabels } from "./queue-observer.ts";
import { WorkQueue } from "./work-queue.ts";

const formatKey = (item: string): string => item;

function setUp(): { clock: VirtualClock; observer: RecordingObserver; queue: WorkQueue<string> } {
  const clock = new VirtualClock();
  const observer = new RecordingObserver();
  return { clock, observer, queue: new WorkQueue<string>({ clock, formatKey, observer }) };
}

describe("the observer of a work queue", () => {
  it("[MX2] counts each add that leads to a run, retries, waits and work", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new WorkQueue<string>({ clock, formatKey, observer });
    queue.add("a");
    queue.add("a");
    queue.add("b", { afterMs: 30 });
    queue.add("c", { afterMs: 0 });
    expect([observer.adds, observer.retries]).toEqual([2, 1]);
    await clock.advance(40);
    expect(observer.adds).toBe(3);
    expect(await dequeueAll(queue)).toEqual(["a", "c", "b"]);
    expect(observer.waits).toEqual([40, 40, 10]);
    await clock.advance(5);
    queue.done({ keyText: "a" });
    queue.done({ keyText: "a" });
    await clock.advance(5);
    queue.done({ keyText: "b" });
    expect(observer.works).toEqual([5, 10]);
    queue.shutDown();
  });

  it("[MX2] can read the unfinished work and the longest of it at any time", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new WorkQueue<string>({ clock, formatKey, observer });
    expect(observer.readUnfinished?.()).toEqual({ totalMs: 0, longestMs: 0, oldestReadyMs: 0 });
    queue.add("a");
    await dequeueNow(queue);
    await clock.advance(100);
    queue.add("b");
    await dequeueNow(queue);
    await clock.advance(20);
    expect(observer.readUnfinished?.()).toMatchObject({ totalMs: 140, longestMs: 120 });
    queue.done({ keyText: "a" });
    expect(observer.readUnfinished?.()).toMatchObject({ totalMs: 20, longestMs: 20 });
  });

  it("can read at any time how long the oldest key could have been dequeued", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new WorkQueue<string>({ clock, formatKey, observer });
    const oldestReadyMs = (): number | undefined => observer.readUnfinished?.().oldestReadyMs;
    queue.add("a");
    await clock.advance(10_000);
    queue.add("b");
    queue.add("c", { afterMs: 1_000_000 });
    queue.add("a");
    expect(oldestReadyMs()).toBe(10_000);
    await dequeueNow(queue);
    await clock.advance(5_000);
    expect(oldestReadyMs()).toBe(5_000);
    await dequeueNow(queue);
    // A worker has its key: if something is stuck, it is that worker.
    queue.add("a");
    await clock.advance(100_000);
    expect(oldestReadyMs()).toBe(0);
    queue.done({ keyText: "a" });
    await clock.advance(7_000);
    expect(oldestReadyMs()).toBe(7_000);
    await dequeueNow(queue);
    await clock.advance(900_000);
    expect(oldestReadyMs()).toBe(12_000);
    await dequeueNow(queue);
    expect(oldestReadyMs()).toBe(0);
    queue.shutDown();
  });
});

describe("the age of the oldest key", () => {
  it("outlives a change of priority, and ends when a back-off makes the key wait again", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new WorkQueue<string>({ clock, formatKey, observer, holdBackoff: true });
    const oldestReadyMs = (): number | undefined => observer.readUnfinished?.().oldestReadyMs;
    queue.add("a");
    await clock.advance(10_000);
    queue.add("b");
    queue.add("a", { priority: 5 });
    expect(oldestReadyMs()).toBe(10_000);
    queue.add("a", { rateLimited: true });
    await clock.advance(1_000);
    expect(oldestReadyMs()).toBe(1_000);
    await clock.advance(100_000);
    expect(oldestReadyMs()).toBe(101_000);
    expect(await dequeueAll(queue)).toEqual(["a", "b"]);
    expect(oldestReadyMs()).toBe(0);
    queue.add("c");
    queue.shutDown();
    await clock.advance(1_000);
    expect(oldestReadyMs()).toBe(0);
  });
});

describe("the depth", () => {
  it("[PQ7] counts ready keys only, per priority", async () => {
    const { clock, observer, queue } = setUp();
    addAll(queue, ["a", "b"], { priority: 1 });
    queue.add("c");
    queue.add("d", { priority: 1, afterMs: 10 });
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 2, 0: 1 });
    await clock.advance(10);
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 3, 0: 1 });
    await dequeueNow(queue);
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 2, 0: 1 });
  });

  it("[PQ7] follows a key whose priority is raised, whether it is ready, waits or is processed", async () => {
    const { clock, observer, queue } = setUp();
    queue.add("ready");
    queue.add("ready", { priority: 1 });
    queue.add("waiting", { afterMs: 10 });
    queue.add("waiting", { priority: 2, afterMs: 10 });
    expect(Object.fromEntries(observer.depth)).toEqual({ 0: 0, 1: 1 });
    await clock.advance(10);
    expect(Object.fromEntries(observer.depth)).toEqual({ 0: 0, 1: 1, 2: 1 });
    await dequeueNow(queue);
    queue.add("waiting");
    queue.add("waiting", { priority: 3 });
    expect(Object.fromEntries(observer.depth)).toEqual({ 0: 0, 1: 1, 2: 0, 3: 1 });
    expect([observer.adds, observer.retries]).toEqual([3, 2]);
  });

  it("counts a key once that waited and is added without a delay", async () => {
    const { clock, observer, queue } = setUp();
    queue.add("a", { afterMs: 10 });
    queue.add("a", { priority: 1 });
    await clock.advance(10);
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 1 });
    expect(observer.adds).toBe(1);
  });

  it("goes down when a failure holds a key that was ready", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new WorkQueue<string>({ clock, formatKey, observer, holdBackoff: true });
    queue.add("a");
    queue.add("a", { rateLimited: true });
    expect(observer.depth.get(0)).toBe(0);
    await clock.advance(5);
    expect(observer.depth.get(0)).toBe(1);
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });

  it("is 0 after a shutdown that dropped what was queued", () => {
    const { observer, queue } = setUp();
    addAll(queue, ["a", "b"], { priority: 1 });
    queue.add("c", { afterMs: 10 });
    queue.shutDown();
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 0 });
  });
});

describe("the labels of priorities", () => {
  it("[PQ7] are their numbers for the first 25, and one label for all further ones", () => {
    const labels = new PriorityLabels();
    const first = Array.from({ length: 25 }, (_, i) => labels.labelOf(i - 12));
    expect(first).toEqual(Array.from({ length: 25 }, (_, i) => String(i - 12)));
    expect([labels.labelOf(100), labels.labelOf(101)]).toEqual([
      "exceeded_cardinality_limit",
      "exceeded_cardinality_limit",
    ]);
    expect(labels.labelOf(-12)).toBe("-12");
  });
});
