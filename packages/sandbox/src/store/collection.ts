import type { StoreChange, StoredObject } from "./store.ts";

/** The current objects of one kind in the order of their keys, and their history. */
export class Collection {
  readonly #objects = new Map<string, StoredObject>();
  readonly #keys: string[] = [];
  /** Oldest first. */
  #history: StoreChange[] = [];

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  record(change: StoreChange): void {
    this.#history.push(change);
    const place = lowerBound(this.#keys, change.key);
    if (change.type === "DELETED") {
      this.#objects.delete(change.key);
      this.#keys.splice(place, 1);
      return;
    }
    if (change.type === "ADDED") this.#keys.splice(place, 0, change.key);
    this.#objects.set(change.key, change.object);
  }

  list(range: { readonly namespace?: string; readonly after?: string }): readonly StoredObject[] {
    const [start, end] = keyRange(this.#keys, range);
    const objects: StoredObject[] = [];
    for (let place = start; place < end; place++) {
      const object = this.#objects.get(this.#keys[place] ?? "");
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  /** As `list`, at a past revision: the current objects with all later changes undone. */
  listAt(
    revision: number,
    range: { readonly namespace?: string; readonly after?: string },
  ): readonly StoredObject[] {
    const changes = this.changesAfter(revision);
    if (changes.length === 0) return this.list(range);
    const objects = new Map(this.#objects);
    for (const { key, previous } of changes.toReversed()) {
      if (previous === undefined) objects.delete(key);
      else objects.set(key, previous);
    }
    const keys = [...objects.keys()].sort();
    const [start, end] = keyRange(keys, range);
    return keys.slice(start, end).flatMap((key) => objects.get(key) ?? []);
  }

  changesAfter(revision: number): readonly StoreChange[] {
    return this.#history.slice(this.#placeAfter(revision));
  }

  forget(upTo: number): void {
    this.#history = this.#history.slice(this.#placeAfter(upTo));
  }

  #placeAfter(revision: number): number {
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The index of the first key that is not before the given one. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = keys[middle];
    if (found !== undefined && found < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The half-open range of the keys of a namespace, after a key. Keys of a namespace begin with `namespace/`. */
function keyRange(
  keys: readonly string[],
  { namespace, after }: { readonly namespace?: string; readonly after?: string },
): readonly [number, number] {
  let start = namespace === undefined ? 0 : lowerBound(keys, `${namespace}/`);
  // "0" is the character after "/".
  const end = namespace === undefined ? keys.length : lowerBound(keys, `${namespace}0`);
  if (after !== undefined) {
    const place = lowerBound(keys, after);
    start = Math.max(start, keys[place] === after ? place + 1 : place);
  }
  return [start, Math.max(start, end)];
}
