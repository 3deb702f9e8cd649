import { nextTick } from "node:process";
import type { CancelTimer, Clock } from "@keelson/core";
import { ClockBusyError, ClockStuckError, EndlessTimersError } from "./errors.ts";
import { type PendingTimer, TimerList } from "./timer-list.ts";

export interface VirtualClockOptions {
  /** The wall time at which it begins, in milliseconds since 1970. Default: the beginning of 2026, UTC. */
  readonly startAt?: number;
  /**
   * Lets whatever was set in motion run until it waits for the clock again; called between any two timers.
   * The default runs promise jobs until none are left, and a few rounds of `process.nextTick`: enough, and
   * the same every time, for code that reaches nothing outside of the process. Code that does I/O needs one
   * that waits for it.
   */
  readonly settle?: () => Promise<void>;
}

export interface AdvanceLimit {
  /** How far time may move before it is an error. Default: one hour. */
  readonly maxMs?: number;
}

const defaultStart = Date.UTC(2026, 0, 1);
const defaultMaxMs = 3_600_000;
/** More timers than this at one moment: time does not pass any more. */
const mostTimersAtOnce = 100_000;
/** Streams of Node hand their chunks on by nextTick, so one pass over its queue may fill it again. */
const settleRounds = 10;

/**
 * A clock that stands still until a test moves it. Timers fire in the order of their due times, and of
 * scheduling where these are equal; between two of them, everything that the first one set in motion comes to
 * rest.
 *
 * `now` and `monotonicNow` differ from the start, so that code which confuses them shows it.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerList();
  readonly #settle: () => Promise<void>;
  #elapsedMs = 0;
  /** What to add to the elapsed time to get the wall time. */
  #wallOffsetMs: number;
  #isMoving = false;

  constructor({ startAt = defaultStart, settle = settleJobs }: VirtualClockOptions = {}) {
    this.#wallOffsetMs = startAt;
    this.#settle = settle;
  }

  now(): number {
    return this.#elapsedMs + this.#wallOffsetMs;
  }

  /** Milliseconds since this clock was made. */
  monotonicNow(): number {
    return this.#elapsedMs;
  }

  schedule(delayMs: number, callback: () => void): CancelTimer {
    if (Number.isNaN(delayMs)) throw new RangeError("schedule a timer: its delay is not a number");
    return this.#timers.add(this.#elapsedMs + Math.max(0, delayMs), callback);
  }

  /**
   * Sets the wall time, forwards or back, as an administrator does: `monotonicNow` and timers do not notice.
   */
  setWallTime(ms: number): void {
    this.#wallOffsetMs = ms - this.#elapsedMs;
  }

  /** What is scheduled, the next one first. Empty when everything that took this clock has stopped. */
  get pendingTimers(): readonly PendingTimer[] {
    return this.#timers.pending(this.#elapsedMs);
  }

  /** Lets what is under way come to rest, without moving time. */
  async settle(): Promise<void> {
    await this.#settle();
  }

  /** Moves time on, and fires what falls due meanwhile, timers included that are scheduled on the way. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && Number.isFinite(ms)))
      throw new RangeError(`advance by ${ms} ms: time moves forwards only, by a finite time`);
    await this.#exclusively(async () => {
      const untilMs = this.#elapsedMs + ms;
      await this.#settle();
      while (this.#timers.nextDueMs <= untilMs) await this.#fireNext(`advance by ${ms} ms`);
      this.#elapsedMs = untilMs;
    });
  }

  /**
   * Moves time from timer to timer, until the condition holds; not at all if it holds already. Throws a
   * ClockStuckError if nothing is scheduled any more, or only later than the limit.
   */
  async advanceUntil(condition: () => boolean, limit: AdvanceLimit = {}): Promise<void> {
    await this.#moveUntil("advance until a condition holds", condition, limit);
  }

  /**
   * Moves time from timer to timer until the promise settles, and gives what it gives. Otherwise as
   * `advanceUntil`.
   */
  async runUntil<Value>(promise: PromiseLike<Value>, limit: AdvanceLimit = {}): Promise<Value> {
    let isSettled = false;
    const markSettled = (): void => {
      isSettled = true;
    };
    promise.then(markSettled, markSettled);
    await this.#moveUntil("run until a promise settles", () => isSettled, limit);
    return promise;
  }

  async #moveUntil(goal: string, isReached: () => boolean, { maxMs = defaultMaxMs }: AdvanceLimit) {
    await this.#exclusively(async () => {
      const startMs = this.#elapsedMs;
      await this.#settle();
      while (!isReached()) {
        const dueMs = this.#timers.nextDueMs;
        if (dueMs > startMs + maxMs || dueMs === Number.POSITIVE_INFINITY)
          throw new ClockStuckError(goal, {
            passedMs: this.#elapsedMs - startMs,
            maxMs,
            pendingTimers: this.pendingTimers,
          });
        await this.#fireNext(goal);
      }
    });
  }

  async #fireNext(goal: string): Promise<void> {
    this.#elapsedMs = this.#timers.nextDueMs;
    this.#timers.fireNext();
    if (this.#timers.firedAtOnce > mostTimersAtOnce)
      throw new EndlessTimersError(goal, this.#timers.firedAtOnce);
    await this.#settle();
  }

  /** Two that move one clock at a time would each find it elsewhere than they left it. */
  async #exclusively(move: () => Promise<void>): Promise<void> {
    if (this.#isMoving) throw new ClockBusyError();
    this.#isMoving = true;
    try {
      await move();
    } finally {
      this.#isMoving = false;
    }
  }
}

/**
 * A callback of nextTick runs when there are no promise jobs left, however many have followed from each
 * other.
 */
async function settleJobs(): Promise<void> {
  for (let round = 0; round < settleRounds; round++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    nextTick(resolve);
    await promise;
  }
}
