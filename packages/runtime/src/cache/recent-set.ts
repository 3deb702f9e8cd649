/** Remembers the values that were added last, and no more than so many. */
export class RecentSet<Value> {
  readonly #values = new Set<Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds a value, as the latest one also if it is known; the oldest makes room for it. */
  add(value: Value): void {
    this.#values.delete(value);
    this.#values.add(value);
    if (this.#values.size <= this.#capacity) return;
    const { value: oldest, done } = this.#values.values().next();
    if (done !== true) this.#values.delete(oldest);
  }

  has(value: Value): boolean {
    return this.#values.has(value);
  }

  /** From the oldest to the latest. */
  values(): IterableIterator<Value> {
    return this.#values.values();
  }
}
