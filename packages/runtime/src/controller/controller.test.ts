import { type Resource, sleep } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { controllerWorld, emptyCache, readySource, TestSource } from "../../test/support/controller-world.ts";
import {
  ControllerReusedError,
  ControllerStoppedError,
  InvalidControllerError,
  SourceFailedError,
  SourceSyncTimeoutError,
} from "./errors.ts";
import type { ReconcileContext } from "./reconciler.ts";

const nothing = () => undefined;

describe("starting", () => {
  it("[CT12] runner_should_wait_for_readiness: reconciles nothing before every source has synced", async () => {
    const keys: string[] = [];
    const sources = [new TestSource("one"), new TestSource("other")];
    const world = controllerWorld({ sources, reconcile: ({ key }) => void keys.push(key) });
    await world.start();
    for (const source of sources) source.add(source.name);
    sources[0]?.sync();
    await world.clock.advance(1000);
    expect(keys).toEqual([]);
    sources[1]?.sync();
    await world.clock.settle();
    expect(keys.toSorted()).toEqual(["one", "other"]);
    await world.stop();
  });

  it("has a log of its runs that is its own, with the limits of the environment", async () => {
    const environment = { causalLog: { runsPerKey: 1 } };
    const worlds = ["one", "two"].map((name) =>
      controllerWorld({ reconcile: () => undefined, environment, definition: { name } }),
    );
    for (const { start, source, clock } of worlds) {
      await start();
      for (let run = 0; run < 2; run++) {
        source.add("shop/web");
        await clock.settle();
      }
    }
    expect(worlds.map(({ controller }) => controller.causalLog.runs("shop/web").length)).toEqual([1, 1]);
    for (const { stop } of worlds) await stop();
  });

  it("[EV13] drops keys of the main kind outside of the namespaces that the cache watches", async () => {
    const keys: string[] = [];
    const cache = {
      ...emptyCache,
      coversNamespace: (_: Resource, namespace: string) => namespace === "shop",
    };
    const world = controllerWorld({
      reconcile: ({ key }) => void keys.push(key),
      definition: { kind: ConfigMap, namespaceOf: (key) => key.split("/", 1)[0] ?? "" },
      environment: { cache },
    });
    await world.start();
    for (const key of ["shop/web", "farm/web", "shop/db"]) world.source.add(key);
    await world.clock.advance(60_000);
    expect(keys.toSorted()).toEqual(["shop/db", "shop/web"]);
    const dropped = world.log.lines.filter(({ message }) => message.includes("outside of the watched"));
    expect(dropped).toMatchObject([{ level: "debug", fields: { key: "farm/web" } }]);
    await world.stop();
  });

  it("[CT12] waits also for a source that is added while it waits for the others", async () => {
    const ran: string[] = [];
    const first = new TestSource("first");
    const second = new TestSource("second");
    const world = controllerWorld({
      sources: [first],
      reconcile: ({ key }) => {
        ran.push(key);
      },
    });
    await world.start();
    world.controller.watch(second);
    first.add("a");
    first.sync();
    await world.clock.settle();
    expect(ran).toEqual([]);
    second.add("b");
    second.sync();
    await world.clock.settle();
    expect(ran).toEqual(["a", "b"]);
    await world.stop();
  });

  it("[CT11] starts all sources at once", async () => {
    const sources = [new TestSource("one"), new TestSource("other")];
    const world = controllerWorld({ sources, reconcile: nothing });
    await world.start();
    expect(sources.map(({ starts }) => starts)).toEqual([1, 1]);
    await world.stop();
  });

  it("[CT11] fails with the names of the sources that have not synced in time, and ends the others", async () => {
    const sources = [readySource("quick"), new TestSource("slow"), new TestSource("stuck")];
    const world = controllerWorld({ sources, reconcile: nothing, cacheSyncTimeoutMs: 1000 });
    await world.start();
    await world.clock.advance(999);
    expect(sources.some(({ isStopped }) => isStopped)).toBe(false);
    const failure = await world.clock.runUntil(world.running.catch((error: unknown) => error));
    expect(failure).toBeInstanceOf(SourceSyncTimeoutError);
    expect(failure).toMatchObject({ sources: ["slow", "stuck"], timeoutMs: 1000, controller: "test" });
    expect(sources.every(({ isStopped }) => isStopped)).toBe(true);
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT11] waits two minutes for them by default", async () => {
    const source = new TestSource();
    const world = controllerWorld({ sources: [source], reconcile: nothing });
    await world.start();
    await world.clock.advance(119_999);
    source.sync();
    await world.clock.advance(1000);
    expect(world.observer.workers).toBe(1);
    await world.stop();
  });

  it("[CT11] fails when a source does, with its name and the reason", async () => {
    const source = new TestSource("watches secrets");
    const world = controllerWorld({ sources: [source], reconcile: nothing });
    await world.start();
    const cause = new Error("no such kind");
    source.fail(cause);
    const failure = await world.running.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SourceFailedError);
    expect(failure).toMatchObject({ source: "watches secrets", cause });
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT11] fails when a source cannot even be started", async () => {
    const broken = {
      name: "broken",
      run: () => {
        throw new Error("bad");
      },
    };
    const world = controllerWorld({ sources: [broken], reconcile: nothing });
    await world.start();
    await expect(world.running).rejects.toThrow("broken failed: bad");
  });

  it("[CT11] fails in bounded time even if a source neither syncs nor ends", async () => {
    const source = new TestSource();
    source.heedsSignal = false;
    const world = controllerWorld({ sources: [source], reconcile: nothing, cacheSyncTimeoutMs: 1000 });
    await world.start();
    const failure = await world.clock.runUntil(world.running.catch((error: unknown) => error));
    expect(failure).toBeInstanceOf(SourceSyncTimeoutError);
    expect(world.clock.monotonicNow()).toBeLessThanOrEqual(11_000);
  });

  it("[CT11] being stopped while it starts is not an error", async () => {
    const source = new TestSource();
    const world = controllerWorld({ sources: [source], reconcile: nothing });
    await world.start();
    await world.stop();
    expect(source.isStopped).toBe(true);
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT11] being stopped before it starts is not an error either, and starts nothing", async () => {
    const source = new TestSource();
    const world = controllerWorld({ sources: [source], reconcile: nothing });
    await world.controller.run(AbortSignal.abort());
    expect(source.starts).toBe(0);
  });

  it("[CT11] cannot be run twice", async () => {
    const world = controllerWorld({ reconcile: nothing });
    await world.start();
    await expect(world.controller.run(new AbortController().signal)).rejects.toThrow(ControllerReusedError);
    await world.stop();
    await expect(world.controller.run(new AbortController().signal)).rejects.toThrow(ControllerReusedError);
  });

  it("is not made with settings that cannot work, and reports all that is wrong", () => {
    const make = () =>
      controllerWorld({
        reconcile: nothing,
        concurrency: 0,
        timeoutMs: Number.NaN,
        environment: { concurrency: { default: 1.5 } },
      });
    expect(make).toThrow(InvalidControllerError);
    expect(make).toThrow(/concurrency is 0.*timeoutMs is NaN.*concurrency\.default is 1\.5/);
  });
});

describe("warming up", () => {
  it("[CT17] starts the sources and no worker; run then works off what has gathered", async () => {
    const keys: string[] = [];
    const world = controllerWorld({ reconcile: ({ key }) => void keys.push(key) });
    const signals = new AbortController();
    await world.controller.warmUp(signals.signal);
    world.source.add("a");
    await world.clock.advance(1000);
    expect(keys).toEqual([]);
    await world.start();
    expect(keys).toEqual(["a"]);
    expect(world.source.starts).toBe(1);
    await world.stop();
    await world.controller.ended();
  });

  it("[CT11] starts sources once however often and however concurrently it is called", async () => {
    const source = new TestSource();
    const world = controllerWorld({ sources: [source], reconcile: nothing });
    const { signal } = new AbortController();
    const calls = Array.from({ length: 10 }, () => world.controller.warmUp(signal));
    await world.start();
    expect(source.starts).toBe(1);
    source.sync();
    await Promise.all(calls);
    await world.clock.settle();
    expect(source.starts).toBe(1);
    expect(world.observer.workers).toBe(1);
    await world.stop();
  });

  it("[CT13] [CT17] starts a source that is added after it at once, and run waits for that too", async () => {
    const keys: string[] = [];
    const world = controllerWorld({ reconcile: ({ key }) => void keys.push(key) });
    await world.controller.warmUp(new AbortController().signal);
    const late = new TestSource("late");
    world.controller.watch(late);
    expect(late.starts).toBe(1);
    await world.start();
    world.source.add("a");
    await world.clock.settle();
    expect(keys).toEqual([]);
    late.sync();
    await world.clock.settle();
    expect(keys).toEqual(["a"]);
    await world.stop();
  });

  it("[CT17] fails as a start does, and so does a run after it", async () => {
    const source = new TestSource();
    const world = controllerWorld({ sources: [source], reconcile: nothing, cacheSyncTimeoutMs: 1000 });
    const warmUp = world.controller.warmUp(new AbortController().signal).catch((error: unknown) => error);
    const failure = await world.clock.runUntil(warmUp);
    expect(failure).toBeInstanceOf(SourceSyncTimeoutError);
    await world.start();
    await expect(world.running).rejects.toBe(failure);
  });

  it("[CT17] [MG10] leaves nothing when it ends without a run", async () => {
    const world = controllerWorld({ reconcile: nothing });
    const signals = new AbortController();
    await world.controller.warmUp(signals.signal);
    world.source.add("a", { afterMs: 1000 });
    signals.abort();
    await world.controller.ended();
    expect(world.source.isStopped).toBe(true);
    expect(world.clock.pendingTimers).toEqual([]);
  });
});

describe("sources that come and go", () => {
  it("[CT13] a source that is added while it runs begins at once", async () => {
    const keys: string[] = [];
    const world = controllerWorld({ reconcile: ({ key }) => void keys.push(key) });
    await world.start();
    const late = readySource("late");
    const watch = world.controller.watch(late);
    await watch.synced;
    late.add("a");
    await world.clock.settle();
    expect(keys).toEqual(["a"]);
    await world.stop();
    expect(late.isStopped).toBe(true);
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT13] a source that is added before the start begins with it", async () => {
    const world = controllerWorld({ reconcile: nothing });
    const early = readySource("early");
    world.controller.watch(early);
    expect(early.starts).toBe(0);
    await world.start();
    expect(early.starts).toBe(1);
    await world.stop();
  });

  it("[CT13] a source can be removed again, while the others go on", async () => {
    const world = controllerWorld({ reconcile: nothing });
    await world.start();
    const late = readySource("late");
    const watch = world.controller.watch(late);
    await watch.remove();
    await watch.remove();
    expect(late.isStopped).toBe(true);
    expect(world.source.isStopped).toBe(false);
    await world.stop();
  });

  it("[CT13] a source that is removed while the controller starts is not waited for any more", async () => {
    const stuck = new TestSource("stuck");
    const world = controllerWorld({ reconcile: nothing });
    const watch = world.controller.watch(stuck);
    await world.start();
    expect(world.observer.workers).toBe(0);
    await watch.remove();
    await world.clock.settle();
    expect(world.observer.workers).toBe(1);
    await world.stop();
  });

  it("[CT13] a late source that does not sync is logged, and the controller goes on", async () => {
    const world = controllerWorld({ reconcile: nothing, cacheSyncTimeoutMs: 1000 });
    await world.start();
    world.controller.watch(new TestSource("slow"));
    const failing = new TestSource("failing");
    const watch = world.controller.watch(failing);
    failing.fail(new Error("bad"));
    await expect(watch.synced).rejects.toThrow(SourceFailedError);
    await world.clock.advance(1000);
    const errors = world.log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields.error);
    expect(errors).toEqual([expect.any(SourceFailedError), expect.any(SourceSyncTimeoutError)]);
    world.source.add("a");
    await world.clock.settle();
    expect(world.observer.results).toEqual(["success"]);
    await world.stop();
  });

  it("refuses a source when it has stopped", async () => {
    const world = controllerWorld({ reconcile: nothing });
    await world.start();
    await world.stop();
    expect(() => world.controller.watch(readySource())).toThrow(ControllerStoppedError);
  });
});

describe("stopping", () => {
  it("[CT14] GracefulStopIT: aborts what runs, takes no new key, and ends with the last worker", async () => {
    const contexts: ReconcileContext<string>[] = [];
    const { promise: cleanedUp, resolve: cleanUp } = Promise.withResolvers<void>();
    const world = controllerWorld({
      concurrency: 2,
      reconcile: async (context) => {
        contexts.push(context);
        await sleep(world.clock, 60_000, context.signal).catch(() => undefined);
        if (context.key === "a") await cleanedUp;
      },
    });
    await world.start();
    for (const key of ["a", "b", "c"]) world.source.add(key);
    await world.clock.settle();
    let hasEnded = false;
    const reason = new Error("the operator stops");
    world.abort(reason);
    const ended = world.running.then(() => {
      hasEnded = true;
    });
    await world.clock.settle();
    expect(contexts.map(({ signal }) => signal.reason)).toEqual([reason, reason]);
    expect(hasEnded).toBe(false);
    cleanUp();
    await ended;
    expect(contexts.map(({ key }) => key)).toEqual(["a", "b"]);
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT14] what a stop aborts is neither a failure nor a success", async () => {
    const world = controllerWorld({
      concurrency: 2,
      reconcile: ({ key, signal }) =>
        sleep(world.clock, 60_000, signal).catch((error: unknown) => {
          throw key === "a" ? error : new Error("gave up", { cause: error });
        }),
    });
    await world.start();
    world.source.add("a");
    world.source.add("b");
    await world.clock.settle();
    await world.stop();
    expect(world.observer).toMatchObject({ active: 0, failures: 0, results: [] });
    expect(world.log.messages("error")).toEqual([]);
    expect(world.controller.causalLog.runs("a")[0]?.result).toBe("aborted");
  });

  it("[CT14] a failure of another kind while it stops is one", async () => {
    const world = controllerWorld({
      reconcile: async ({ signal }) => {
        await sleep(world.clock, 60_000, signal).catch(() => undefined);
        throw new Error("could not clean up");
      },
    });
    await world.start();
    world.source.add("a");
    await world.clock.settle();
    await world.stop();
    expect(world.observer).toMatchObject({ failures: 1, results: ["error"] });
  });

  it("[CT14] a reconcile that asks for its signal only after the stop finds it aborted", async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    let wasAborted: boolean | undefined;
    const world = controllerWorld({
      reconcile: async (context) => {
        await asked;
        wasAborted = context.signal.aborted;
      },
    });
    await world.start();
    world.source.add("a");
    await world.clock.settle();
    world.abort();
    ask();
    await world.running;
    expect(wasAborted).toBe(true);
  });

  it("[CT14] reports that the stop waits for a reconcile that ignores its signal", async () => {
    const { promise: over, resolve: finish } = Promise.withResolvers<void>();
    const world = controllerWorld({ reconcile: () => over });
    await world.start();
    world.source.add("a");
    await world.clock.settle();
    world.abort();
    await world.clock.advance(60_000);
    expect(world.log.messages("warn")).toEqual([expect.stringContaining("overdue")]);
    finish();
    await world.running;
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT14] reports that the stop waits for a source that ignores its signal", async () => {
    const source = readySource("deaf");
    source.heedsSignal = false;
    const world = controllerWorld({ reconcile: () => undefined, sources: [source, readySource("good")] });
    await world.start();
    world.abort();
    await world.clock.advance(9_999);
    expect(world.log.messages("warn")).toEqual([]);
    await world.clock.advance(1);
    expect(world.log.lines.filter(({ level }) => level === "warn")).toMatchObject([
      {
        message: expect.stringContaining("source is overdue"),
        fields: { source: "deaf", abortedForMs: 10_000 },
      },
    ]);
    source.end();
    await world.running;
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("[CT14] drops what is queued for later", async () => {
    const world = controllerWorld({ reconcile: () => ({ requeueAfterMs: 1000 }) });
    await world.start();
    world.source.add("a");
    await world.clock.settle();
    await world.stop();
    expect(world.clock.pendingTimers).toEqual([]);
    await world.clock.advance(10_000);
    expect(world.observer.results).toEqual(["requeue_after"]);
  });
});
