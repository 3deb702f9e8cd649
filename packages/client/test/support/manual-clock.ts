import type { CancelTimer, Clock } from "@keelson/core";

/** A clock that a test moves by hand; timers fire while it moves, in the order of their times. */
export class ManualClock implements Clock {
  #nowMs = Date.parse("2026-01-01T00:00:00Z");
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  monotonicNow(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, callback: () => void): CancelTimer {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.#timers].filter(({ atMs }) => atMs <= this.#nowMs).sort((a, b) => a.atMs - b.atMs);
    for (const timer of due) if (this.#timers.delete(timer)) timer.callback();
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }
}
