import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { takeAll, takeNow } from "../../test/support/take-now.ts";
import { PriorityQueue, type PriorityQueueOptions } from "./priority-queue.ts";
import { InvalidQueueNumberError } from "./queue-number.ts";
import { itemExponentialLimiter } from "./rate-limiter.ts";

function makeQueue(options: Partial<PriorityQueueOptions<string>> = {}): {
  clock: VirtualClock;
  queue: PriorityQueue<string>;
} {
  const clock = new VirtualClock();
  return { clock, queue: new PriorityQueue<string>({ clock, keyOf: (item) => item, ...options }) };
}

describe("the order of the priority queue", () => {
  it("[PQ1] is by priority, the higher first, and first come, first served within one", async () => {
    const { queue } = makeQueue();
    queue.addWithOptions(["low 1", "low 2"], { priority: -100 });
    queue.addWithOptions(["normal 1", "normal 2"]);
    queue.addWithOptions(["high 1"], { priority: 10 });
    queue.add("normal 3");
    queue.addWithOptions(["high 2"], { priority: 10 });
    expect(await takeAll(queue)).toEqual([
      "high 1",
      "high 2",
      "normal 1",
      "normal 2",
      "normal 3",
      "low 1",
      "low 2",
    ]);
  });

  it("[PQ1] within a priority, is by the time when items became ready, not when they were added", async () => {
    const { clock, queue } = makeQueue();
    queue.addAfter("second", 20);
    queue.addAfter("first", 10);
    await clock.advance(15);
    queue.add("between");
    await clock.advance(10);
    queue.add("last");
    expect(await takeAll(queue)).toEqual(["first", "between", "second", "last"]);
  });

  it("[PQ1] also decides between items that become ready together while a worker waits", async () => {
    const { clock, queue } = makeQueue();
    queue.addWithOptions(["low"], { priority: -1, afterMs: 10 });
    queue.addWithOptions(["high"], { priority: 1, afterMs: 10 });
    const taking = queue.get();
    await clock.advance(10);
    expect(await taking).toEqual({ item: "high", priority: 1 });
  });

  it("[PQ1] is right even when the timers are late, because the event loop was busy", async () => {
    let nowMs = 0;
    const clock = { now: () => nowMs, monotonicNow: () => nowMs, schedule: () => () => {} };
    const { queue } = makeQueue({ clock });
    queue.addAfter("due at 10", 10);
    nowMs = 20;
    queue.add("ready at 20");
    expect(await takeAll(queue)).toEqual(["due at 10", "ready at 20"]);
  });

  it("[PQ1] serves an item of high priority that became ready before the rest of the low ones, every time", async () => {
    const { clock, queue } = makeQueue();
    queue.addWithOptions(["low 1", "low 2", "low 3"], { priority: -1 });
    for (let round = 0; round < 3; round++) {
      queue.addWithOptions(["high"], { priority: 1, afterMs: 10 });
      await clock.advance(10);
      expect(await takeNow(queue)).toEqual({ item: "high", priority: 1 });
      queue.done("high");
      expect(await takeNow(queue)).toEqual({ item: `low ${round + 1}`, priority: -1 });
    }
  });
});

describe("adding an item again to the priority queue", () => {
  it("[PQ2] leaves it queued once, in its place", async () => {
    const { queue } = makeQueue();
    for (const item of ["a", "b", "a"]) queue.add(item);
    expect(queue.length).toBe(2);
    expect(await takeAll(queue)).toEqual(["a", "b"]);
  });

  it("[PQ2] keeps the higher priority, whichever came first", async () => {
    const { queue } = makeQueue();
    queue.addWithOptions(["up"], { priority: 1 });
    queue.addWithOptions(["up"], { priority: 2 });
    queue.addWithOptions(["down"], { priority: 2 });
    queue.addWithOptions(["down"], { priority: 1 });
    expect(await takeNow(queue)).toEqual({ item: "up", priority: 2 });
    expect(await takeNow(queue)).toEqual({ item: "down", priority: 2 });
  });

  it("[PQ2] keeps the earlier time, whichever came first", async () => {
    const { clock, queue } = makeQueue();
    queue.addAfter("early first", 20);
    queue.addAfter("early first", 60);
    queue.addAfter("late first", 60);
    queue.addAfter("late first", 20);
    await clock.advance(19);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(["early first", "late first"]);
  });

  it("[PQ2] without a delay beats any delay, also a later one", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    queue.addAfter("a", 3_600_000);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("[PQ2] hands out the item that was added last", async () => {
    const clock = new VirtualClock();
    const queue = new PriorityQueue<{ name: string; version: number }>({ clock, keyOf: ({ name }) => name });
    queue.add({ name: "a", version: 1 });
    queue.add({ name: "a", version: 2 });
    expect(await takeAll(queue)).toEqual([{ name: "a", version: 2 }]);
  });

  it("[PQ3] with a higher priority puts it at the end of the higher class", async () => {
    const { queue } = makeQueue();
    queue.addWithOptions(["raised", "low"], { priority: 0 });
    queue.addWithOptions(["high"], { priority: 1 });
    queue.addWithOptions(["raised"], { priority: 1 });
    expect(await takeAll(queue)).toEqual(["high", "raised", "low"]);
  });

  it("[PQ3] with a lower priority changes nothing", async () => {
    const { queue } = makeQueue();
    queue.addWithOptions(["a", "b"], { priority: 1 });
    queue.addWithOptions(["a"], { priority: 0 });
    expect(await takeAll(queue)).toEqual(["a", "b"]);
  });

  it("[PQ3] can raise the priority of an item that waits, or is processed", async () => {
    const { clock, queue } = makeQueue();
    queue.addAfter("waiting", 10);
    queue.addWithOptions(["waiting"], { afterMs: 10, priority: 5 });
    queue.add("processed");
    await takeNow(queue);
    queue.add("processed");
    queue.addWithOptions(["processed"], { priority: 7 });
    queue.done("processed");
    await clock.advance(10);
    expect(await takeNow(queue)).toEqual({ item: "processed", priority: 7 });
    expect(await takeNow(queue)).toEqual({ item: "waiting", priority: 5 });
  });

  it("[PQ4] without a delay makes a waiting item ready at once, and its delay is gone", async () => {
    const { clock, queue } = makeQueue();
    queue.addAfter("a", 50);
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    expect(clock.pendingTimers).toEqual([]);
    await clock.advance(50);
    expect(queue.length).toBe(0);
  });

  it("refuses a priority that has no place in an order", () => {
    const { queue } = makeQueue();
    expect(() => queue.addWithOptions(["a"], { priority: Number.NaN })).toThrow(InvalidQueueNumberError);
    expect(queue.length).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses %s as the delay of a rate limiter", (delayMs) => {
    const rateLimiter = { when: () => delayMs, forget: () => undefined, numRequeues: () => 0 };
    const { queue, clock } = makeQueue({ rateLimiter });
    expect(() => queue.addRateLimited("a")).toThrow(InvalidQueueNumberError);
    expect([queue.length, clock.pendingTimers]).toEqual([0, []]);
  });
});

describe("an item that is processed", () => {
  it("[PQ5] may be queued again, is skipped without blocking others, and comes when it is done", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    await takeNow(queue);
    queue.addWithOptions(["a"], { priority: 10 });
    queue.add("b");
    expect(queue.length).toBe(2);
    expect(await takeAll(queue)).toEqual(["b"]);
    queue.done("a");
    expect(await takeNow(queue)).toEqual({ item: "a", priority: 10 });
  });

  it("[PQ5] keeps the place that it was queued at", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    await takeNow(queue);
    for (const item of ["b", "a", "c"]) queue.add(item);
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["b", "a", "c"]);
  });

  it("[PQ5] goes straight to a worker that waits, as soon as it is done, and runs once more", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    await takeNow(queue);
    for (let i = 0; i < 5; i++) queue.add("a");
    const taking = queue.get();
    queue.done("a");
    expect(await taking).toEqual({ item: "a", priority: 0 });
    queue.done("a");
    expect(await takeNow(queue)).toBeUndefined();
  });

  it("[PQ5] is not handed out either when its delay ends meanwhile", async () => {
    const { clock, queue } = makeQueue();
    queue.add("a");
    await takeNow(queue);
    queue.addAfter("a", 10);
    const taking = queue.get();
    await clock.advance(10);
    expect(queue.length).toBe(1);
    queue.add("b");
    expect(await taking).toEqual({ item: "b", priority: 0 });
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("[PQ9] is queued again with its priority when the worker passes that on, or with another", async () => {
    const { clock, queue } = makeQueue();
    queue.addWithOptions(["kept", "changed"], { priority: 7 });
    for (const priority of [undefined, 3]) {
      const taken = await queue.get();
      if (taken === "shutdown") throw new Error("the queue has shut down");
      queue.addWithOptions([taken.item], { rateLimited: true, priority: priority ?? taken.priority });
      queue.done(taken.item);
    }
    await clock.advance(5);
    expect(await takeNow(queue)).toEqual({ item: "kept", priority: 7 });
    expect(await takeNow(queue)).toEqual({ item: "changed", priority: 3 });
  });

  it("is not affected by being done twice, or without having been taken", async () => {
    const { queue } = makeQueue();
    queue.add("a");
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    queue.done("a");
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
  });
});

describe("adding to the priority queue with a delay and a rate limit", () => {
  it("[PQ6] waits for the shorter of both", async () => {
    const { clock, queue } = makeQueue({ rateLimiter: itemExponentialLimiter({ baseMs: 20, maxMs: 1000 }) });
    queue.addWithOptions(["limiter"], { rateLimited: true, afterMs: 30 });
    queue.addWithOptions(["delay"], { rateLimited: true, afterMs: 10 });
    queue.addWithOptions(["limiter alone"], { rateLimited: true });
    await clock.advance(10);
    expect(await takeAll(queue)).toEqual(["delay"]);
    await clock.advance(10);
    expect(await takeAll(queue)).toEqual(["limiter", "limiter alone"]);
  });

  it("[PQ6] asks the limiter for each item of a batch", async () => {
    const { clock, queue } = makeQueue();
    queue.addRateLimited("failed before");
    await clock.advance(5);
    await takeAll(queue);
    queue.addWithOptions(["failed before", "new", "also new"], { rateLimited: true });
    queue.done("failed before");
    await clock.advance(5);
    expect(await takeAll(queue)).toEqual(["new", "also new"]);
    await clock.advance(5);
    expect(await takeAll(queue)).toEqual(["failed before"]);
  });

  it("[RL2] backs off from 5 ms, for each item by itself, unless told otherwise", async () => {
    const { clock, queue } = makeQueue();
    for (let i = 0; i < 500; i++) queue.addRateLimited(`item ${i}`);
    await clock.advance(5);
    expect(queue.length).toBe(500);
  });

  it("forgets the failures of an item when told to", async () => {
    const { clock, queue } = makeQueue();
    queue.addRateLimited("a");
    await clock.advance(5);
    await takeAll(queue);
    expect(queue.numRequeues("a")).toBe(1);
    queue.forget("a");
    queue.addRateLimited("a");
    expect(queue.numRequeues("a")).toBe(1);
    queue.done("a");
    await clock.advance(5);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("[PQ7] does not count what waits", async () => {
    const { clock, queue } = makeQueue();
    queue.addWithOptions(["ready"]);
    queue.addWithOptions(["waiting", "waiting too"], { afterMs: 60_000 });
    expect(queue.length).toBe(1);
    await clock.advance(60_000);
    expect(queue.length).toBe(3);
  });
});

describe("shutting down the priority queue", () => {
  it("[PQ8] tells every worker that waits, drops what is queued, and leaves no timer", async () => {
    const { clock, queue } = makeQueue();
    const taking = [queue.get(), queue.get()];
    queue.addAfter("waiting", 10);
    queue.shutDown();
    expect(await Promise.all(taking)).toEqual(["shutdown", "shutdown"]);
    expect(clock.pendingTimers).toEqual([]);
    expect(queue.isShuttingDown).toBe(true);
  });

  it("[PQ8] does not hand out what was queued, nor take anything more", async () => {
    const { queue } = makeQueue();
    queue.add("queued");
    queue.shutDown();
    queue.add("late");
    expect(queue.length).toBe(0);
    expect(await takeNow(queue)).toBe("shutdown");
  });

  it("[PQ10] a get after shutdown, and a second shutdown, return at once", async () => {
    const { queue } = makeQueue();
    queue.shutDown();
    queue.shutDown();
    queue.addAfter("late", 1);
    expect(await Promise.all([queue.get(), queue.get()])).toEqual(["shutdown", "shutdown"]);
  });

  it("[PQ10] leaves an item with the worker that it was just handed to, who can still be done with it", async () => {
    const { queue } = makeQueue();
    const taking = [queue.get(), queue.get()];
    queue.add("a");
    queue.shutDown();
    expect(await Promise.all(taking)).toEqual([{ item: "a", priority: 0 }, "shutdown"]);
    queue.add("a");
    queue.done("a");
    expect(await queue.get()).toBe("shutdown");
  });
});

describe("waiting for work", () => {
  it("ends when the signal aborts, and costs no item", async () => {
    const { queue } = makeQueue();
    const abort = new AbortController();
    const taking = queue.get(abort.signal);
    const reason = new Error("stop");
    abort.abort(reason);
    await expect(taking).rejects.toBe(reason);
    queue.add("a");
    await expect(queue.get(abort.signal)).rejects.toBe(reason);
    expect(await takeAll(queue)).toEqual(["a"]);
  });
});

describe("fairness between groups", () => {
  const groupOf = (item: string): string => item.slice(0, item.indexOf("/"));

  it("lets namespaces take turns within a priority, so that a large one does not make small ones wait", async () => {
    const { queue } = makeQueue({ groupOf });
    queue.addWithOptions(["big/1", "big/2", "big/3", "big/4"]);
    queue.addWithOptions(["small/1", "tiny/1", "small/2"]);
    expect(await takeAll(queue)).toEqual([
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
    queue.addWithOptions(["small/low"], { priority: -1 });
    queue.addWithOptions(["big/1", "big/2"]);
    expect(await takeAll(queue)).toEqual(["big/1", "big/2", "small/low"]);
  });

  it("is not given up when items are raised or given back", async () => {
    const { queue } = makeQueue({ groupOf });
    queue.addWithOptions(["big/1", "big/2", "big/3", "small/1"]);
    queue.addWithOptions(["big/2", "big/3", "small/1"], { priority: 1 });
    expect(await takeNow(queue)).toEqual({ item: "big/2", priority: 1 });
    queue.addWithOptions(["big/2"], { priority: 1 });
    queue.done("big/2");
    expect(await takeAll(queue)).toEqual(["small/1", "big/3", "big/2", "big/1"]);
  });
});

describe("a back-off that holds", () => {
  const makeHolding = (holdBackoff = true): ReturnType<typeof makeQueue> =>
    makeQueue({ rateLimiter: itemExponentialLimiter({ baseMs: 100, maxMs: 10_000 }), holdBackoff });

  it("is not cut short by a flood of events, as it is by default", async () => {
    for (const holdBackoff of [true, false]) {
      const { clock, queue } = makeHolding(holdBackoff);
      queue.addRateLimited("a");
      for (let i = 0; i < 9; i++) {
        queue.add("a");
        queue.addAfter("a", 1);
        await clock.advance(10);
      }
      expect(queue.length).toBe(holdBackoff ? 0 : 1);
      await clock.advance(10);
      expect(await takeAll(queue)).toEqual(["a"]);
    }
  });

  it("is not cut short by an event that came while the item was processed", async () => {
    const { clock, queue } = makeHolding();
    queue.add("a");
    await takeNow(queue);
    queue.add("a");
    expect(queue.length).toBe(1);
    queue.addRateLimited("a");
    queue.done("a");
    expect(queue.length).toBe(0);
    await clock.advance(99);
    expect(await takeNow(queue)).toBeUndefined();
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("does not disturb others of its class when it begins", async () => {
    const { queue } = makeHolding();
    queue.add("failing");
    await takeNow(queue);
    for (const item of ["failing", "other 1", "other 2"]) queue.add(item);
    queue.addRateLimited("failing");
    queue.add("queued, then held");
    queue.addRateLimited("queued, then held");
    expect(await takeAll(queue)).toEqual(["other 1", "other 2"]);
  });

  it("runs the item once when it is over, however many events there were", async () => {
    const { clock, queue } = makeHolding();
    queue.addRateLimited("a");
    queue.addWithOptions(["a"], { priority: 3 });
    await clock.advance(100);
    expect(await takeNow(queue)).toEqual({ item: "a", priority: 3 });
    queue.done("a");
    await clock.advance(60_000);
    expect(queue.length).toBe(0);
  });

  it("does not hold items that wait for another reason", async () => {
    const { queue } = makeHolding();
    queue.addAfter("a", 30_000);
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("ends with the earlier of two back-offs", async () => {
    const { clock, queue } = makeHolding();
    queue.addRateLimited("a");
    queue.addRateLimited("a");
    queue.add("a");
    await clock.advance(100);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("is over with the run that follows it: later events come at once", async () => {
    const { clock, queue } = makeHolding();
    queue.addRateLimited("a");
    await clock.advance(100);
    await takeAll(queue);
    queue.add("a");
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["a"]);
  });
});
