/** An entry, and its neighbours in the order of use. */
interface Entry<Key, Value> {
  readonly key: Key;
  value: Value;
  older: Entry<Key, Value> | undefined;
  newer: Entry<Key, Value> | undefined;
}

/**
 * A map with a limited number of entries: adding one more removes the least recently used entry.
 *
 * The order is kept in a linked list. That of a Map would do, but finding its oldest entry skips the places of all entries
 * that were deleted before it.
 */
export class RecentMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  readonly #limit: number;
  #oldest: Entry<Key, Value> | undefined;
  #newest: Entry<Key, Value> | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** The value; does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** The value, if there is one; counts as a use. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#makeNewest(entry);
    return entry?.value;
  }

  /** The value, which is created if there is none; counts as a use. */
  use(key: Key, make: () => Value): Value {
    const found = this.#entries.get(key);
    if (found === undefined) {
      const value = make();
      this.set(key, value);
      return value;
    }
    this.#makeNewest(found);
    return found.value;
  }

  /** Sets the value, which counts as a use. Returns the value of the entry that was evicted, if any. */
  set(key: Key, value: Value): Value | undefined {
    const found = this.#entries.get(key);
    if (found !== undefined) {
      found.value = value;
      this.#makeNewest(found);
      return undefined;
    }
    const entry = { key, value, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    const oldest = this.#oldest;
    if (this.#entries.size <= this.#limit || oldest === undefined) return undefined;
    this.delete(oldest.key);
    return oldest.value;
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  /** The least recently used one first. The current entry may be deleted during the iteration. */
  *entries(): Iterable<readonly [Key, Value]> {
    for (let entry = this.#oldest; entry !== undefined; ) {
      const { key, value, newer } = entry;
      yield [key, value];
      entry = newer;
    }
  }

  /** The least recently used one first. */
  keys(): readonly Key[] {
    return [...this.entries()].map(([key]) => key);
  }

  #makeNewest(entry: Entry<Key, Value>): void {
    this.#unlink(entry);
    this.#append(entry);
  }

  #append(entry: Entry<Key, Value>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<Key, Value>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
