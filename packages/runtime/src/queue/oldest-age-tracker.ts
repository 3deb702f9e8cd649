/** The approximate time at which some items entered, and how many of them have not left. */
export interface Arrival {
  readonly atMs: number;
  count: number;
  next: Arrival | undefined;
}

/** Items that enter within this time count as entering together. */
const resolutionMs = 1_000;

/**
 * Knows the age of the oldest of many items, to the second, whichever of them leave. It counts the items by the time when
 * they entered, instead of keeping them in order: entering and leaving cost next to nothing, reading amortised O(1).
 */
export class OldestAgeTracker {
  /** A list of rising times from `first` to `last`. Counts of 0 are dropped when they become the first. */
  #first: Arrival | undefined;
  #last: Arrival | undefined;

  /** An item enters; it leaves with the result of this call. Times do not fall from one call to the next. */
  enter(nowMs: number): Arrival {
    const last = this.#last;
    const arrival =
      last !== undefined && nowMs - last.atMs < resolutionMs ? last : this.#append(Math.floor(nowMs));
    arrival.count += 1;
    return arrival;
  }

  /** Does nothing for undefined. */
  leave(arrival: Arrival | undefined): void {
    if (arrival !== undefined) arrival.count -= 1;
  }

  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
  }

  /** 0 without items; otherwise at most a second more than the true age. */
  oldestAgeMs(nowMs: number): number {
    this.#dropEmpty();
    return this.#first === undefined ? 0 : Math.floor(nowMs) - this.#first.atMs;
  }

  #append(atMs: number): Arrival {
    this.#dropEmpty();
    const arrival: Arrival = { atMs, count: 0, next: undefined };
    if (this.#last === undefined) this.#first = arrival;
    else this.#last.next = arrival;
    this.#last = arrival;
    return arrival;
  }

  #dropEmpty(): void {
    while (this.#first?.count === 0) this.#first = this.#first.next;
    if (this.#first === undefined) this.#last = undefined;
  }
}
