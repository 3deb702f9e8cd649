import type { Clock } from "@keelson/core";
import type { DequeuedItem } from "../queue/work-item.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import { normalizeError } from "../source/normalize-error.ts";
import type { ControllerDefinition } from "./controller-definition.ts";
import type { ControllerObserver, ResultLabel } from "./controller-observer.ts";
import {
  ControllerStoppedError,
  ReconcilerBrokenError,
  ReconcileTimeoutError,
  StatusNotWrittenError,
} from "./errors.ts";
import { EventLoopTurn } from "./event-loop-turn.ts";
import { brokenBackoffMs } from "./guarded-hooks.ts";
import { type Failure, isAbort, type Outcome, outcomeOfError, outcomeOfResult } from "./outcome.ts";
import { OwnTime } from "./own-time.ts";
import type { ReconcileResult } from "./reconciler.ts";
import { type ControllerServices, Run } from "./run.ts";
import { endTrace } from "./run-tracer.ts";

/** How long a reconcile may go on after its signal has aborted before that is logged. */
const overdueMs = 10_000;
/** A reconcile that keeps the event loop for longer before it waits for the first time is reported [CT19]. */
const blockedMs = 50;
/** A controller logs at most one of these in this time. */
const blockLogMs = 10_000;

export interface WorkersOptions<Key, Settings> {
  readonly controller: string;
  readonly concurrency: number;
  /** Default: never. */
  readonly timeoutMs: number | undefined;
  readonly recoverFromThrows: boolean;
  readonly reconcile: ControllerDefinition<Key, Settings>["reconcile"];
  readonly queue: WorkQueue<Key>;
  readonly clock: Clock;
  readonly observer: ControllerObserver | undefined;
  readonly services: ControllerServices<Key, Settings>;
}

/** Take keys, reconcile them, and do what follows from how that ends. */
export class Workers<Key, Settings = unknown> {
  readonly #options: WorkersOptions<Key, Settings>;
  readonly #turn: EventLoopTurn;
  readonly #ownTime: OwnTime;
  /** When a reconcile that blocked the event loop was last logged, and how many were not logged since. */
  #blockLoggedMs = Number.NEGATIVE_INFINITY;
  #unloggedBlocks = 0;
  readonly #held: HeldKeys;
  readonly #running: Set<Run<Key, Settings>> = new Set();
  /** Aborts with all that runs. */
  readonly #stop = new AbortController();

  constructor(options: WorkersOptions<Key, Settings>) {
    this.#options = options;
    this.#held = new HeldKeys(options.services.guard);
    this.#turn = new EventLoopTurn(options.clock);
    this.#ownTime = new OwnTime(options.clock);
  }

  /** Resolves after `stop`, when the last worker has ended. Rejects, after all have, when a reconciler is broken [CT9]. */
  async run(): Promise<void> {
    const { concurrency, controller } = this.#options;
    const loops = Array.from({ length: concurrency }, () => this.#work());
    try {
      await Promise.all(loops);
    } catch (error) {
      this.stop(new ControllerStoppedError(controller));
      await Promise.allSettled(loops);
      throw error;
    } finally {
      this.#turn.stop();
    }
  }

  /** No key is taken any more, and the signals of all that runs abort [CT14]. */
  stop(reason: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#options.queue.shutDown();
    this.#stop.abort(reason);
    for (const run of this.#running) this.#abort(run, reason);
  }

  async #work(): Promise<void> {
    const { queue, clock } = this.#options;
    for (;;) {
      const item = await queue.get();
      if (item === "shutdown") return;
      let nowMs = clock.monotonicNow();
      if (this.#turn.isOverdue(nowMs)) {
        await this.#turn.next();
        nowMs = clock.monotonicNow();
      }
      if (this.#stop.signal.aborted) {
        queue.done(item);
      } else if (!this.#isHeld(item, nowMs)) {
        const run = this.#begin(item, nowMs);
        const outcome = this.#reconcile(run);
        this.#end(run, isPromise(outcome) ? await outcome : outcome);
      }
    }
  }

  /** Puts the key back if it wrote without end and is to be slowed. */
  #isHeld(item: DequeuedItem<Key>, nowMs: number): boolean {
    const { queue } = this.#options;
    const pauseMs = this.#held.pauseMs(item.keyText, nowMs);
    if (pauseMs === 0) return false;
    queue.putBack(item, pauseMs);
    queue.done(item);
    return true;
  }

  #begin(item: DequeuedItem<Key>, startedMs: number): Run<Key, Settings> {
    const { controller, queue, clock, observer, services, timeoutMs } = this.#options;
    const { priority } = item;
    const queuedMs = Math.max(0, startedMs - item.dueMs);
    const failures = queue.failuresOf(item);
    const sharedSignal = timeoutMs === undefined ? this.#stop.signal : undefined;
    const run = new Run(item, { priority, queuedMs, startedMs, failures, sharedSignal }, services);
    this.#running.add(run);
    this.#turn.begin(startedMs);
    this.#ownTime.begin(startedMs);
    observer?.activeChanged(controller, 1);
    if (timeoutMs !== undefined)
      run.cancelTimer = clock.schedule(timeoutMs, () => this.#timeOut(run, timeoutMs));
    return run;
  }

  /** The outcome, at once for a reconciler that is not asynchronous. */
  #reconcile(run: Run<Key, Settings>): Outcome | Promise<Outcome> {
    try {
      const returned = this.#callReconciler(run);
      if (!isPromise(returned)) return shownOutcome(run, outcomeOfResult(returned));
      return Promise.resolve(returned).then(
        (result) => shownOutcome(run, outcomeOfResult(result)),
        (thrown: unknown) => this.#outcomeOfThrown(run, thrown),
      );
    } catch (thrown) {
      return this.#outcomeOfThrown(run, thrown);
    }
  }

  /** Measures what a reconciler does before it waits for the first time: nothing else can have run meanwhile [CT19]. */
  #callReconciler(run: Run<Key, Settings>): Promise<ReconcileResult> | ReconcileResult {
    const { reconcile, clock } = this.#options;
    const { trace } = run;
    try {
      return trace === undefined ? reconcile(run) : trace.around(() => reconcile(run));
    } finally {
      const nowMs = clock.monotonicNow();
      if (nowMs - run.startedMs > blockedMs) this.#judgeBlock(run, nowMs);
    }
  }

  #outcomeOfThrown(run: Run<Key, Settings>, thrown: unknown): Outcome {
    const isStopped = run.isAborted && !run.hasTimedOut;
    if (isStopped && isAbort(thrown, run.abortReason)) return { type: "aborted" };
    return shownOutcome(run, outcomeOfError(thrown));
  }

  #end(run: Run<Key, Settings>, outcome: Outcome): void {
    const { controller, queue, clock, observer, recoverFromThrows } = this.#options;
    const nowMs = clock.monotonicNow();
    run.cancelTimer?.();
    this.#running.delete(run);
    this.#turn.end();
    this.#held.ended(run.item.keyText, nowMs);
    // Queued again before it is given back: what happens in between is one with it, and not lost [CT7].
    this.#followAnyway(run, outcome);
    queue.done(run.item);
    observer?.activeChanged(controller, -1);
    if (run.trace !== undefined) endTrace(run.trace, outcome, run.hasTimedOut);
    if (outcome.type !== "aborted") observer?.reconciled(controller, labelOf(outcome), nowMs - run.startedMs);
    if (outcome.type === "error" && outcome.isPanic && !recoverFromThrows)
      throw new ReconcilerBrokenError(controller, run.item.keyText, outcome.error);
  }

  /** Hooks take part in it, such as a logger or a rate limiter: if one throws, the key is not lost. */
  #followAnyway(run: Run<Key, Settings>, outcome: Outcome): void {
    const { queue, services } = this.#options;
    try {
      this.#follow(run, outcome);
    } catch (thrown) {
      if (isToRunAgain(outcome)) queue.requeueAfter(run.item, run.priority, brokenBackoffMs);
      const error = normalizeError(thrown);
      attempt(() =>
        services.log.error("what follows from a reconcile failed", { key: run.item.keyText, error }),
      );
    }
  }

  #follow(run: Run<Key, Settings>, outcome: Outcome): void {
    const { queue } = this.#options;
    switch (outcome.type) {
      case "success":
        queue.forget(run.item);
        run.recorder.end({ result: "success" });
        break;
      case "requeueAfter":
        queue.forget(run.item);
        queue.requeueAfter(run.item, outcome.priority ?? run.priority, outcome.afterMs);
        run.recorder.end({ result: "requeue_after", requeueAfterMs: outcome.afterMs });
        break;
      case "requeue": {
        const requeueAfterMs = queue.retry(run.item, false, outcome.priority);
        run.recorder.end({ result: "requeue", requeueAfterMs });
        break;
      }
      case "error":
        this.#followFailure(run, outcome);
        break;
      case "aborted":
        run.log.debug("reconcile ended by the controller's stop");
        run.recorder.end({ result: "aborted" });
        break;
    }
  }

  #followFailure(run: Run<Key, Settings>, { error, isTerminal, isPanic, asksToRequeue }: Failure): void {
    const { controller, queue, observer } = this.#options;
    observer?.failed(controller);
    if (isPanic) observer?.panicked(controller);
    if (asksToRequeue)
      run.log.warn(
        "reconcile threw an error that asks to be run again; that is ignored, the back-off decides",
      );
    if (isTerminal) {
      observer?.failedTerminally(controller);
      run.log.error("reconcile failed; it is not tried again until something changes", { error });
      run.recorder.end({ result: "terminal_error", error });
      return;
    }
    const requeueAfterMs = queue.retry(run.item, true);
    run.log.error("reconcile failed", { error, retryInMs: requeueAfterMs });
    run.recorder.end({ result: run.hasTimedOut ? "timeout" : "error", error, requeueAfterMs });
  }

  #timeOut(run: Run<Key, Settings>, timeoutMs: number): void {
    const { controller, observer } = this.#options;
    run.hasTimedOut = true;
    observer?.timedOut(controller);
    this.#abort(run, new ReconcileTimeoutError(controller, run.item.keyText, timeoutMs));
  }

  #abort(run: Run<Key, Settings>, reason: unknown): void {
    if (run.isAborted) return;
    run.cancelTimer?.();
    // First the timer: what the abort sets off may be the end of the run, which takes it back.
    run.cancelTimer = this.#options.clock.schedule(overdueMs, () =>
      run.log.warn(
        "reconcile is overdue: it goes on after its signal aborted, and its key waits; pass the signal on",
        {
          abortedForMs: overdueMs,
        },
      ),
    );
    run.abort(reason);
  }

  /** Reports a reconcile that worked for too long; all are counted, and one in ten seconds is logged. */
  #judgeBlock(run: Run<Key, Settings>, nowMs: number): void {
    const { controller, observer } = this.#options;
    const ms = this.#ownTime.workedMs(run.startedMs, nowMs);
    if (ms <= blockedMs) return;
    observer?.eventLoopBlocked(controller, ms);
    if (nowMs - this.#blockLoggedMs < blockLogMs) {
      this.#unloggedBlocks++;
      return;
    }
    run.log.warn(
      "reconcile blocked the event loop: nothing else in the process could run; await in between",
      {
        blockedMs: Math.round(ms),
        ...(this.#unloggedBlocks > 0 && { notLogged: this.#unloggedBlocks }),
      },
    );
    this.#blockLoggedMs = nowMs;
    this.#unloggedBlocks = 0;
  }
}

/** A failure is final only if the status shows it: after a status write that failed, the run is tried again [CT2]. */
function shownOutcome({ statusError }: { readonly statusError: unknown }, outcome: Outcome): Outcome {
  if (outcome.type !== "error" || !outcome.isTerminal || statusError === undefined) return outcome;
  return { ...outcome, isTerminal: false, error: new StatusNotWrittenError(outcome.error, statusError) };
}

function isToRunAgain(outcome: Outcome): boolean {
  if (outcome.type === "error") return !outcome.isTerminal;
  return outcome.type === "requeue" || outcome.type === "requeueAfter";
}

/** Does what may fail without harm. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The logger itself failed: nothing is left to report it to.
  }
}

function labelOf(outcome: Exclude<Outcome, { type: "aborted" }>): ResultLabel {
  return outcome.type === "requeueAfter" ? "requeue_after" : outcome.type;
}

function isPromise<Value>(value: Promise<Value> | Value): value is Promise<Value> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** The part of the hot-loop guard that decides on pauses. */
interface PausingGuard {
  /** How long a key pauses between two runs; 0 if it is not slowed down. */
  holdMs(keyText: string): number;
  /** A run of the key has ended. A guard without this method uses the time of the last write instead. */
  ended?(keyText: string, nowMs: number): void;
}

/** Keeps the pauses that the hot-loop guard demands between two runs of a key. Other keys cost one lookup at most. */
export class HeldKeys {
  readonly #guard: PausingGuard | undefined;
  /** When the last runs of held keys ended; the one that ended first comes first. */
  readonly #endedAtMs: Map<string, number> = new Map();

  constructor(guard: PausingGuard | undefined) {
    this.#guard = guard;
  }

  /** How many keys are remembered: those that wait, and some whose wait is over. */
  get size(): number {
    return this.#endedAtMs.size;
  }

  /** How long the key still has to wait; 0 if it may run. */
  pauseMs(keyText: string, nowMs: number): number {
    const endedAtMs = this.#endedAtMs.get(keyText);
    if (endedAtMs === undefined) return 0;
    const holdMs = this.#guard?.holdMs(keyText) ?? 0;
    return Math.max(0, endedAtMs + holdMs - nowMs);
  }

  /** A run of the key has ended. */
  ended(keyText: string, nowMs: number): void {
    if (this.#guard === undefined) return;
    this.#guard.ended?.(keyText, nowMs);
    if (this.#endedAtMs.size > 0) {
      this.#endedAtMs.delete(keyText);
      this.#prune(nowMs);
    }
    if (this.#guard.holdMs(keyText) > 0) this.#endedAtMs.set(keyText, nowMs);
  }

  /** Not every key runs again. Stops at the first that waits: so it is cheap, and no wait is without end. */
  #prune(nowMs: number): void {
    for (const keyText of this.#endedAtMs.keys()) {
      if (this.pauseMs(keyText, nowMs) > 0) return;
      this.#endedAtMs.delete(keyText);
    }
  }
}
