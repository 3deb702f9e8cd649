import { type Clock, systemClock } from "keelson";

/** The clock of the machine with an offset that a test sets. */
export class SetClock implements Clock {
  #offsetMs = 0;

  now(): number {
    return systemClock.now() + this.#offsetMs;
  }

  monotonicNow(): number {
    return systemClock.monotonicNow();
  }

  schedule(delayMs: number, callback: () => void): () => void {
    return systemClock.schedule(delayMs, callback);
  }

  /** Sets the time. Timers that are already scheduled do not change. */
  set(time: string): void {
    this.#offsetMs = Date.parse(time) - systemClock.now();
  }
}
