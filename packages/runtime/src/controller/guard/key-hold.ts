import type { GuardLimits } from "./guard-limits.ts";

/**
 * How long a key is held between its runs:
 *
 * | state | leaves it |
 * |---|---|
 * | free: not held | a loop is found: held for `holdMs` |
 * | held | a loop is found again: twice as long, up to `maxHoldMs`; none is found for long enough: free |
 *
 * Long enough are two windows, or two holds where these are longer: a loop that runs every five minutes cannot be found
 * more often.
 */
export class KeyHold {
  readonly #limits: GuardLimits;
  #holdMs = 0;
  #foundAt = 0;

  constructor(limits: GuardLimits) {
    this.#limits = limits;
  }

  /** 0 if it is free. */
  at(now: number): number {
    const isCalm = now - this.#foundAt > 2 * Math.max(this.#limits.windowMs, this.#holdMs);
    return isCalm ? 0 : this.#holdMs;
  }

  /** A loop was found. Gives the hold that follows. */
  tighten(now: number): number {
    const { holdMs, maxHoldMs } = this.#limits;
    const current = this.at(now);
    this.#holdMs = current === 0 ? holdMs : Math.min(2 * current, maxHoldMs);
    this.#foundAt = now;
    return this.#holdMs;
  }
}
