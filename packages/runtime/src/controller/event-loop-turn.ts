import type { CancelTimer, Clock } from "@keelson/core";

/** How long workers may keep the event loop busy before timers and sockets get their turn. */
export const turnMs = 10;

/**
 * Lets timers and sockets have a turn while work never runs out: keys whose reconciles do not wait follow one another as
 * microtasks, and those starve everything else. A timer runs while reconciles do; a worker that is about to start another
 * reconcile while that timer is overdue waits for it.
 */
export class EventLoopTurn {
  readonly #clock: Clock;
  #runningCount = 0;
  readonly #waiting: (() => void)[] = [];
  /** Set while the timer runs. */
  #cancel: CancelTimer | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A reconcile starts. */
  begin(nowMs: number): void {
    this.#runningCount++;
    if (this.#cancel === undefined) this.#schedule(nowMs);
  }

  /** A reconcile has ended. */
  end(): void {
    this.#runningCount--;
  }

  isOverdue(nowMs: number): boolean {
    return nowMs >= this.#dueMs;
  }

  /** Resolves after the timer that is overdue; only to be called while one is. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Cancels the timer and resolves what waits for it. */
  stop(): void {
    this.#cancel?.();
    this.#clear();
    this.#release();
  }

  #schedule(nowMs: number): void {
    this.#dueMs = nowMs + turnMs;
    this.#cancel = this.#clock.schedule(turnMs, () => {
      this.#clear();
      if (this.#runningCount > 0) this.#schedule(this.#clock.monotonicNow());
      this.#release();
    });
  }

  #clear(): void {
    this.#cancel = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
