import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { takeAll, takeNow } from "../../test/support/take-now.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { WorkQueue } from "./work-queue.ts";

const clocked = (rateLimiter?: RateLimiter): { clock: VirtualClock; queue: WorkQueue<string> } => {
  const clock = new VirtualClock();
  const keyOf = (item: string): string => item;
  const queue = new WorkQueue<string>({
    clock,
    keyOf,
    ...(rateLimiter === undefined ? {} : { rateLimiter }),
  });
  return { clock, queue };
};

describe("adding to the classic queue", () => {
  it("[WQ1] queues an item once, however often it is added", async () => {
    const { queue } = clocked();
    for (const item of ["a", "b", "a", "a"]) queue.add(item);
    expect(queue.length).toBe(2);
    expect(await takeAll(queue)).toEqual(["a", "b"]);
  });

  it("[WQ1] does not queue an item that is processed, but notes that it must run again", async () => {
    const { queue } = clocked();
    queue.add("a");
    await takeNow(queue);
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(queue.length).toBe(1);
  });

  it("[WQ1] is ignored after shutdown", async () => {
    const { queue } = clocked();
    queue.shutDown();
    queue.add("a");
    queue.addAfter("b", 0);
    expect(queue.length).toBe(0);
    expect(await takeNow(queue)).toBe("shutdown");
  });

  it("tells items apart by their keys, and hands out the one that was added last", async () => {
    const queue = new WorkQueue<{ name: string; version: number }>({
      clock: new VirtualClock(),
      keyOf: ({ name }) => name,
    });
    queue.add({ name: "a", version: 1 });
    queue.add({ name: "b", version: 1 });
    queue.add({ name: "a", version: 2 });
    expect(await takeAll(queue)).toEqual([
      { name: "a", version: 2 },
      { name: "b", version: 1 },
    ]);
  });
});

describe("taking from the classic queue", () => {
  it("[WQ2] waits until there is an item", async () => {
    const { queue } = clocked();
    const taking = queue.get();
    queue.add("a");
    expect(await taking).toEqual({ item: "a", priority: 0 });
    expect(queue.length).toBe(0);
  });

  it("[WQ2] never hands out an item twice before it is done", async () => {
    const { queue } = clocked();
    queue.add("a");
    await takeNow(queue);
    queue.add("a");
    expect(await takeNow(queue)).toBeUndefined();
    queue.done("a");
    expect(await takeNow(queue)).toEqual({ item: "a", priority: 0 });
  });

  it("ends when its signal aborts, and costs no item", async () => {
    const { queue } = clocked();
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

describe("being done in the classic queue", () => {
  it("[WQ3] puts an item that was added meanwhile, however often, once more, and last", async () => {
    const { queue } = clocked();
    queue.add("a");
    await takeNow(queue);
    for (let i = 0; i < 5; i++) queue.add("a");
    queue.add("b");
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["b", "a"]);
    queue.done("a");
    expect(await takeNow(queue)).toBeUndefined();
  });

  it("[WQ3] hands the item straight to a worker that waits", async () => {
    const { queue } = clocked();
    queue.add("a");
    await takeNow(queue);
    queue.add("a");
    const taking = queue.get();
    queue.done("a");
    expect(await taking).toEqual({ item: "a", priority: 0 });
  });

  it("[WQ9] changes nothing for an item that nobody has", async () => {
    const { queue } = clocked();
    queue.done("a");
    queue.add("a");
    queue.done("a");
    expect(queue.length).toBe(1);
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    queue.done("a");
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
  });
});

describe("adding to the classic queue with a delay", () => {
  it("[WQ4] adds at once when there is no delay", () => {
    const { queue } = clocked();
    queue.addAfter("a", 0);
    queue.addAfter("b", -1);
    expect(queue.length).toBe(2);
  });

  it("[WQ4] adds when the delay is over; what waits does not count", async () => {
    const { clock, queue } = clocked();
    queue.addAfter("a", 50);
    await clock.advance(49);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  it("[WQ4] keeps the earlier of two times, whichever came first, and runs once", async () => {
    const { clock, queue } = clocked();
    queue.addAfter("early first", 20);
    queue.addAfter("early first", 60);
    queue.addAfter("late first", 60);
    queue.addAfter("late first", 20);
    await clock.advance(20);
    expect(await takeAll(queue)).toEqual(["early first", "late first"]);
    queue.done("early first");
    queue.done("late first");
    await clock.advance(1000);
    expect(queue.length).toBe(0);
  });

  it("[WQ4] adds in the order of the times, not of the calls", async () => {
    const { clock, queue } = clocked();
    queue.addAfter("c", 30);
    queue.addAfter("a", 10);
    queue.addAfter("b", 20);
    await clock.advance(30);
    expect(await takeAll(queue)).toEqual(["a", "b", "c"]);
  });

  it("[WQ4] hands out what is due even when the timers are late, because the event loop was busy", async () => {
    let nowMs = 0;
    const clock = { now: () => nowMs, monotonicNow: () => nowMs, schedule: () => () => {} };
    const queue = new WorkQueue<string>({ clock, keyOf: (item) => item });
    queue.addAfter("a", 10);
    nowMs = 20;
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.addAfter("due at 30", 10);
    nowMs = 40;
    queue.add("added at 40");
    expect(await takeAll(queue)).toEqual(["due at 30", "added at 40"]);
  });

  it("[WQ5] runs an item now and again after the delay when it is added directly meanwhile", async () => {
    const { clock, queue } = clocked();
    queue.addAfter("a", 50);
    queue.add("a");
    expect(await takeAll(queue)).toEqual(["a"]);
    queue.done("a");
    await clock.advance(50);
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  it("[WQ7] waits as long as the rate limiter asks", async () => {
    const asked: string[] = [];
    const limiter: RateLimiter = {
      when: (key) => 10 * asked.push(key),
      forget: () => {},
      numRequeues: () => 0,
    };
    const { clock, queue } = clocked(limiter);
    queue.addRateLimited("a");
    queue.addRateLimited("b");
    expect(asked).toEqual(["a", "b"]);
    await clock.advance(10);
    expect(await takeAll(queue)).toEqual(["a"]);
    await clock.advance(10);
    expect(await takeAll(queue)).toEqual(["b"]);
  });

  it("[WQ7] forgets failures without taking the item off the queue", async () => {
    const { clock, queue } = clocked();
    queue.addRateLimited("waiting");
    queue.add("queued");
    queue.addRateLimited("queued");
    expect([queue.numRequeues("waiting"), queue.numRequeues("queued")]).toEqual([1, 1]);
    queue.forget("waiting");
    queue.forget("queued");
    expect([queue.numRequeues("waiting"), queue.numRequeues("queued")]).toEqual([0, 0]);
    expect(queue.length).toBe(1);
    await clock.advance(5);
    expect(await takeAll(queue)).toEqual(["queued", "waiting"]);
  });
});

describe("shutting down the classic queue", () => {
  it("[WQ8] lets the workers have what is queued, also what is dirty again, and then tells them", async () => {
    const { queue } = clocked();
    for (const item of ["a", "b"]) queue.add(item);
    await takeNow(queue);
    queue.add("a");
    queue.shutDown();
    expect(queue.isShuttingDown).toBe(true);
    expect(await queue.get()).toEqual({ item: "b", priority: 0 });
    expect(await queue.get()).toBe("shutdown");
    queue.done("a");
    expect(await queue.get()).toEqual({ item: "a", priority: 0 });
    expect(await queue.get()).toBe("shutdown");
  });

  it("[WQ8] tells the workers that wait, and drops what waits for a delay with its timers", async () => {
    const { clock, queue } = clocked();
    queue.addAfter("a", 10);
    const taking = [queue.get(), queue.get()];
    queue.shutDown();
    expect(await Promise.all(taking)).toEqual(["shutdown", "shutdown"]);
    expect(clock.pendingTimers).toEqual([]);
    await clock.advance(10);
    expect(queue.length).toBe(0);
  });

  it("[WQ8] with drain, waits until all that was queued and processed is done", async () => {
    const { clock, queue } = clocked();
    for (const item of ["a", "b"]) queue.add(item);
    await takeNow(queue);
    queue.add("a");
    let isDrained = false;
    const draining = queue.shutDownWithDrain().then(() => {
      isDrained = true;
    });
    for (const step of [() => takeNow(queue), () => queue.done("a"), () => takeNow(queue)]) await step();
    queue.done("b");
    await clock.settle();
    expect(isDrained).toBe(false);
    queue.done("a");
    await draining;
    expect(await queue.get()).toBe("shutdown");
  });

  it("[WQ8] with drain, is over at once when there is nothing to do", async () => {
    await expect(clocked().queue.shutDownWithDrain()).resolves.toBeUndefined();
  });

  it("[WQ8] with drain, stops waiting on a later shutDown, for everybody who waits", async () => {
    const { queue } = clocked();
    queue.add("stuck");
    await takeNow(queue);
    const draining = [queue.shutDownWithDrain(), queue.shutDownWithDrain()];
    queue.shutDown();
    await Promise.all(draining);
  });

  it("[WQ8] with drain, waits again when asked again after such a shutDown", async () => {
    const { clock, queue } = clocked();
    queue.add("a");
    await takeNow(queue);
    const aborted = queue.shutDownWithDrain();
    queue.shutDown();
    await aborted;
    let isDrained = false;
    const draining = queue.shutDownWithDrain().then(() => {
      isDrained = true;
    });
    await clock.settle();
    expect(isDrained).toBe(false);
    queue.done("a");
    await draining;
  });

  it("[WQ8] with drain, stops waiting when its signal aborts", async () => {
    const { queue } = clocked();
    queue.add("stuck");
    await takeNow(queue);
    const abort = new AbortController();
    const draining = queue.shutDownWithDrain(abort.signal);
    const reason = new Error("grace period is over");
    abort.abort(reason);
    await expect(draining).rejects.toBe(reason);
  });
});
