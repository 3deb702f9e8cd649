import type { CancelTimer } from "@keelson/core";

/** A timer that has neither fired nor been cancelled. */
export interface PendingTimer {
  /** On the scale of `monotonicNow`. */
  readonly dueMs: number;
  /** How far away that is. */
  readonly inMs: number;
}

interface Timer {
  readonly dueMs: number;
  /** Grows with every timer; decides between those that are due at one moment. */
  readonly order: number;
  readonly callback: () => void;
}

/** Timers in the order in which they fire. */
export class TimerList {
  /** Sorted by due time, then by order. */
  readonly #timers: Timer[] = [];
  #added = 0;
  #lastFiredMs = Number.NEGATIVE_INFINITY;
  #firedAtOnce = 0;

  /** When the next timer is due; infinitely late without one. */
  get nextDueMs(): number {
    return this.#timers[0]?.dueMs ?? Number.POSITIVE_INFINITY;
  }

  /** How many timers in a row were due at the same moment as the last one. */
  get firedAtOnce(): number {
    return this.#firedAtOnce;
  }

  add(dueMs: number, callback: () => void): CancelTimer {
    const timer = { dueMs, order: this.#added++, callback };
    this.#timers.splice(this.#positionOf(timer), 0, timer);
    return () => {
      const position = this.#positionOf(timer);
      if (this.#timers[position] === timer) this.#timers.splice(position, 1);
    };
  }

  /** Takes the next timer off the list, then calls back. */
  fireNext(): void {
    const timer = this.#timers.shift();
    if (timer === undefined) return;
    this.#firedAtOnce = timer.dueMs === this.#lastFiredMs ? this.#firedAtOnce + 1 : 1;
    this.#lastFiredMs = timer.dueMs;
    timer.callback();
  }

  pending(nowMs: number): readonly PendingTimer[] {
    return this.#timers.map(({ dueMs }) => ({ dueMs, inMs: dueMs - nowMs }));
  }

  /** Where the timer is, or belongs: behind all that fire before it. */
  #positionOf({ dueMs, order }: Timer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle];
      const firesBefore =
        other !== undefined && (other.dueMs < dueMs || (other.dueMs === dueMs && other.order < order));
      if (firesBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
