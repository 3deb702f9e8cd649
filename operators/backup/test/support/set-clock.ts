import { type Clock, systemClock } from "keelson";

/** A clock that goes as the machine's does, and whose date can be set. */
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

  /** It is that time now. What is scheduled does not notice. */
  set(time: string): void {
    this.#offsetMs = Date.parse(time) - systemClock.now();
  }
}
