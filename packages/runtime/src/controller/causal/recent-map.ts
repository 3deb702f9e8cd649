/** An entry, and its neighbours in the order of use. */
interface Entry<Key, Value> {
  readonly key: Key;
  readonly value: Value;
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

  /** The value, without this counting as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** The value, which is made if there is none; a use of it. */
  use(key: Key, make: () => Value): Value {
    const found = this.#entries.get(key);
    if (found !== undefined) {
      this.#unlink(found);
      this.#append(found);
      return found.value;
    }
    const entry = { key, value: make(), older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    if (this.#entries.size > this.#limit && this.#oldest !== undefined) this.delete(this.#oldest.key);
    return entry.value;
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
  }

  /** The least recently used one first. */
  keys(): readonly Key[] {
    const keys: Key[] = [];
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) keys.push(entry.key);
    return keys;
  }

  get size(): number {
    return this.#entries.size;
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
