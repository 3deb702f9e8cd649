import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { conflict } from "../status/api-error.ts";
import { type KeyLoop, type KeyLoopOptions, parseLoopKey, startKeyLoop } from "./key-loop.ts";

interface Loop {
  readonly clock: VirtualClock;
  readonly loop: KeyLoop;
  readonly errors: unknown[];
  readonly ending: AbortController;
}

function loopOf(reconcile: KeyLoopOptions["reconcile"], workers?: number): Loop {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const ending = new AbortController();
  const context = {
    clock,
    signal: ending.signal,
    reportError: (_name: string, error: unknown) => void errors.push(error),
  };
  const options = { name: "test", context, reconcile, ...(workers === undefined ? {} : { workers }) };
  return { clock, errors, ending, loop: startKeyLoop(options) };
}

describe("a key loop", () => {
  it("runs a key once for many calls, and not within the call", async () => {
    const runs: string[] = [];
    const { loop, clock } = loopOf(async (key) => void runs.push(key));
    for (const key of ["a", "b", "a"]) loop.enqueue(key);
    expect(runs).toEqual([]);
    await clock.settle();
    expect(runs).toEqual(["a", "b"]);
    await loop.stop();
  });

  it("never runs a key twice at once, and runs it again if it was enqueued meanwhile", async () => {
    let running = 0;
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const { loop, clock } = loopOf(async () => {
      runs++;
      running++;
      expect(running).toBe(1);
      await gate.promise;
      running--;
    });
    loop.enqueue("a");
    await clock.settle();
    loop.enqueue("a");
    loop.enqueue("a");
    await clock.settle();
    expect(runs).toBe(1);
    gate.resolve();
    await clock.settle();
    expect(runs).toBe(2);
    await loop.stop();
  });

  it("works on as many keys at once as it has workers", async () => {
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const { loop, clock } = loopOf(async () => {
      running++;
      await gate.promise;
    }, 2);
    for (const key of ["a", "b", "c"]) loop.enqueue(key);
    await clock.settle();
    expect(running).toBe(2);
    gate.resolve();
    await clock.settle();
    expect(running).toBe(3);
    await loop.stop();
  });

  it("tries again after an error, later each time, and reports the error", async () => {
    const times: number[] = [];
    const { loop, clock, errors } = loopOf(async () => {
      times.push(clock.monotonicNow());
      if (times.length < 4) throw new Error("no");
    });
    loop.enqueue("a");
    await clock.advance(1000);
    expect(times).toEqual([0, 5, 15, 35]);
    expect(errors).toHaveLength(3);
    expect(clock.pendingTimers).toEqual([]);
    await loop.stop();
  });

  it("takes a conflict for what it is, and reports none", async () => {
    let runs = 0;
    const { loop, clock, errors } = loopOf(async () => {
      if (runs++ === 0) throw conflict({ group: "", plural: "pods" }, "a", "changed");
    });
    loop.enqueue("a");
    await clock.advance(10);
    expect(runs).toBe(2);
    expect(errors).toEqual([]);
    await loop.stop();
  });

  it("runs a key at the earliest of the requested times", async () => {
    const times: number[] = [];
    const { loop, clock } = loopOf(async () => void times.push(clock.monotonicNow()));
    loop.enqueueAfter("a", 100);
    loop.enqueueAfter("a", 50);
    loop.enqueueAfter("a", 70);
    await clock.advance(1000);
    expect(times).toEqual([50]);
    await loop.stop();
  });

  it("comes to an end: waits for what runs, and leaves no timer", async () => {
    const gate = Promise.withResolvers<void>();
    let ended = false;
    const { loop, clock } = loopOf(async () => {
      await gate.promise;
      ended = true;
    });
    loop.enqueue("a");
    loop.enqueueAfter("b", 100);
    await clock.settle();
    const stopped = loop.stop();
    loop.enqueue("c");
    gate.resolve();
    await stopped;
    expect(ended).toBe(true);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("begins nothing any more once the signal has fired", async () => {
    let runs = 0;
    const { loop, clock, ending } = loopOf(async () => void runs++);
    loop.enqueueAfter("a", 10);
    ending.abort();
    loop.enqueue("b");
    await clock.advance(100);
    expect(runs).toBe(0);
    await loop.stop();
  });

  it("yields to other tasks during a long series of runs", async () => {
    let runs = 0;
    const { loop, clock } = loopOf(async () => void runs++);
    for (let index = 0; index < 500; index++) loop.enqueue(`key-${index}`);
    await clock.settle();
    expect(runs).toBeLessThan(500);
    await clock.advance(0);
    expect(runs).toBe(500);
    await loop.stop();
  });
});

it("keys of loops name an object with or without a namespace", () => {
  expect(parseLoopKey("shop/web")).toEqual({ namespace: "shop", name: "web" });
  expect(parseLoopKey("node-1")).toEqual({ name: "node-1" });
});
