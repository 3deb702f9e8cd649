import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { presetLimiter } from "./rate-limiter.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function queueWorld(options: Partial<WorkQueueOptions<string>> = {}) {
  const clock = new VirtualClock();
  const queue = new WorkQueue<string>({ clock, formatKey: (key) => key, ...options });
  const dequeue = async () => {
    const item = await queue.get();
    if (item === "shutdown") throw new Error("the queue is shut down");
    return item;
  };
  const add = (key: string, options: { priority?: number; afterMs?: number; source?: string } = {}) => {
    const { source = "test", ...rest } = options;
    queue.add(key, { trigger: { source, type: "update" }, ...rest });
  };
  return { clock, queue, dequeue, add };
}

describe("reasons", () => {
  it("gather while a key waits, and begin anew when it is dequeued", async () => {
    const { queue, dequeue, add } = queueWorld();
    add("a", { source: "one" });
    add("a", { source: "two" });
    const first = await dequeue();
    add("a", { source: "three" });
    expect(first.reasons.map(({ source }) => source)).toEqual(["one", "two"]);
    queue.done(first);
    expect((await dequeue()).reasons.map(({ source }) => source)).toEqual(["three"]);
  });

  it("are kept when a key is put back, before those that came meanwhile", async () => {
    const { clock, queue, dequeue, add } = queueWorld();
    for (let i = 0; i < 15; i++) add("a", { source: `early ${i}` });
    const first = await dequeue();
    for (let i = 0; i < 15; i++) add("a", { source: `late ${i}` });
    queue.putBack(first, 100);
    queue.done(first);
    await clock.advance(100);
    const item = await dequeue();
    expect(item.reasonCount).toBe(30);
    expect(item.reasons.map(({ source }) => source)).toEqual([
      ...Array.from({ length: 15 }, (_, i) => `early ${i}`),
      "late 0",
    ]);
  });

  it("show whether the last run requested this one or failed", async () => {
    const { clock, queue, dequeue, add } = queueWorld();
    add("a");
    const first = await dequeue();
    queue.requeueAfter(first, 0, 10);
    queue.done(first);
    await clock.advance(10);
    const second = await dequeue();
    expect(second.reasons).toEqual([{ source: "requeue", type: "requeue" }]);
    expect(queue.retry(second, true)).toBe(5);
    queue.done(second);
    await clock.advance(5);
    expect((await dequeue()).reasons).toEqual([{ source: "retry", type: "retry" }]);
  });
});

describe("a run that the last one requested for later", () => {
  it("does not have that as a reason if an event starts it before, and has both if the time has come", async () => {
    const { clock, queue, dequeue, add } = queueWorld();
    const requestAndAdd = async (waitMs: number) => {
      const item = await dequeue();
      queue.requeueAfter(item, 0, 4 * 86_400_000);
      queue.done(item);
      await clock.advance(waitMs);
      add("a", { source: "event" });
    };
    add("a");
    await requestAndAdd(1_000);
    await requestAndAdd(4 * 86_400_000);
    const both = await dequeue();
    expect(both.reasons).toMatchObject([{ source: "requeue", type: "requeue" }, { source: "event" }]);
    expect(both.reasonCount).toBe(2);
    queue.requeueAfter(both, 0, 4 * 86_400_000);
    queue.done(both);
    add("a", { source: "event" });
    expect(await dequeue()).toMatchObject({ reasons: [{ source: "event" }], reasonCount: 1 });
  });
});

describe("the time that a key waits for a worker", () => {
  it("begins when it may run, not when it was added", async () => {
    const { clock, dequeue, add } = queueWorld();
    add("a", { afterMs: 100 });
    await clock.advance(130);
    expect(clock.monotonicNow() - (await dequeue()).dueMs).toBe(30);
  });

  it("begins with the event that ends a delay", async () => {
    const { clock, dequeue, add } = queueWorld();
    add("a", { afterMs: 100 });
    await clock.advance(50);
    add("a");
    await clock.advance(7);
    expect(clock.monotonicNow() - (await dequeue()).dueMs).toBe(7);
  });

  it("begins with the end of a back-off that holds, whatever comes meanwhile", async () => {
    const { clock, queue, dequeue, add } = queueWorld({
      rateLimiter: presetLimiter("oneSecondToFiveMinutes"),
      holdBackoff: true,
    });
    add("a");
    const first = await dequeue();
    queue.retry(first, true);
    queue.done(first);
    add("a");
    await clock.advance(1003);
    expect(clock.monotonicNow() - (await dequeue()).dueMs).toBe(3);
  });
});

it("holds nothing and accepts nothing once it is shut down", async () => {
  const { clock, queue, add, dequeue } = queueWorld();
  add("a");
  const item = await dequeue();
  add("b", { afterMs: 100 });
  queue.shutDown();
  queue.requeueAfter(item, 0, 100);
  queue.retry(item, true);
  queue.putBack(item, 100);
  add("c");
  expect(await queue.get()).toBe("shutdown");
  expect(clock.pendingTimers).toEqual([]);
});
