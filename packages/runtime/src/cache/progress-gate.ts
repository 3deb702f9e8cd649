import { abortable, type Clock } from "@keelson/core";

/** Lets readers wait for what an informer has not got to, up to a moment. */
export class ProgressGate {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #waits = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many have had to wait. */
  get waits(): number {
    return this.#waits;
  }

  /** Something has changed: all who wait look again. */
  lookAgain(): void {
    for (const look of this.#waiting) look();
  }

  /**
   * Waits while `unknownUntil` gives a moment, until the first one that it gave: later writes do not put it off [RW1].
   * Resolves to false if that moment comes first; throws the signal's reason as soon as it aborts.
   */
  async passes(unknownUntil: () => number | undefined, signal: AbortSignal): Promise<boolean> {
    const untilMs = unknownUntil();
    if (untilMs === undefined) return true;
    this.#waits += 1;
    const leftMs = untilMs - this.#clock.monotonicNow();
    if (leftMs <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const look = (): void => {
      if (unknownUntil() === undefined) resolve(true);
    };
    const cancel = this.#clock.schedule(leftMs, () => resolve(unknownUntil() === undefined));
    this.#waiting.add(look);
    try {
      return await abortable(promise, signal);
    } finally {
      cancel();
      this.#waiting.delete(look);
    }
  }
}
