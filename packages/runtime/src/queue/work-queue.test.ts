import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { addAll, dequeueAll, dequeueNow } from "../../test/support/dequeue-now.ts";
import { InvalidQueueNumberError, itemExponentialLimiter } from "./rate-limiter.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function makeQueue(options: Partial<WorkQueueOptions<string>> = {}): {
  clock: VirtualClock;
  queue: WorkQueue<string>;
} {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue<string>({ clock, formatKey: (key) => key, ...options }) };
}

describe("the order of a work queue", () => {
  it("[PQ1] is by priority, the higher first, and first come, first served within one", async () => {
    const { queue } = makeQueue();
    addAll(queue, ["low 1", "low 2"], { priority: -100 });
    addAll(queue, ["normal 1", "normal 2"]);
    queue.add("high 1", { priority: 10 });
    queue.add("normal 3");
    queue.add("high 2", { priority: 10 });
    expect(await dequeueAll(queue)).toEqual([
      "high 1",
      "high 2",
      "normal 1",
      "normal 2",
      "normal 3",
      "low 1",
      "low 2",
    ]);
  });

  it("[PQ1] within a priority, is by the time when keys became ready, not when they were added", async () => {
    const { clock, queue } = makeQueue();
    queue.add("second", { afterMs: 20 });
    queue.add("first", { afterMs: 10 });
    await clock.advance(15);
    queue.add("between");
    await clock.advance(10);
    queue.add("last");
    expect(await dequeueAll(queue)).toEqual(["first", "between", "second", "last"]);
  });

  it("[PQ1] also decides between keys that become ready together while a worker waits", async () => {
    const { clock, queue } = makeQueue();
    queue.add("low", { priority: -1, afterMs: 10 });
    queue.add("high", { priority: 1, afterMs: 10 });
    const taking = queue.get();
    await clock.advance(10);
    expect(await taking).toMatchObject({ key: "high", priority: 1 });
  });

  it("[PQ1] is right even when the timers are late, because the event loop was busy", async () => {
    let nowMs = 0;
    const clock = { now: () => nowMs, monotonicNow: () => nowMs, schedule: () => () => {} };
    const { queue } = makeQueue({ clock });
    queue.add("due at 10", { afterMs: 10 });
    nowMs = 20;
    queue.add("ready at 20");
    expect(await dequeueAll(queue)).toEqual(["due at 10", "ready at 20"]);
  });

  it("[PQ1] serves a key of high priority that became ready before the rest of the low ones, every time", async () => {
    const { clock, queue } = makeQueue();
    addAll(queue, ["low 1", "low 2", "low 3"], { priority: -1 });
    for (let round = 0; round < 3; round++) {
      queue.add("high", { priority: 1, afterMs: 10 });
      await clock.advance(10);
      expect(await dequeueNow(queue)).toMatchObject({ key: "high", priority: 1 });
      queue.done({ keyText: "high" });
      expect(await dequeueNow(queue)).toMatchObject({ key: `low ${round + 1}`, priority: -1 });
    }
  });
});

describe("adding a key again", () => {
  it("[PQ2] leaves it queued once, in its place", async () => {
    const { queue } = makeQueue();
    for (const key of ["a", "b", "a"]) queue.add(key);
    expect(queue.length).toBe(2);
    expect(await dequeueAll(queue)).toEqual(["a", "b"]);
  });

  it("[PQ2] keeps the higher priority, whichever came first", async () => {
    const { queue } = makeQueue();
    queue.add("up", { priority: 1 });
    queue.add("up", { priority: 2 });
    queue.add("down", { priority: 2 });
    queue.add("down", { priority: 1 });
    expect(await dequeueNow(queue)).toMatchObject({ key: "up", priority: 2 });
    expect(await dequeueNow(queue)).toMatchObject({ key: "down", priority: 2 });
  });

  it("[PQ2] keeps the earlier time, whichever came first", async () => {
    const { clock, queue } = makeQueue();
    queue.add("early first", { afterMs: 20 });
    queue.add("early first", { afterMs: 60 });
    queue.add("late first", { afterMs: 60 });
    queue.add("late first", { afterMs: 20 });
    await clock.advance(19);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await dequeueAll(queue)).toEqual(["early first", "late first"]);
  });

  it("[PQ2] without a delay beats any delay, also a later one", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    queue.add("a", { afterMs: 3_600_000 });
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });

  it("[PQ2] dequeues the key that was added last", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue<{ name: string; version: number }>({ clock, formatKey: ({ name }) => name });
    queue.add({ name: "a", version: 1 });
    queue.add({ name: "a", version: 2 });
    expect(await dequeueAll(queue)).toEqual([{ name: "a", version: 2 }]);
  });

  it("[PQ3] with a higher priority puts it at the end of the higher class", async () => {
    const { queue } = makeQueue();
    addAll(queue, ["raised", "low"], { priority: 0 });
    queue.add("high", { priority: 1 });
    queue.add("raised", { priority: 1 });
    expect(await dequeueAll(queue)).toEqual(["high", "raised", "low"]);
  });

  it("[PQ3] with a lower priority changes nothing", async () => {
    const { queue } = makeQueue();
    addAll(queue, ["a", "b"], { priority: 1 });
    queue.add("a", { priority: 0 });
    expect(await dequeueAll(queue)).toEqual(["a", "b"]);
  });

  it("[PQ3] can raise the priority of a key that waits, or is processed", async () => {
    const { clock, queue } = makeQueue();
    queue.add("waiting", { afterMs: 10 });
    queue.add("waiting", { afterMs: 10, priority: 5 });
    queue.add("processed");
    await dequeueNow(queue);
    queue.add("processed");
    queue.add("processed", { priority: 7 });
    queue.done({ keyText: "processed" });
    await clock.advance(10);
    expect(await dequeueNow(queue)).toMatchObject({ key: "processed", priority: 7 });
    expect(await dequeueNow(queue)).toMatchObject({ key: "waiting", priority: 5 });
  });

  it("[PQ4] without a delay makes a waiting key ready at once, and ends its delay", async () => {
    const { clock, queue } = makeQueue();
    queue.add("a", { afterMs: 50 });
    queue.add("a");
    expect(await dequeueAll(queue)).toEqual(["a"]);
    queue.done({ keyText: "a" });
    expect(clock.pendingTimers).toEqual([]);
    await clock.advance(50);
    expect(queue.length).toBe(0);
  });

  it("refuses a priority that has no place in an order", () => {
    const { queue } = makeQueue();
    expect(() => queue.add("a", { priority: Number.NaN })).toThrow(InvalidQueueNumberError);
    expect(queue.length).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %s as the delay of a rate limiter", (delayMs) => {
    const rateLimiter = { when: () => delayMs, forget: () => undefined, numRequeues: () => 0 };
    const { queue, clock } = makeQueue({ rateLimiter });
    expect(() => queue.add("a", { rateLimited: true })).toThrow(InvalidQueueNumberError);
    expect([queue.length, clock.pendingTimers]).toEqual([0, []]);
  });
});

describe("a key that is processed", () => {
  it("[PQ5] may be queued again, is skipped without blocking other keys, and comes when it is done", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    await dequeueNow(queue);
    queue.add("a", { priority: 10 });
    queue.add("b");
    expect(queue.length).toBe(2);
    expect(await dequeueAll(queue)).toEqual(["b"]);
    queue.done({ keyText: "a" });
    expect(await dequeueNow(queue)).toMatchObject({ key: "a", priority: 10 });
  });

  it("[PQ5] keeps the place that it was queued at", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    await dequeueNow(queue);
    for (const key of ["b", "a", "c"]) queue.add(key);
    queue.done({ keyText: "a" });
    expect(await dequeueAll(queue)).toEqual(["b", "a", "c"]);
  });

  it("[PQ5] goes straight to a worker that waits, as soon as it is done, and runs once more", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    await dequeueNow(queue);
    for (let i = 0; i < 5; i++) queue.add("a");
    const taking = queue.get();
    queue.done({ keyText: "a" });
    expect(await taking).toMatchObject({ key: "a", priority: 0 });
    queue.done({ keyText: "a" });
    expect(await dequeueNow(queue)).toBeUndefined();
  });

  it("[PQ5] is not handed out either when its delay ends meanwhile", async () => {
    const { clock, queue } = makeQueue();
    queue.add("a");
    await dequeueNow(queue);
    queue.add("a", { afterMs: 10 });
    const taking = queue.get();
    await clock.advance(10);
    expect(queue.length).toBe(1);
    queue.add("b");
    expect(await taking).toMatchObject({ key: "b", priority: 0 });
    queue.done({ keyText: "a" });
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });

  it("[PQ9] is queued again with its priority when the worker passes that on, or with another", async () => {
    const { clock, queue } = makeQueue();
    addAll(queue, ["kept", "changed"], { priority: 7 });
    for (const priority of [undefined, 3]) {
      const taken = await queue.get();
      if (taken === "shutdown") throw new Error("the queue has shut down");
      queue.add(taken.key, { rateLimited: true, priority: priority ?? taken.priority });
      queue.done(taken);
    }
    await clock.advance(5);
    expect(await dequeueNow(queue)).toMatchObject({ key: "kept", priority: 7 });
    expect(await dequeueNow(queue)).toMatchObject({ key: "changed", priority: 3 });
  });

  it("is not affected by being done twice, or without having been dequeued", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    queue.done({ keyText: "a" });
    expect(await dequeueAll(queue)).toEqual(["a"]);
    queue.done({ keyText: "a" });
    queue.done({ keyText: "a" });
    queue.add("a");
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });
});

describe("adding with a delay and a rate limit", () => {
  it("[PQ6] waits for the shorter of both", async () => {
    const { clock, queue } = makeQueue({ rateLimiter: itemExponentialLimiter({ baseMs: 20, maxMs: 1000 }) });
    queue.add("limiter", { rateLimited: true, afterMs: 30 });
    queue.add("delay", { rateLimited: true, afterMs: 10 });
    queue.add("limiter alone", { rateLimited: true });
    await clock.advance(10);
    expect(await dequeueAll(queue)).toEqual(["delay"]);
    await clock.advance(10);
    expect(await dequeueAll(queue)).toEqual(["limiter", "limiter alone"]);
  });

  it("[PQ6] uses the limiter for each key by itself", async () => {
    const { clock, queue } = makeQueue();
    queue.add("failed before", { rateLimited: true });
    await clock.advance(5);
    await dequeueAll(queue);
    addAll(queue, ["failed before", "new", "also new"], { rateLimited: true });
    queue.done({ keyText: "failed before" });
    await clock.advance(5);
    expect(await dequeueAll(queue)).toEqual(["new", "also new"]);
    await clock.advance(5);
    expect(await dequeueAll(queue)).toEqual(["failed before"]);
  });

  it("[RL2] backs off from 5 ms, for each key by itself, by default", async () => {
    const { clock, queue } = makeQueue();
    for (let i = 0; i < 500; i++) queue.add(`item ${i}`, { rateLimited: true });
    await clock.advance(5);
    expect(queue.length).toBe(500);
  });

  it("forgets the failures of a key on `forget`", async () => {
    const { clock, queue } = makeQueue();
    queue.add("a", { rateLimited: true });
    await clock.advance(5);
    await dequeueAll(queue);
    expect(queue.failuresOf({ keyText: "a" })).toBe(1);
    queue.forget({ keyText: "a" });
    queue.add("a", { rateLimited: true });
    expect(queue.failuresOf({ keyText: "a" })).toBe(1);
    queue.done({ keyText: "a" });
    await clock.advance(5);
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });

  it("[PQ7] does not count what waits", async () => {
    const { clock, queue } = makeQueue();
    queue.add("ready");
    addAll(queue, ["waiting", "waiting too"], { afterMs: 60_000 });
    expect(queue.length).toBe(1);
    await clock.advance(60_000);
    expect(queue.length).toBe(3);
  });
});

describe("shutting down", () => {
  it("[PQ8] ends every waiting dequeue, drops what is queued, and leaves no timer", async () => {
    const { clock, queue } = makeQueue();
    const taking = [queue.get(), queue.get()];
    queue.add("waiting", { afterMs: 10 });
    queue.shutDown();
    expect(await Promise.all(taking)).toEqual(["shutdown", "shutdown"]);
    expect(clock.pendingTimers).toEqual([]);
    expect(queue.isShutDown).toBe(true);
  });

  it("[PQ8] does not hand out what was queued, and accepts nothing more", async () => {
    const { queue } = makeQueue();
    queue.add("queued");
    queue.shutDown();
    queue.add("late");
    expect(queue.length).toBe(0);
    expect(await dequeueNow(queue)).toBe("shutdown");
  });

  it("[PQ10] a get after shutdown, and a second shutdown, return at once", async () => {
    const { queue } = makeQueue();
    queue.shutDown();
    queue.shutDown();
    queue.add("late", { afterMs: 1 });
    expect(await Promise.all([queue.get(), queue.get()])).toEqual(["shutdown", "shutdown"]);
  });

  it("[PQ10] leaves a key with the worker that has just dequeued it, which can still be done with it", async () => {
    const { queue } = makeQueue();
    const taking = [queue.get(), queue.get()];
    queue.add("a");
    queue.shutDown();
    expect(await Promise.all(taking)).toMatchObject([{ key: "a", priority: 0 }, "shutdown"]);
    queue.add("a");
    queue.done({ keyText: "a" });
    expect(await queue.get()).toBe("shutdown");
  });
});

describe("waiting for work", () => {
  it("ends when the signal aborts, and loses no key", async () => {
    const { queue } = makeQueue();
    const abort = new AbortController();
    const taking = queue.get(abort.signal);
    const reason = new Error("stop");
    abort.abort(reason);
    await expect(taking).rejects.toBe(reason);
    queue.add("a");
    await expect(queue.get(abort.signal)).rejects.toBe(reason);
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });
});

describe("fairness between groups", () => {
  const groupOf = (key: string): string => key.slice(0, key.indexOf("/"));

  it("lets namespaces take turns within a priority, so that a large one does not make small ones wait", async () => {
    const { queue } = makeQueue({ groupOf });
    addAll(queue, ["big/1", "big/2", "big/3", "big/4"]);
    addAll(queue, ["small/1", "tiny/1", "small/2"]);
    expect(await dequeueAll(queue)).toEqual([
      "big/1",
      "small/1",
      "tiny/1",
      "big/2",
      "small/2",
      "big/3",
      "big/4",
    ]);
  });

  it("does not go before priority", async () => {
    const { queue } = makeQueue({ groupOf });
    queue.add("small/low", { priority: -1 });
    addAll(queue, ["big/1", "big/2"]);
    expect(await dequeueAll(queue)).toEqual(["big/1", "big/2", "small/low"]);
  });

  it("holds when priorities are raised and keys are done", async () => {
    const { queue } = makeQueue({ groupOf });
    addAll(queue, ["big/1", "big/2", "big/3", "small/1"]);
    addAll(queue, ["big/2", "big/3", "small/1"], { priority: 1 });
    expect(await dequeueNow(queue)).toMatchObject({ key: "big/2", priority: 1 });
    queue.add("big/2", { priority: 1 });
    queue.done({ keyText: "big/2" });
    expect(await dequeueAll(queue)).toEqual(["small/1", "big/3", "big/2", "big/1"]);
  });
});

describe("a back-off that holds", () => {
  const makeHolding = (holdBackoff = true): ReturnType<typeof makeQueue> =>
    makeQueue({ rateLimiter: itemExponentialLimiter({ baseMs: 100, maxMs: 10_000 }), holdBackoff });

  it("is not cut short by a flood of events, as it is by default", async () => {
    for (const holdBackoff of [true, false]) {
      const { clock, queue } = makeHolding(holdBackoff);
      queue.add("a", { rateLimited: true });
      for (let i = 0; i < 9; i++) {
        queue.add("a");
        queue.add("a", { afterMs: 1 });
        await clock.advance(10);
      }
      expect(queue.length).toBe(holdBackoff ? 0 : 1);
      await clock.advance(10);
      expect(await dequeueAll(queue)).toEqual(["a"]);
    }
  });

  it("is not cut short by an event that came while the key was processed", async () => {
    const { clock, queue } = makeHolding();
    queue.add("a");
    await dequeueNow(queue);
    queue.add("a");
    expect(queue.length).toBe(1);
    queue.add("a", { rateLimited: true });
    queue.done({ keyText: "a" });
    expect(queue.length).toBe(0);
    await clock.advance(99);
    expect(await dequeueNow(queue)).toBeUndefined();
    await clock.advance(1);
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });

  it("does not disturb other keys of its class when it begins", async () => {
    const { queue } = makeHolding();
    queue.add("failing");
    await dequeueNow(queue);
    for (const key of ["failing", "other 1", "other 2"]) queue.add(key);
    queue.add("failing", { rateLimited: true });
    queue.add("queued, then held");
    queue.add("queued, then held", { rateLimited: true });
    expect(await dequeueAll(queue)).toEqual(["other 1", "other 2"]);
  });

  it("runs the key once when it is over, however many events there were", async () => {
    const { clock, queue } = makeHolding();
    queue.add("a", { rateLimited: true });
    queue.add("a", { priority: 3 });
    await clock.advance(100);
    expect(await dequeueNow(queue)).toMatchObject({ key: "a", priority: 3 });
    queue.done({ keyText: "a" });
    await clock.advance(60_000);
    expect(queue.length).toBe(0);
  });

  it("does not hold keys that wait for another reason", async () => {
    const { queue } = makeHolding();
    queue.add("a", { afterMs: 30_000 });
    queue.add("a");
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });

  it("ends with the earlier of two back-offs", async () => {
    const { clock, queue } = makeHolding();
    queue.add("a", { rateLimited: true });
    queue.add("a", { rateLimited: true });
    queue.add("a");
    await clock.advance(100);
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });

  it("is over with the run that follows it: later events come at once", async () => {
    const { clock, queue } = makeHolding();
    queue.add("a", { rateLimited: true });
    await clock.advance(100);
    await dequeueAll(queue);
    queue.add("a");
    queue.done({ keyText: "a" });
    expect(await dequeueAll(queue)).toEqual(["a"]);
  });
});
