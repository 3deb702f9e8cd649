import { createClient } from "@keelson/client";
import { seededRandom, sleep } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import {
  BusyClock,
  controllerWorld,
  emptyCache,
  silentTransport,
  ThrottledClock,
  type World,
  type WorldOptions,
} from "../../test/support/controller-world.ts";
import { silentLogger } from "../logger.ts";
import { WorkQueue } from "../queue/work-queue.ts";
import { CausalLog } from "./causal/causal-log.ts";
import { ReconcilerBrokenError, ReconcileTimeoutError } from "./errors.ts";
import { noEvents } from "./event-recorder.ts";
import { type ReconcileContext, type ReconcileResult, TerminalError } from "./reconciler.ts";
import { Workers } from "./workers.ts";

interface Scene extends World {
  /** When each reconcile began, by key. */
  readonly runs: { readonly key: string; readonly atMs: number; readonly failures: number }[];
}

/** A controller that runs, whose reconciles end as the script defines, one after the other; then with nothing. */
async function scene(
  script: readonly (ReconcileResult | Error)[],
  options: Partial<WorldOptions> = {},
): Promise<Scene> {
  const runs: Scene["runs"][number][] = [];
  const steps = [...script];
  const clock = options.clock ?? new VirtualClock();
  const world = controllerWorld({
    clock,
    reconcile: ({ key, failures }) => {
      runs.push({ key, atMs: clock.monotonicNow(), failures });
      const step = steps.shift();
      if (step instanceof Error) throw step;
      return step;
    },
    ...options,
  });
  await world.start();
  return Object.assign(world, { runs });
}

/** The moments at which something ran. */
const times = ({ runs }: Scene): readonly number[] => runs.map(({ atMs }) => atMs);

/** A reconciler that goes on until the test lets it. */
function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const contexts: ReconcileContext<string>[] = [];
  const reconcile = async (context: ReconcileContext<string>): Promise<void> => {
    contexts.push(context);
    await opened;
  };
  return { open, contexts, reconcile };
}

describe("the result table", () => {
  it("[CT1] [RL1] tries again after an error, later each time, and goes on with other keys", async () => {
    const world = await scene([new Error("1"), new Error("2"), undefined]);
    world.source.add("a");
    await world.clock.settle();
    world.source.add("b");
    await world.clock.advance(1000);
    expect(world.runs).toEqual([
      { key: "a", atMs: 0, failures: 0 },
      { key: "b", atMs: 0, failures: 0 },
      { key: "a", atMs: 5, failures: 1 },
      { key: "b", atMs: 5, failures: 1 },
    ]);
    expect(world.observer).toMatchObject({ failures: 2, terminalFailures: 0, panics: 0 });
    expect(world.observer.results).toEqual(["error", "error", "success", "success"]);
    await world.stop();
  });

  it("[CT1] an asynchronous failure is one as well, and is logged with what comes next", async () => {
    let isBroken = true;
    const world = await scene([], {
      reconcile: async () => {
        if (isBroken) throw new Error("no connection");
      },
    });
    world.source.add("a");
    await world.clock.settle();
    isBroken = false;
    await world.clock.advance(10);
    expect(world.observer.results).toEqual(["error", "success"]);
    const [line] = world.log.lines.filter(({ level }) => level === "error");
    expect(line?.fields).toMatchObject({ error: new Error("no connection"), retryInMs: 5 });
    await world.stop();
  });

  it("[CT2] does not try again after a terminal error, and keeps the count of failures", async () => {
    const world = await scene([
      new Error("1"),
      new Error("2", { cause: new TerminalError("never") }),
      undefined,
    ]);
    world.source.add("a");
    await world.clock.advance(3_600_000);
    expect(times(world)).toEqual([0, 5]);
    expect(world.observer).toMatchObject({ failures: 2, terminalFailures: 1, results: ["error", "error"] });
    world.source.add("a");
    await world.clock.settle();
    expect(world.runs.at(-1)).toMatchObject({ failures: 1 });
    await world.stop();
  });

  it("[CT3] runs again after the time that was asked for, and forgets the failures", async () => {
    const world = await scene([
      new Error("1"),
      new Error("2"),
      { requeueAfterMs: 1000 },
      new Error("3"),
      undefined,
    ]);
    world.source.add("a");
    await world.clock.advance(5000);
    expect(times(world)).toEqual([0, 5, 15, 1015, 1020]);
    expect(world.observer.results).toEqual(["error", "error", "requeue_after", "error", "success"]);
    await world.stop();
  });

  it("[CT4] runs again after a back-off, which grows like that of failures", async () => {
    const world = await scene([{ requeue: true }, { requeue: true }, new Error("1"), undefined]);
    world.source.add("a");
    await world.clock.advance(5000);
    expect(times(world)).toEqual([0, 5, 15, 35]);
    expect(world.observer.results).toEqual(["requeue", "requeue", "error", "success"]);
    expect(world.observer.failures).toBe(1);
    await world.stop();
  });

  it("[CT5] forgets the failures when it succeeds, and only then", async () => {
    const world = await scene([new Error("1"), new Error("2"), undefined, new Error("3"), undefined]);
    world.source.add("a");
    await world.clock.advance(1000);
    expect(times(world)).toEqual([0, 5, 15]);
    world.source.add("a");
    await world.clock.advance(1000);
    expect(times(world)).toEqual([0, 5, 15, 1000, 1005]);
    await world.stop();
  });

  it("[CT6] ignores what an error requests, and logs it", async () => {
    const world = await scene([Object.assign(new Error("1"), { requeueAfterMs: 60_000 }), undefined]);
    world.source.add("a");
    await world.clock.advance(1000);
    expect(times(world)).toEqual([0, 5]);
    expect(world.log.messages("warn")).toEqual([expect.stringContaining("that is ignored")]);
    await world.stop();
  });

  it("[CT7] an event that comes while a key fails is one with its retry, also if another worker is free", async () => {
    const { promise: failed, reject: fail } = Promise.withResolvers<void>();
    let runs = 0;
    const world = await scene([], {
      concurrency: 2,
      reconcile: () => {
        runs++;
        return runs === 1 ? failed : undefined;
      },
    });
    world.source.add("a");
    await world.clock.settle();
    world.source.add("a");
    await world.clock.settle();
    expect(runs).toBe(1);
    fail(new Error("no"));
    await world.clock.settle();
    await world.clock.advance(3_600_000);
    expect(runs).toBe(2);
    const [again] = world.controller.causalLog.runs("a");
    expect(again?.reasons.map(({ type }) => type)).toEqual(["update", "retry"]);
    await world.stop();
  });

  it("[CT7] an event that comes while a key runs makes it run once more, not lost and not twice", async () => {
    const first = gate();
    let runs = 0;
    const world = await scene([], {
      reconcile: async (context) => {
        runs += 1;
        if (runs === 1) await first.reconcile(context);
        return runs === 1 ? { requeueAfterMs: 1000 } : undefined;
      },
    });
    world.source.add("a");
    await world.clock.settle();
    world.source.add("a");
    world.source.add("a");
    await world.clock.settle();
    expect(runs).toBe(1);
    first.open();
    await world.clock.settle();
    expect(runs, "the event ends the wait that the result asks for").toBe(2);
    await world.clock.advance(10_000);
    expect(runs).toBe(2);
    await world.stop();
  });
});

describe("priorities", () => {
  /** With which priority a key runs, at first and then again. */
  async function priorities(first: ReconcileResult | Error): Promise<readonly (number | undefined)[]> {
    const world = await scene([first]);
    world.source.add("a", { priority: 10 });
    await world.clock.advance(1000);
    const found = world.controller.causalLog.runs("a").map(({ priority }) => priority);
    await world.stop();
    return found.toReversed();
  }

  it.each<[string, ReconcileResult | Error]>([
    ["an error", new Error("1")],
    ["a back-off", { requeue: true }],
    ["a delay", { requeueAfterMs: 100 }],
  ])("[PQ9] %s keeps the priority that the run had", async (_, result) => {
    expect(await priorities(result)).toEqual([10, 10]);
  });

  it.each<[string, ReconcileResult]>([
    ["a back-off", { requeue: true, priority: 99 }],
    ["a delay", { requeueAfterMs: 100, priority: 99 }],
  ])("[PQ9] %s may carry another priority", async (_, result) => {
    expect(await priorities(result)).toEqual([10, 99]);
  });
});

describe("workers", () => {
  it("[CT8] runner_should_never_run_two_instances_at_once: one key is never run twice at once", async () => {
    const { open, contexts, reconcile } = gate();
    const world = await scene([], { reconcile, concurrency: 4 });
    for (let i = 0; i < 5; i++) {
      world.source.add("a");
      await world.clock.settle();
    }
    expect(contexts).toHaveLength(1);
    open();
    await world.clock.settle();
    expect(contexts).toHaveLength(2);
    await world.stop();
  });

  it("[CT8] runner_should_respect_max_concurrent_executions: at most so many keys run at once", async () => {
    const { open, contexts, reconcile } = gate();
    const world = await scene([], { reconcile, concurrency: 3 });
    for (let i = 0; i < 10; i++) world.source.add(`key-${i}`);
    await world.clock.settle();
    expect(contexts).toHaveLength(3);
    expect(world.observer).toMatchObject({ workers: 3, active: 3 });
    open();
    await world.clock.settle();
    expect(contexts).toHaveLength(10);
    expect(world.observer).toMatchObject({ mostActive: 3, active: 0 });
    await world.stop();
  });

  it("lets timers and sockets have their turn while there is always more to do", async () => {
    const clock = new BusyClock();
    let runs = 0;
    let runsAtTimer: number | undefined;
    const world = controllerWorld({
      reconcile: () => {
        runs += 1;
        clock.work(1);
        if (runs < 1000) world.source.add("a");
      },
      environment: { clock },
      clock: clock.virtual,
    });
    await world.start();
    clock.schedule(0, () => {
      runsAtTimer = runs;
    });
    world.source.add("a");
    await clock.virtual.advance(10_000);
    expect(runs).toBe(1000);
    expect(runsAtTimer).toBeLessThan(20);
    expect(world.observer.blocks, "and is not taken for something that blocks").toEqual([]);
    await world.stop();
  });
});

describe("mistakes in a reconciler", () => {
  it("[CT9] are errors like any other by default, and are counted", async () => {
    const world = await scene([new TypeError("x is not a function"), undefined]);
    world.source.add("a");
    await world.clock.advance(1000);
    expect(world.observer).toMatchObject({ panics: 1, failures: 1, results: ["error", "success"] });
    await world.stop();
  });

  it("[CT9] what is not an Error is one", async () => {
    let runs = 0;
    const world = await scene([], {
      reconcile: async () => {
        runs += 1;
        // biome-ignore lint/style/useThrowOnlyError: this is what the test is about
        if (runs === 1) throw "text";
      },
    });
    world.source.add("a");
    await world.clock.advance(1000);
    expect(runs).toBe(2);
    expect(world.observer).toMatchObject({ panics: 1, failures: 1 });
    await world.stop();
  });

  const oddities: readonly (readonly [string, unknown])[] = [
    ["an object without a prototype", Object.create(null)],
    ["an Error whose message is undefined", Object.assign(new Error("x"), { message: undefined })],
    ["an Error whose message is an object", Object.assign(new Error("x"), { message: { code: 1 } })],
  ];

  it.each(oddities)("[CT9] go on to the next key also after %s", async (_, thrown) => {
    const good: string[] = [];
    const world = await scene([], {
      reconcile: ({ key }) => {
        if (key === "bad") throw thrown;
        if (key === "bad later") return Promise.reject(thrown);
        if (key === "bad result") return Promise.resolve({ requeueAfterMs: Object.create(null) });
        good.push(key);
        return undefined;
      },
    });
    for (const key of ["bad", "bad later", "bad result", "good"]) world.source.add(key);
    await world.clock.settle();
    expect(good).toEqual(["good"]);
    expect(world.observer.failures).toBe(3);
    expect(world.controller.causalLog.runs("bad")[0]?.error).toBeTypeOf("string");
    await world.clock.advance(5);
    expect(world.observer.failures).toBe(6);
    await world.stop();
  });

  it("[CT9] lose no key when what follows from them fails: a logger, a rate limiter, a reason", async () => {
    const broken = (): never => {
      throw new Error("broken");
    };
    const log = { debug: broken, info: () => undefined, warn: broken, error: broken, with: () => log };
    const limiter = { when: broken, forget: () => undefined, numRequeues: () => 0 };
    const ran: string[] = [];
    const world = await scene([], {
      environment: { log },
      backoff: () => limiter,
      reconcile: ({ key }) => {
        ran.push(key);
        if (key === "fails") throw new Error("no");
        return key === "requeues" ? { requeue: true } : undefined;
      },
    });
    const keys = ["fails", "requeues", "good"];
    const trigger = { source: "test", type: "update", changedPaths: broken } as const;
    for (const key of keys) world.source.context?.enqueue(key, { trigger });
    await world.clock.settle();
    expect(ran).toEqual(keys);
    expect(world.controller.causalLog.runs("good")[0]?.reasons).toEqual([{ source: "test", type: "update" }]);
    await world.clock.advance(60_000);
    expect(ran).toEqual([...keys, "fails", "requeues"]);
    await world.stop();
  });

  it("[CT9] end the controller if it is not to recover, after all else has ended", async () => {
    const signals: AbortSignal[] = [];
    const mistake = new TypeError("x is not a function");
    const world = await scene([], {
      recoverFromThrows: false,
      concurrency: 2,
      reconcile: async (context) => {
        if (context.key === "bad") throw mistake;
        signals.push(context.signal);
        await sleep(world.clock, 60_000, context.signal);
      },
    });
    world.source.add("good");
    world.source.add("bad");
    const failure = await world.running.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ReconcilerBrokenError);
    expect(failure).toMatchObject({ key: "bad", controller: "test", cause: mistake });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(world.source.isStopped).toBe(true);
    expect(world.observer).toMatchObject({ active: 0, panics: 1 });
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT9] an ordinary error does not end it", async () => {
    const world = await scene([new Error("1")], { recoverFromThrows: false });
    world.source.add("a");
    await world.clock.advance(1000);
    expect(times(world)).toEqual([0, 5]);
    await world.stop();
  });
});

describe("time limits", () => {
  it("[CT10] counts a reconcile whose signal aborted because its time was over", async () => {
    const world = await scene([], {
      timeoutMs: 100,
      reconcile: ({ signal }) => sleep(world.clock, 60_000, signal),
    });
    world.source.add("a");
    await world.clock.advance(100);
    expect(world.observer).toMatchObject({ timeouts: 1, failures: 1, results: ["error"] });
    const [line] = world.log.lines.filter(({ level }) => level === "error");
    expect(line?.fields.error).toBeInstanceOf(ReconcileTimeoutError);
    expect(world.controller.causalLog.runs("a")[0]?.result).toBe("timeout");
    await world.stop();
  });

  it("[CT10] does not count one that gave up by itself before", async () => {
    const world = await scene([], {
      timeoutMs: 10_000,
      reconcile: async ({ signal }) => {
        const own = new AbortController();
        world.clock.schedule(10, () => own.abort(new Error("enough")));
        await sleep(world.clock, 60_000, AbortSignal.any([signal, own.signal]));
      },
    });
    world.source.add("a");
    await world.clock.advance(12);
    expect(world.observer).toMatchObject({ timeouts: 0, failures: 1 });
    await world.stop();
  });

  it("[CT10] does not count one that ended in time", async () => {
    const world = await scene([], { timeoutMs: 100, reconcile: () => sleep(world.clock, 99) });
    world.source.add("a");
    await world.clock.advance(1000);
    expect(world.observer).toMatchObject({ timeouts: 0, results: ["success"] });
    expect(world.clock.pendingTimers).toEqual([]);
    await world.stop();
  });

  it("[CT10] counts each of several", async () => {
    const world = await scene([], {
      timeoutMs: 100,
      concurrency: 3,
      reconcile: ({ signal }) => sleep(world.clock, 60_000, signal),
    });
    for (const key of ["a", "b", "c"]) world.source.add(key);
    await world.clock.advance(100);
    expect(world.observer.timeouts).toBe(3);
    await world.stop();
  });

  it("[CT10] does not count one that the controller's stop ended", async () => {
    const world = await scene([], {
      timeoutMs: 100,
      reconcile: ({ signal }) => sleep(world.clock, 60_000, signal),
    });
    world.source.add("a");
    await world.clock.advance(50);
    await world.stop();
    await world.clock.advance(1000);
    expect(world.observer).toMatchObject({ timeouts: 0, failures: 0, results: [] });
  });

  it("[CT10] there is none unless it is set", async () => {
    const world = await scene([], { reconcile: ({ signal }) => sleep(world.clock, 3_600_000, signal) });
    world.source.add("a");
    await world.clock.advance(10_000);
    expect(world.observer).toMatchObject({ timeouts: 0, active: 1 });
    await world.stop();
  });

  it("[CT10] a reconcile that ignores its signal keeps its key to itself, and is logged once", async () => {
    const { open, contexts, reconcile } = gate();
    const world = await scene([], { reconcile, concurrency: 2, timeoutMs: 100 });
    world.source.add("a");
    await world.clock.advance(100);
    expect(contexts[0]?.signal.aborted).toBe(true);
    world.source.add("a");
    await world.clock.advance(60_000);
    expect(contexts).toHaveLength(1);
    expect(world.log.messages("warn")).toEqual([expect.stringContaining("overdue")]);
    open();
    await world.clock.settle();
    expect(contexts, "the event that came meanwhile is not lost").toHaveLength(2);
    expect(world.observer).toMatchObject({ timeouts: 1, results: ["success", "success"] });
    await world.stop();
    expect(world.clock.pendingTimers).toEqual([]);
  });
});

describe("blocking the event loop", () => {
  async function blockedScene(reconcile: (clock: BusyClock) => WorldOptions["reconcile"]) {
    const clock = new BusyClock();
    const world = controllerWorld({
      reconcile: reconcile(clock),
      environment: { clock },
      clock: clock.virtual,
    });
    await world.start();
    world.source.add("a");
    await clock.virtual.advance(1000);
    await world.stop();
    return world;
  }

  it("[CT19] is reported for what a reconcile does before it waits, with controller and key", async () => {
    const world = await blockedScene((clock) => () => clock.work(80));
    expect(world.observer.blocks).toEqual([80]);
    expect(world.log.lines.find(({ level }) => level === "warn")?.fields).toMatchObject({
      controller: "test",
      key: "a",
      blockedMs: 80,
    });
  });

  it("[CT19] is not reported for a time in which the process did not get the CPU", async () => {
    const throttled = new ThrottledClock();
    const world = controllerWorld({
      concurrency: 3,
      reconcile: async ({ key }) => {
        throttled.work(key === "guilty" ? 60 : 1);
        throttled.stall(100);
        await sleep(throttled, 20);
      },
      environment: { clock: throttled },
      clock: throttled.virtual,
    });
    await world.start();
    for (const key of ["a", "b", "guilty", "c"]) world.source.add(key);
    await throttled.virtual.advance(1_000);
    await world.stop();
    expect(world.observer.blocks).toEqual([60]);
    expect(world.log.lines.filter(({ level }) => level === "warn").map(({ fields }) => fields?.key)).toEqual([
      "guilty",
    ]);
  });

  it("[CT19] is logged once in 10 s, and counted each time", async () => {
    const clock = new BusyClock();
    const world = controllerWorld({
      reconcile: () => clock.work(80),
      environment: { clock },
      clock: clock.virtual,
    });
    await world.start();
    for (let second = 0; second < 13; second++) {
      world.source.add("a");
      await clock.virtual.advance(1_000);
    }
    await world.stop();
    expect(world.observer.blocks).toHaveLength(13);
    const warned = world.log.lines
      .filter(({ level }) => level === "warn")
      .map(({ fields }) => fields?.notLogged);
    expect(warned).toEqual([undefined, 9]);
  });

  it("[CT19] is not reported for 50 ms or less", async () => {
    const world = await blockedScene((clock) => () => clock.work(50));
    expect(world.observer.blocks).toEqual([]);
  });
});

describe("back-off that holds", () => {
  it("RetryIntervalHonoredOnFrequentEventsIT: a flood of events does not get round it", async () => {
    const failures = Array.from({ length: 5 }, (_, i) => new Error(String(i)));
    const world = await scene(failures, { backoff: "oneSecondToFiveMinutes", holdBackoff: true });
    world.source.add("a");
    for (let i = 0; i < 70; i++) {
      await world.clock.advance(100);
      world.source.add("a");
    }
    expect(times(world)).toEqual([0, 1000, 3000, 7000]);
    await world.stop();
  });

  it("[PQ4] without it an event makes the key run at once, as in Go", async () => {
    const world = await scene([new Error("1"), new Error("2")], { backoff: "oneSecondToFiveMinutes" });
    world.source.add("a");
    await world.clock.advance(100);
    world.source.add("a");
    await world.clock.advance(100);
    expect(times(world)).toEqual([0, 100]);
    await world.stop();
  });
});

describe("keys that write without end", () => {
  it("run no more often than the guard allows, with their reasons kept, while other keys are as quick as ever", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue<string>({ clock, formatKey: (key) => key });
    const runs: string[] = [];
    const client = createClient({ transport: silentTransport, clock });
    const workers = new Workers<string>({
      controller: "test",
      concurrency: 1,
      timeoutMs: undefined,
      recoverFromThrows: true,
      reconcile: ({ key, reasonCount }) => {
        runs.push(`${key} at ${clock.monotonicNow()} for ${reasonCount}`);
      },
      queue,
      clock,
      observer: undefined,
      services: {
        clock,
        settings: undefined,
        fieldOwner: "test",
        liveClient: client,
        cachedClient: client,
        cache: emptyCache,
        log: silentLogger,
        events: noEvents,
        random: seededRandom(1),
        causalLog: new CausalLog({ clock }),
        guard: { holdMs: (key) => (key === "hot" ? 1000 : 0), layer: (_, next) => next },
        fieldsOf: (key) => ({ key }),
      },
    });
    const running = workers.run();
    for (let i = 0; i < 15; i++) {
      for (const key of ["hot", "cold"]) queue.add(key, { trigger: { source: "test", type: "update" } });
      await clock.advance(100);
    }
    workers.stop(new Error("over"));
    await running;
    expect(runs.filter((run) => run.startsWith("hot"))).toEqual(["hot at 0 for 1", "hot at 1000 for 9"]);
    expect(runs.filter((run) => run.startsWith("cold"))).toHaveLength(15);
    expect(clock.pendingTimers).toEqual([]);
  });
});
