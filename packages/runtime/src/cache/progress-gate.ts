import { abortable, type Clock } from "@keelson/core";

/** Lets readers wait for what an informer has not got to, up to a moment. */
export class ProgressGate {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something has changed: all who wait look again. */
  lookAgain(): void {
    for (const look of [...this.#waiting]) look();
  }

  /**
   * Waits while `unknownUntil` gives a moment. Resolves to false if that moment comes first; throws the signal's reason
   * as soon as it aborts.
   */
  async passes(unknownUntil: () => number | undefined, signal: AbortSignal): Promise<boolean> {
    for (let untilMs = unknownUntil(); untilMs !== undefined; untilMs = unknownUntil()) {
      const leftMs = untilMs - this.#clock.monotonicNow();
      if (leftMs <= 0) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      const cancel = this.#clock.schedule(leftMs, resolve);
      try {
        await abortable(promise, signal);
      } finally {
        cancel();
        this.#waiting.delete(resolve);
      }
    }
    return true;
  }
}
