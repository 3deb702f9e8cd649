export interface KeyHoldLimits {
  /** How long the first hold is. */
  readonly holdMs: number;
  readonly maxHoldMs: number;
  /** The time in which a loop of this kind is found. */
  readonly windowMs: number;
}

/**
 * How long a key is held between its runs because of one kind of loop:
 *
 * | state | leaves it |
 * |---|---|
 * | free: not held | a loop begins: held for `holdMs` |
 * | held | the loop goes on as fast as it may: twice as long, up to `maxHoldMs`; no sign of it for long enough: free |
 *
 * Long enough are two windows, or two holds where these are longer: a loop that runs every five minutes cannot be seen
 * more often. From free to free is one episode.
 */
export class KeyHold {
  readonly #limits: KeyHoldLimits;
  #holdMs = 0;
  #seenAt = 0;

  constructor(limits: KeyHoldLimits) {
    this.#limits = limits;
  }

  /** 0 if it is free. */
  at(now: number): number {
    const isCalm = now - this.#seenAt > 2 * Math.max(this.#limits.windowMs, this.#holdMs);
    return isCalm ? 0 : this.#holdMs;
  }

  /** A loop was found. One that is held already is not held for longer. */
  begin(now: number): void {
    this.#set(this.at(now) || this.#limits.holdMs, now);
  }

  /** It goes on; a hold that there is lasts. */
  keep(now: number): void {
    this.#set(this.at(now), now);
  }

  /** It goes on as fast as the hold lets it. */
  tighten(now: number): void {
    const { holdMs, maxHoldMs } = this.#limits;
    this.#set(Math.min(2 * this.at(now) || holdMs, maxHoldMs), now);
  }

  #set(holdMs: number, now: number): void {
    this.#holdMs = holdMs;
    this.#seenAt = now;
  }
}
