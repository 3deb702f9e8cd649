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
    when: (key) =>
      hooks.call(
        "when of the rate limiter",
        () => limiter.when(key),
        () => brokenBackoffMs,
      ),
    forget: (key) => hooks.notify("forget of the rate limiter", () => limiter.forget(key)),
    numRequeues: (key) =>
      hooks.call(
        "numRequeues of the rate limiter",
        () => limiter.numRequeues(key),
        () => 0,
      ),
  };
}

/** The observer, and those that it returns, without their errors. */
export function guardedObserver(observer: ControllerObserver, hooks: Hooks): ControllerObserver {
  const notify = (method: string, call: () => unknown): void =>
    hooks.notify(`${method} of the controller observer`, call);
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
    started: (controller, concurrency) => notify("started", () => observer.started(controller, concurrency)),
    activeChanged: (controller, change) =>
      notify("activeChanged", () => observer.activeChanged(controller, change)),
    reconciled: (controller, result, ms) =>
      notify("reconciled", () => observer.reconciled(controller, result, ms)),
    failed: (controller) => notify("failed", () => observer.failed(controller)),
    failedTerminally: (controller) => notify("failedTerminally", () => observer.failedTerminally(controller)),
    panicked: (controller) => notify("panicked", () => observer.panicked(controller)),
    timedOut: (controller) => notify("timedOut", () => observer.timedOut(controller)),
    eventLoopBlocked: (controller, ms) =>
      notify("eventLoopBlocked", () => observer.eventLoopBlocked(controller, ms)),
    handlerFailed: (controller, source, reason) =>
      notify("handlerFailed", () => observer.handlerFailed?.(controller, source, reason)),
  };
}

function guardedQueueObserver(observer: QueueObserver | undefined, hooks: Hooks): QueueObserver | undefined {
  if (observer === undefined) return undefined;
  const notify = (method: string, call: () => unknown): void =>
    hooks.notify(`${method} of the queue observer`, call);
  return {
    unfinishedWork: (read) => notify("unfinishedWork", () => observer.unfinishedWork(read)),
    added: () => notify("added", () => observer.added()),
    depthChanged: (priority, change) => notify("depthChanged", () => observer.depthChanged(priority, change)),
    waited: (ms) => notify("waited", () => observer.waited(ms)),
    worked: (ms) => notify("worked", () => observer.worked(ms)),
    retried: () => notify("retried", () => observer.retried()),
  };
}

function guardedHotLoopObserver(
  observer: HotLoopObserver | undefined,
  hooks: Hooks,
): HotLoopObserver | undefined {
  if (observer === undefined) return undefined;
  const notify = (method: string, call: () => unknown): void =>
    hooks.notify(`${method} of the hot-loop observer`, call);
  return {
    noopWrite: (target) => notify("noopWrite", () => observer.noopWrite(target)),
    pingPong: (report) => notify("pingPong", () => observer.pingPong(report)),
    selfWoken: (report) => notify("selfWoken", () => observer.selfWoken?.(report)),
    replaced: (report) => notify("replaced", () => observer.replaced?.(report)),
    slowed: (keyText, holdMs) => notify("slowed", () => observer.slowed(keyText, holdMs)),
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
