import { createClient } from "@keelson/client";
import { sleep } from "@keelson/core";
import { RecordingLogger } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { controllerWorld, silentTransport } from "../../test/support/controller-world.ts";
import { Hooks } from "../hooks.ts";
import type { RateLimiter } from "../queue/rate-limiter.ts";
import type { ControllerObserver } from "./controller-observer.ts";
import { guardedTracer } from "./guarded-hooks.ts";
import type { ControllerTracer, RunTrace } from "./run-tracer.ts";

const broken = (): never => {
  throw new Error("the hook is broken");
};

const brokenLimiter: RateLimiter = { when: broken, forget: broken, numRequeues: broken };

const brokenObserver: ControllerObserver = {
  queueObserver: () => ({
    unfinishedWork: broken,
    added: broken,
    depthChanged: broken,
    waited: broken,
    worked: broken,
    retried: broken,
  }),
  hotLoopObserver: broken,
  started: broken,
  activeChanged: broken,
  reconciled: broken,
  failed: broken,
  failedTerminally: broken,
  panicked: broken,
  timedOut: broken,
  eventLoopBlocked: broken,
  handlerFailed: broken,
};

const brokenTrace: RunTrace = { around: broken, layer: broken, end: broken };

/** The hooks that were reported, without duplicates being removed. */
function reportedHooks(log: RecordingLogger): readonly unknown[] {
  return log.lines.flatMap(({ fields }) => (fields?.hook === undefined ? [] : [fields.hook])).sort();
}

describe("a controller", () => {
  it.each<[string, ControllerTracer]>([
    ["and its traces", { tracerOf: () => () => brokenTrace }],
    ["and its run tracer", { tracerOf: () => broken }],
    ["and its tracer", { tracerOf: broken }],
  ])(
    "[MG12] reconciles, retries and stops while its limiter, its observer, its event recorder %s throw",
    async (_, tracer) => {
      const ran: string[] = [];
      const world = controllerWorld({
        backoff: () => brokenLimiter,
        environment: { observer: brokenObserver, tracer, events: { record: broken } },
        reconcile: async ({ key, failures, events, client }) => {
          ran.push(`${key} ${failures}`);
          expect(client).toBeDefined();
          events.record(
            { apiVersion: "v1", kind: "Pod", metadata: { name: key } },
            { type: "Normal", reason: "Ran", message: "it ran" },
          );
          if (key === "fails") throw new Error("no");
        },
      });
      await world.start();
      for (const key of ["fails", "good"]) world.source.add(key);
      await world.clock.settle();
      expect(ran).toEqual(["fails 0", "good 0"]);
      await world.clock.advance(60_000);
      expect(ran).toEqual(["fails 0", "good 0", "fails 0"]);
      await world.stop();
      const reported = reportedHooks(world.log);
      expect(reported).toEqual([...new Set(reported)]);
      expect(reported).toEqual(
        expect.arrayContaining([
          "numRequeues of the rate limiter",
          "when of the rate limiter",
          "reconciled of the controller observer",
          "added of the queue observer",
          "record of the event recorder",
        ]),
      );
    },
  );

  it("[MG12] goes on while its logger throws, also in a timer", async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error): void => {
      if (warning.name === "KeelsonLogger") warnings.push(warning);
    };
    process.on("warning", listener);
    const log = { debug: broken, info: broken, warn: broken, error: broken, with: broken };
    const ran: string[] = [];
    const world = controllerWorld({
      environment: { log },
      timeoutMs: 1_000,
      reconcile: async ({ key }) => {
        ran.push(key);
        // It ignores its signal, so that the warning about the overdue run is logged by a timer.
        if (key === "slow") await sleep(world.clock, 30_000);
        throw new Error("no");
      },
    });
    await world.start();
    world.source.add("slow");
    await world.clock.advance(30_000);
    world.source.add("good");
    await world.clock.settle();
    expect(ran).toEqual(["slow", "good"]);
    await world.stop();
    process.off("warning", listener);
    expect(warnings.map(({ message }) => message)).toEqual([
      "write to the log: the hook is broken; further errors of this logger are not reported",
    ]);
  });
});

describe("a guarded trace", () => {
  const traceOf = (trace: RunTrace) => {
    const log = new RecordingLogger();
    const traceRun = guardedTracer({ tracerOf: () => () => trace }, { name: "test" }, new Hooks(log));
    const made = traceRun?.({ key: "a", keyText: "a", reconcileId: "1", priority: 0, queuedMs: 0 });
    if (made === undefined) throw new Error("no trace was made");
    return { log, trace: made };
  };
  const inner = { layer: broken, end: broken };

  it("[MG12] calls the reconciler once, whenever the trace throws", () => {
    for (const around of [
      broken,
      <Value>(reconcile: () => Value): Value => {
        reconcile();
        return broken();
      },
    ]) {
      const { log, trace } = traceOf({ ...inner, around });
      let calls = 0;
      expect(
        trace.around(() => {
          calls++;
          return "result";
        }),
      ).toBe("result");
      expect(calls).toBe(1);
      expect(reportedHooks(log)).toEqual(["around of the trace"]);
    }
  });

  it("[MG12] throws what the reconciler threw, and reports only what it did not", () => {
    const mistake = new Error("no");
    const fail = (): never => {
      throw mistake;
    };
    const faithful = traceOf({ ...inner, around: (reconcile) => reconcile() });
    expect(() => faithful.trace.around(fail)).toThrow(mistake);
    expect(reportedHooks(faithful.log)).toEqual([]);
    const unfaithful = traceOf({
      ...inner,
      around: (reconcile) => {
        try {
          return reconcile();
        } catch {
          return broken();
        }
      },
    });
    expect(() => unfaithful.trace.around(fail)).toThrow(mistake);
    expect(reportedHooks(unfaithful.log)).toEqual(["around of the trace"]);
  });

  it("[MG12] leaves the calls of a run as they are if its layer throws", () => {
    const { trace } = traceOf(brokenTrace);
    const { caller } = createClient({ transport: silentTransport });
    expect(trace.layer(caller)).toBe(caller);
  });
});
