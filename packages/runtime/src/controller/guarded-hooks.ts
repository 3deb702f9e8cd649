import type { Hooks } from "../hooks.ts";
import type { QueueObserver } from "../queue/queue-observer.ts";
import type { RateLimiter } from "../queue/rate-limiter.ts";
import type { ControllerObserver } from "./controller-observer.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { HotLoopObserver } from "./guard/hot-loop-guard.ts";
import type { ControllerTracer, RunTrace, RunTracer } from "./run-tracer.ts";

/** The back-off of a key whose rate limiter threw. */
export const brokenBackoffMs = 60_000;

/** The rate limiter without its errors: a key whose delay is unknown waits for a minute. */
export function guardedLimiter(limiter: RateLimiter, hooks: Hooks): RateLimiter {
  return {
    when: (key) => {
      try {
        return limiter.when(key);
      } catch (error) {
        hooks.report("when of the rate limiter", error);
        return brokenBackoffMs;
      }
    },
    forget: hooks.guarded("forget of the rate limiter", (key) => limiter.forget(key)),
    numRequeues: (key) => {
      try {
        return limiter.numRequeues(key);
      } catch (error) {
        hooks.report("numRequeues of the rate limiter", error);
        return 0;
      }
    },
  };
}

/** The observer, and those that it returns, without their errors. */
export function guardedObserver(observer: ControllerObserver, hooks: Hooks): ControllerObserver {
  const guarded = <Args extends readonly unknown[]>(method: string, hook: (...args: Args) => unknown) =>
    hooks.guarded(`${method} of the controller observer`, hook);
  return {
    queueObserver: (controller) =>
      hooks.call(
        "queueObserver of the controller observer",
        () => guardedQueueObserver(observer.queueObserver(controller), hooks),
        () => undefined,
      ),
    hotLoopObserver: (controller) =>
      hooks.call(
        "hotLoopObserver of the controller observer",
        () => guardedHotLoopObserver(observer.hotLoopObserver(controller), hooks),
        () => undefined,
      ),
    started: guarded("started", (name, concurrency) => observer.started(name, concurrency)),
    activeChanged: guarded("activeChanged", (name, change) => observer.activeChanged(name, change)),
    reconciled: guarded("reconciled", (name, result, ms) => observer.reconciled(name, result, ms)),
    failed: guarded("failed", (name) => observer.failed(name)),
    failedTerminally: guarded("failedTerminally", (name) => observer.failedTerminally(name)),
    panicked: guarded("panicked", (name) => observer.panicked(name)),
    timedOut: guarded("timedOut", (name) => observer.timedOut(name)),
    eventLoopBlocked: guarded("eventLoopBlocked", (name, ms) => observer.eventLoopBlocked(name, ms)),
    handlerFailed: guarded("handlerFailed", (name, source, reason) =>
      observer.handlerFailed?.(name, source, reason),
    ),
  };
}

function guardedQueueObserver(observer: QueueObserver | undefined, hooks: Hooks): QueueObserver | undefined {
  if (observer === undefined) return undefined;
  const guarded = <Args extends readonly unknown[]>(method: string, hook: (...args: Args) => unknown) =>
    hooks.guarded(`${method} of the queue observer`, hook);
  return {
    unfinishedWork: guarded("unfinishedWork", (read) => observer.unfinishedWork(read)),
    added: guarded("added", () => observer.added()),
    depthChanged: guarded("depthChanged", (priority, change) => observer.depthChanged(priority, change)),
    waited: guarded("waited", (ms) => observer.waited(ms)),
    worked: guarded("worked", (ms) => observer.worked(ms)),
    retried: guarded("retried", () => observer.retried()),
  };
}

function guardedHotLoopObserver(
  observer: HotLoopObserver | undefined,
  hooks: Hooks,
): HotLoopObserver | undefined {
  if (observer === undefined) return undefined;
  const guarded = <Args extends readonly unknown[]>(method: string, hook: (...args: Args) => unknown) =>
    hooks.guarded(`${method} of the hot-loop observer`, hook);
  return {
    noopWrite: guarded("noopWrite", (target) => observer.noopWrite(target)),
    pingPong: guarded("pingPong", (report) => observer.pingPong(report)),
    selfWoken: guarded("selfWoken", (report) => observer.selfWoken?.(report)),
    replaced: guarded("replaced", (report) => observer.replaced?.(report)),
    slowed: guarded("slowed", (keyText, holdMs) => observer.slowed(keyText, holdMs)),
  };
}

/** The event recorder without its errors. */
export function guardedEvents(events: EventRecorder, hooks: Hooks): EventRecorder {
  return {
    record: (object, event) =>
      hooks.notify("record of the event recorder", () => events.record(object, event)),
  };
}

/** Traces the runs of a controller; a run whose tracer throws is not traced. */
export function guardedTracer(
  tracer: ControllerTracer,
  controller: Parameters<ControllerTracer["tracerOf"]>[0],
  hooks: Hooks,
): RunTracer | undefined {
  return hooks.call<RunTracer | undefined>(
    "tracerOf of the tracer",
    () => {
      const traceRun = tracer.tracerOf(controller);
      return (run) =>
        hooks.call(
          "the run tracer",
          () => guardedTrace(traceRun(run), hooks),
          () => undefined,
        );
    },
    () => undefined,
  );
}

function guardedTrace(trace: RunTrace | undefined, hooks: Hooks): RunTrace | undefined {
  if (trace === undefined) return undefined;
  return {
    around: (reconcile) => reconcileInside(trace, reconcile, hooks),
    layer: (next) =>
      hooks.call(
        "layer of the trace",
        () => trace.layer(next),
        () => next,
      ),
    end: (result, error) => hooks.notify("end of the trace", () => trace.end(result, error)),
  };
}

type Ended<Value> =
  | { readonly type: "returned"; readonly value: Value }
  | { readonly type: "threw"; readonly error: unknown };

/** Calls the reconciler inside the trace, once, and ends as the reconciler does, whatever the trace throws. */
function reconcileInside<Value>(trace: RunTrace, reconcile: () => Value, hooks: Hooks): Value {
  let ended: Ended<Value> | undefined;
  try {
    return trace.around(() => {
      ended = endOf(reconcile);
      if (ended.type === "threw") throw ended.error;
      return ended.value;
    });
  } catch (error) {
    const own: Ended<Value> | undefined = ended;
    if (own?.type !== "threw" || own.error !== error) hooks.report("around of the trace", error);
    if (own?.type === "threw") throw own.error;
    return own === undefined ? reconcile() : own.value;
  }
}

function endOf<Value>(call: () => Value): Ended<Value> {
  try {
    return { type: "returned", value: call() };
  } catch (error) {
    return { type: "threw", error };
  }
}
