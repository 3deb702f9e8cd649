/** An entry, and its neighbours in the order of use. */
interface Entry<Key, Value> {
  readonly key: Key;
  value: Value;
  older: Entry<Key, Value> | undefined;
  newer: Entry<Key, Value> | undefined;
}

/**
 * A map that holds at most so many entries: one more, and the one that was used least recently goes.
 *
 * The order is a list of its own. That of a Map would do, but there the way to the oldest entry leads past the places of
 * all those that were deleted before it.
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

  /** The value, without this counting as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** The value, if there is one; a use of it. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#makeNewest(entry);
    return entry?.value;
  }

  /** The value, which is made if there is none; a use of it. */
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

  /** A use of the key. Gives the value of another one that had to make room, if one had to. */
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

  /** The least recently used one first. Whoever goes through them may delete the one at hand. */
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
