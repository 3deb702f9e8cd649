import { abortable, type Clock } from "@keelson/core";

/** Lets readers wait until an informer has received an own write, up to a deadline. */
export class ProgressGate {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #waits = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many readers have had to wait. */
  get waits(): number {
    return this.#waits;
  }

  /** Makes all readers that wait check again, because something has changed. */
  recheck(): void {
    for (const check of this.#waiting) check();
  }

  /**
   * Waits while `unknownUntil` returns a deadline, until the first one that it returned: later writes do not defer it
   * [RW1]. Resolves to false if the deadline comes first; throws the signal's reason as soon as it aborts.
   */
  async waitUntilKnown(unknownUntil: () => number | undefined, signal: AbortSignal): Promise<boolean> {
    const untilMs = unknownUntil();
    if (untilMs === undefined) return true;
    this.#waits += 1;
    const leftMs = untilMs - this.#clock.monotonicNow();
    if (leftMs <= 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const check = (): void => {
      if (unknownUntil() === undefined) resolve(true);
    };
    const cancel = this.#clock.schedule(leftMs, () => resolve(unknownUntil() === undefined));
    this.#waiting.add(check);
    try {
      return await abortable(promise, signal);
    } finally {
      cancel();
      this.#waiting.delete(check);
    }
  }
}
