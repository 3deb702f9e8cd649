/** A map that holds the entries that were used last, and no more than so many. */
export class RecentlyUsed<Value> {
  readonly #values = new Map<string, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Counts as a use. */
  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Gives the value that had to make room, if one had to. */
  set(key: string, value: Value): Value | undefined {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#capacity) return undefined;
    const { value: oldest } = this.#values.entries().next();
    if (oldest === undefined) return undefined;
    this.#values.delete(oldest[0]);
    return oldest[1];
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** From the one that has not been used for longest; entries may be deleted meanwhile. */
  entries(): IterableIterator<[string, Value]> {
    return this.#values.entries();
  }
}
