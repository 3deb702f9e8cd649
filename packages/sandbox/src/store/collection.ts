import type { StoreChange, StoredObject, StorePage, StoreRange } from "./store.ts";

/** The states of objects at a revision, by key, of those that changed since; undefined: it did not exist. */
type PastStates = ReadonlyMap<string, StoredObject | undefined>;

const noPastStates: PastStates = new Map();

/** The current objects of one kind in the order of their keys, and their history. */
export class Collection {
  readonly #objects = new Map<string, StoredObject>();
  /** In order; those of removed objects stay as long as the history has the removal. */
  #keys: string[] = [];
  /** The keys of removed objects, with the revision of the removal. */
  readonly #removals = new Map<string, number>();
  /** Oldest first. */
  #history: StoreChange[] = [];

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  record(change: StoreChange): void {
    const { type, key, revision, object } = change;
    this.#history.push(change);
    if (type === "DELETED") {
      this.#objects.delete(key);
      this.#removals.set(key, revision);
      return;
    }
    this.#objects.set(key, object);
    const isListed = this.#removals.delete(key) || type === "MODIFIED";
    if (!isListed) this.#keys.splice(lowerBound(this.#keys, key), 0, key);
  }

  /** The first objects of a range. Costs no more than what is returned and the changes since the revision. */
  page(range: StoreRange): StorePage {
    const { revision, limit = Number.POSITIVE_INFINITY, matches } = range;
    const past = revision === undefined ? noPastStates : this.#statesAt(revision);
    const { from, to } = boundsOf(range);
    const end = to === undefined ? this.#keys.length : lowerBound(this.#keys, to);
    const objects: StoredObject[] = [];
    for (let place = lowerBound(this.#keys, from); place < end; place++) {
      const key = this.#keys[place] ?? "";
      const object = past.has(key) ? past.get(key) : this.#objects.get(key);
      if (object === undefined || matches?.(object) === false) continue;
      if (objects.length === limit) {
        const remaining = end - place - this.#missing(past, key, to);
        return { objects, remaining };
      }
      objects.push(object);
    }
    return { objects, remaining: 0 };
  }

  changesAfter(revision: number): readonly StoreChange[] {
    return this.#history.slice(this.#placeAfter(revision));
  }

  forget(upTo: number): void {
    this.#history = this.#history.slice(this.#placeAfter(upTo));
    const forgotten = new Set<string>();
    for (const [key, revision] of this.#removals) if (revision <= upTo) forgotten.add(key);
    if (forgotten.size === 0) return;
    for (const key of forgotten) this.#removals.delete(key);
    this.#keys = this.#keys.filter((key) => !forgotten.has(key));
  }

  /** The current state with all later changes undone. */
  #statesAt(revision: number): PastStates {
    const changes = this.changesAfter(revision);
    return new Map(changes.toReversed().map(({ key, previous }) => [key, previous]));
  }

  /** How many keys of a range had no object. */
  #missing(past: PastStates, from: string, to: string | undefined): number {
    const isInRange = (key: string): boolean => key >= from && (to === undefined || key < to);
    let missing = 0;
    for (const key of this.#removals.keys()) if (isInRange(key) && !past.has(key)) missing += 1;
    for (const [key, object] of past) if (isInRange(key) && object === undefined) missing += 1;
    return missing;
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

/** The first key of a range, and the one that follows its last. Keys of a namespace begin with `namespace/`. */
function boundsOf({ namespace, after }: StoreRange): { readonly from: string; readonly to?: string } {
  const next = after === undefined ? "" : `${after}\0`;
  if (namespace === undefined) return { from: next };
  const first = `${namespace}/`;
  // "0" is the character after "/".
  return { from: next > first ? next : first, to: `${namespace}0` };
}
