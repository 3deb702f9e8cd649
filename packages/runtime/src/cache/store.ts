import { type KubeObject, matchesLabels, type Stored } from "@keelson/core";
import type { Snapshot } from "../watch/snapshot.ts";
import { FieldNotIndexedError, IndexConflictError } from "./errors.ts";
import type { IndexFunction, StoreQuery } from "./informer/informer.ts";
import { KeysByValue, StoreIndex } from "./store-index.ts";

/**
 * Objects by key, with indexes. An object is not parsed to be stored or to be found by its namespace, but it is parsed
 * for any other index. A change either happens completely or, when it throws, not at all.
 */
export class Store<T extends KubeObject> {
  /** What is stored, for messages, such as `pods`. */
  readonly #what: string;
  /** By `keyText`. `#byNamespace` and each of `#indexes` hold the same keys. */
  #snapshots = new Map<string, Snapshot<T>>();
  #byNamespace = new KeysByValue();
  #indexes = new Map<string, StoreIndex<T>>();

  constructor(what: string) {
    this.#what = what;
  }

  get size(): number {
    return this.#snapshots.size;
  }

  get(keyText: string): Snapshot<T> | undefined {
    return this.#snapshots.get(keyText);
  }

  snapshots(): Iterable<Snapshot<T>> {
    return this.#snapshots.values();
  }

  /** Returns the snapshot that was stored under that key. */
  set(snapshot: Snapshot<T>): Snapshot<T> | undefined {
    const { keyText, namespace = "" } = snapshot;
    const filed = [...this.#indexes.values()].map((index) => ({ index, values: index.read(snapshot) }));
    for (const { index, values } of filed) index.set(keyText, values);
    const before = this.#snapshots.get(keyText);
    this.#snapshots.set(keyText, snapshot);
    this.#byNamespace.add(namespace, keyText);
    return before;
  }

  /** Returns the snapshot that was stored under that key. */
  delete(keyText: string): Snapshot<T> | undefined {
    const before = this.#snapshots.get(keyText);
    if (before === undefined) return undefined;
    this.#snapshots.delete(keyText);
    this.#byNamespace.delete(before.namespace ?? "", keyText);
    for (const index of this.#indexes.values()) index.delete(keyText);
    return before;
  }

  /** Replaces the whole content; the store keeps the map. Returns the previous content. */
  replace(snapshots: Map<string, Snapshot<T>>): ReadonlyMap<string, Snapshot<T>> {
    const indexes = new Map<string, StoreIndex<T>>();
    for (const { name, valuesOf } of this.#indexes.values())
      indexes.set(name, filledIndex(name, valuesOf, snapshots.values()));
    const byNamespace = new KeysByValue();
    for (const { keyText, namespace = "" } of snapshots.values()) byNamespace.add(namespace, keyText);
    const before = this.#snapshots;
    this.#snapshots = snapshots;
    this.#byNamespace = byNamespace;
    this.#indexes = indexes;
    return before;
  }

  /** Also indexes the stored objects. The same function may be added again; another one of the name throws [IN14]. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.valuesOf === valuesOf) return;
    if (existing !== undefined) throw new IndexConflictError(name, this.#what);
    this.#indexes.set(name, filledIndex(name, valuesOf, this.#snapshots.values()));
  }

  /** How many values an index has; undefined if there is no such index. */
  indexSize(name: string): number | undefined {
    return this.#indexes.get(name)?.size;
  }

  /** Throws a FieldNotIndexedError for an index that does not exist. */
  list({
    namespace,
    labels,
    indexed = [],
    limit = Number.POSITIVE_INFINITY,
  }: StoreQuery = {}): readonly Stored<T>[] {
    const keySets = indexed.map(({ index, value }) => this.#index(index).get(value));
    if (namespace !== undefined) keySets.push(this.#byNamespace.get(namespace));
    const found: Stored<T>[] = [];
    for (const snapshot of this.#inAll(keySets)) {
      if (found.length >= limit) break;
      const { object } = snapshot;
      if (labels === undefined || matchesLabels(labels, object.metadata.labels)) found.push(object);
    }
    return found;
  }

  #index(name: string): StoreIndex<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new FieldNotIndexedError(`list ${this.#what}`, name);
    return index;
  }

  /** What is in all of these sets, found by way of the smallest of them. */
  *#inAll(keySets: readonly ReadonlySet<string>[]): Iterable<Snapshot<T>> {
    const [smallest, ...rest] = keySets.toSorted((a, b) => a.size - b.size);
    if (smallest === undefined) {
      yield* this.#snapshots.values();
      return;
    }
    for (const keyText of smallest) {
      const snapshot = this.#snapshots.get(keyText);
      if (snapshot !== undefined && rest.every((keys) => keys.has(keyText))) yield snapshot;
    }
  }
}

function filledIndex<T extends KubeObject>(
  name: string,
  valuesOf: IndexFunction<T>,
  snapshots: Iterable<Snapshot<T>>,
): StoreIndex<T> {
  const index = new StoreIndex<T>(name, valuesOf);
  for (const snapshot of snapshots) index.set(snapshot.keyText, index.read(snapshot));
  return index;
}
