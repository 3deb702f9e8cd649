import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { RecordingObserver } from "../../test/support/recording-observer.ts";
import { takeAll, takeNow } from "../../test/support/take-now.ts";
import { PriorityQueue } from "./priority-queue.ts";
import { PriorityLabels } from "./queue-observer.ts";
import { WorkQueue } from "./work-queue.ts";

const keyOf = (item: string): string => item;

function setUp(): { clock: VirtualClock; observer: RecordingObserver; queue: PriorityQueue<string> } {
  const clock = new VirtualClock();
  const observer = new RecordingObserver();
  return { clock, observer, queue: new PriorityQueue<string>({ clock, keyOf, observer }) };
}

describe.each([
  ["priority", PriorityQueue],
  ["classic", WorkQueue],
] as const)("the observer of the %s queue", (_, Queue) => {
  it("[MX2] learns of each add that leads to a run, of retries, waits and work", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new Queue<string>({ clock, keyOf, observer });
    queue.add("a");
    queue.add("a");
    queue.addAfter("b", 30);
    queue.addAfter("c", 0);
    expect([observer.adds, observer.retries]).toEqual([2, 1]);
    await clock.advance(40);
    expect(observer.adds).toBe(3);
    expect(await takeAll(queue)).toEqual(["a", "c", "b"]);
    expect(observer.waits).toEqual([40, 40, 10]);
    await clock.advance(5);
    queue.done("a");
    queue.done("a");
    await clock.advance(5);
    queue.done("b");
    expect(observer.works).toEqual([5, 10]);
    queue.shutDown();
  });

  it("[MX2] can ask at any time for the unfinished work and the longest of it", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new Queue<string>({ clock, keyOf, observer });
    expect(observer.readUnfinished?.()).toEqual({ totalMs: 0, longestMs: 0, oldestReadyMs: 0 });
    queue.add("a");
    await takeNow(queue);
    await clock.advance(100);
    queue.add("b");
    await takeNow(queue);
    await clock.advance(20);
    expect(observer.readUnfinished?.()).toMatchObject({ totalMs: 140, longestMs: 120 });
    queue.done("a");
    expect(observer.readUnfinished?.()).toMatchObject({ totalMs: 20, longestMs: 20 });
  });

  it("can ask at any time for how long the oldest item has been free to be handed out", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new Queue<string>({ clock, keyOf, observer });
    const oldestReadyMs = (): number | undefined => observer.readUnfinished?.().oldestReadyMs;
    queue.add("a");
    await clock.advance(10_000);
    queue.add("b");
    queue.addAfter("c", 1_000_000);
    queue.add("a");
    expect(oldestReadyMs()).toBe(10_000);
    await takeNow(queue);
    await clock.advance(5_000);
    expect(oldestReadyMs()).toBe(5_000);
    await takeNow(queue);
    // A worker has its key: whoever looks for what is stuck looks at that worker.
    queue.add("a");
    await clock.advance(100_000);
    expect(oldestReadyMs()).toBe(0);
    queue.done("a");
    await clock.advance(7_000);
    expect(oldestReadyMs()).toBe(7_000);
    await takeNow(queue);
    await clock.advance(900_000);
    expect(oldestReadyMs()).toBe(12_000);
    await takeNow(queue);
    expect(oldestReadyMs()).toBe(0);
    queue.shutDown();
  });
});

describe("the age of the oldest item", () => {
  it("outlives a change of priority, and ends when a back-off takes back that the item is ready", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new PriorityQueue<string>({ clock, keyOf, observer, holdBackoff: true });
    const oldestReadyMs = (): number | undefined => observer.readUnfinished?.().oldestReadyMs;
    queue.add("a");
    await clock.advance(10_000);
    queue.add("b");
    queue.addWithOptions(["a"], { priority: 5 });
    expect(oldestReadyMs()).toBe(10_000);
    queue.addRateLimited("a");
    await clock.advance(1_000);
    expect(oldestReadyMs()).toBe(1_000);
    await clock.advance(100_000);
    expect(oldestReadyMs()).toBe(101_000);
    expect(await takeAll(queue)).toEqual(["a", "b"]);
    expect(oldestReadyMs()).toBe(0);
    queue.add("c");
    queue.shutDown();
    await clock.advance(1_000);
    expect(oldestReadyMs()).toBe(0);
  });
});

describe("the depth", () => {
  it("[PQ7] counts ready items only, per priority", async () => {
    const { clock, observer, queue } = setUp();
    queue.addWithOptions(["a", "b"], { priority: 1 });
    queue.addWithOptions(["c"]);
    queue.addWithOptions(["d"], { priority: 1, afterMs: 10 });
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 2, 0: 1 });
    await clock.advance(10);
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 3, 0: 1 });
    await takeNow(queue);
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 2, 0: 1 });
  });

  it("[PQ7] follows an item whose priority is raised, whether it is ready, waits or is processed", async () => {
    const { clock, observer, queue } = setUp();
    queue.add("ready");
    queue.addWithOptions(["ready"], { priority: 1 });
    queue.addAfter("waiting", 10);
    queue.addWithOptions(["waiting"], { priority: 2, afterMs: 10 });
    expect(Object.fromEntries(observer.depth)).toEqual({ 0: 0, 1: 1 });
    await clock.advance(10);
    expect(Object.fromEntries(observer.depth)).toEqual({ 0: 0, 1: 1, 2: 1 });
    await takeNow(queue);
    queue.add("waiting");
    queue.addWithOptions(["waiting"], { priority: 3 });
    expect(Object.fromEntries(observer.depth)).toEqual({ 0: 0, 1: 1, 2: 0, 3: 1 });
    expect([observer.adds, observer.retries]).toEqual([3, 2]);
  });

  it("counts an item once that waited and is added without a delay", async () => {
    const { clock, observer, queue } = setUp();
    queue.addAfter("a", 10);
    queue.addWithOptions(["a"], { priority: 1 });
    await clock.advance(10);
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 1 });
    expect(observer.adds).toBe(1);
  });

  it("goes down when a failure holds back an item that was ready", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new PriorityQueue<string>({ clock, keyOf, observer, holdBackoff: true });
    queue.add("a");
    queue.addRateLimited("a");
    expect(observer.depth.get(0)).toBe(0);
    await clock.advance(5);
    expect(observer.depth.get(0)).toBe(1);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("is 0 after a shutdown that dropped what was queued", () => {
    const { observer, queue } = setUp();
    queue.addWithOptions(["a", "b"], { priority: 1 });
    queue.addWithOptions(["c"], { afterMs: 10 });
    queue.shutDown();
    expect(Object.fromEntries(observer.depth)).toEqual({ 1: 0 });
  });

  it("[MX2] of the classic queue has no priority, and counts what is processed and dirty again", async () => {
    const clock = new VirtualClock();
    const observer = new RecordingObserver();
    const queue = new WorkQueue<string>({ clock, keyOf, observer });
    queue.add("a");
    await takeNow(queue);
    queue.add("a");
    queue.add("b");
    queue.addAfter("c", 10);
    expect([...observer.depth]).toEqual([[undefined, 2]]);
    queue.done("a");
    await takeAll(queue);
    expect([...observer.depth]).toEqual([[undefined, 0]]);
    queue.shutDown();
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe("the labels of priorities", () => {
  it("[PQ7] are their numbers for the first 25, and one name for all others", () => {
    const labels = new PriorityLabels();
    const first = Array.from({ length: 25 }, (_, i) => labels.labelOf(i - 12));
    expect(first).toEqual(Array.from({ length: 25 }, (_, i) => String(i - 12)));
    expect([labels.labelOf(100), labels.labelOf(101)]).toEqual([
      "exceeded_cardinality_limit",
      "exceeded_cardinality_limit",
    ]);
    expect(labels.labelOf(-12)).toBe("-12");
  });

  it("[MX2] are empty for a queue without priorities", () => {
    expect(new PriorityLabels().labelOf(undefined)).toBe("");
  });
});
