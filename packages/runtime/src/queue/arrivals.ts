/** About the moment at which some items came, and how many of them are still here. */
export interface Arrival {
  readonly atMs: number;
  count: number;
  next: Arrival | undefined;
}

/** What came within so long counts as having come with the first of it. */
const resolutionMs = 1_000;

/**
 * Knows for how long the oldest of many items has been here, to the second, whichever of them leave. It counts the items
 * by when they came, instead of keeping them in order: coming and leaving cost next to nothing, asking amortised O(1).
 */
export class Arrivals {
  /** A list of rising times from `first` to `last`. Counts of 0 are dropped when they come to be the first. */
  #first: Arrival | undefined;
  #last: Arrival | undefined;

  /** An item comes; it leaves with what this gives. Times do not fall from one call to the next. */
  enter(nowMs: number): Arrival {
    const last = this.#last;
    const arrival =
      last !== undefined && nowMs - last.atMs < resolutionMs ? last : this.#append(Math.floor(nowMs));
    arrival.count += 1;
    return arrival;
  }

  /** Nothing leaves with undefined. */
  leave(arrival: Arrival | undefined): void {
    if (arrival !== undefined) arrival.count -= 1;
  }

  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
  }

  /** 0 if nothing is here; otherwise at most a second more than it is. */
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
