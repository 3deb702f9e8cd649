import {
  apiVersionOf,
  draft,
  freeze,
  hasIdentityOf,
  isRecord,
  type KubeObject,
  matchesLabels,
  type Resource,
  reduceTo,
  type Stored,
} from "@keelson/core";
import { plainKey, type Snapshot } from "../watch/snapshot.ts";
import { withoutManagedFields } from "../watch/strip-managed-fields.ts";
import type { WatchScope } from "./cache-scopes.ts";
import { FieldNotIndexedError, IndexConflictError, IndexFunctionError } from "./errors.ts";
import type { IndexFunction, StoreQuery } from "./informer/informer.ts";

/**
 * Identifies a kind with its version and representation: `apps/v1/deployments`, `v1/pods as metadata`,
 * `v1/secrets as projection hash`. An optional kind is not the same as one that reads and syncs wait for.
 */
export function resourceIdOf(resource: Resource): string {
  const condition = resource.isOptional === true ? " if served" : "";
  return `${apiVersionOf(resource)}/${resource.plural}${asRepresentation(resource)}${condition}`;
}

/** Whole objects, their metadata and each projection of them are cached apart. Empty for whole objects. */
export function asRepresentation({ isMetadataOnly, projection }: Resource): string {
  if (projection !== undefined) return ` as projection ${projection.name}`;
  return isMetadataOnly === true ? " as metadata" : "";
}

/** Whether two resources are the same objects on the server, maybe in another version or representation. */
export function isSameCollection(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.plural === b.plural;
}

/** Whether a value is an object of the kind, by its own kind and apiVersion. */
export function isObjectOf<T extends KubeObject>(resource: Resource<T>, value: unknown): value is Stored<T> {
  return (
    isRecord(value) &&
    isRecord(value.metadata) &&
    typeof value.metadata.name === "string" &&
    hasIdentityOf(resource, value)
  );
}

/** The response of a server to a request for the metadata alone. */
function metadataOf({ metadata }: Stored): Stored {
  return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
}

/**
 * Converts an object of the server to what the store holds: a frozen copy without managedFields, maybe only its metadata
 * or a projection, transformed. Undefined if it is of another version or contains less than the store holds. Throws what
 * the projection or the transform throws.
 */
export function toStoredShape<T extends KubeObject>(
  resource: Resource<T>,
  { transform, keepManagedFields }: WatchScope<T>,
  object: Stored,
): Stored<T> | undefined {
  // The response belongs to the caller, which may change it; and a transform may change its argument.
  const whole: Stored = draft(reduceTo(resource, object));
  const kept = keepManagedFields ? whole : withoutManagedFields(whole);
  const represented = resource.isMetadataOnly === true ? metadataOf(kept) : kept;
  if (!isObjectOf(resource, represented)) return undefined;
  const transformed = transform === undefined ? represented : transform(represented);
  freeze(transformed);
  return transformed;
}

const none: ReadonlySet<string> = new Set();

/** Keys by value. A value without keys takes no memory [IN14]. */
class KeysByValue {
  readonly #keys = new Map<string, Set<string>>();

  /** How many values there are. */
  get size(): number {
    return this.#keys.size;
  }

  get(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? none;
  }

  add(value: string, key: string): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, new Set([key]));
    else keys.add(key);
  }

  delete(value: string, key: string): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value);
  }
}

/** One index of a store. */
class StoreIndex<T extends KubeObject> {
  readonly name: string;
  readonly valuesOf: IndexFunction<T>;
  readonly #keys = new KeysByValue();
  /** The values of each key, so that the key can be removed without calling the function again. */
  readonly #values = new Map<string, readonly string[]>();
  /** The keys of the objects that the function cannot handle. */
  readonly #failed = new Set<string>();

  constructor(name: string, valuesOf: IndexFunction<T>) {
    this.name = name;
    this.valuesOf = valuesOf;
  }

  /** How many objects the function cannot handle. */
  get failures(): number {
    return this.#failed.size;
  }

  hasFailed(key: string): boolean {
    return this.#failed.has(key);
  }

  /** How many values there are. */
  get size(): number {
    return this.#keys.size;
  }

  /** The keys under a value. */
  get(value: string): ReadonlySet<string> {
    return this.#keys.get(value);
  }

  /** Indexes a snapshot under exactly the values of its object; under none, if the function throws [IN22]. */
  file(snapshot: Snapshot<T>): IndexFunctionError | undefined {
    const { keyText } = snapshot;
    this.delete(keyText);
    if (snapshot.problem !== undefined) return undefined;
    try {
      const values = [...this.valuesOf(snapshot.object)];
      for (const value of values) this.#keys.add(value, keyText);
      if (values.length > 0) this.#values.set(keyText, values);
      return undefined;
    } catch (error) {
      this.#failed.add(keyText);
      return new IndexFunctionError(this.name, { key: plainKey(snapshot), cause: error });
    }
  }

  delete(key: string): void {
    for (const value of this.#values.get(key) ?? []) this.#keys.delete(value, key);
    this.#values.delete(key);
    this.#failed.delete(key);
  }
}

/** Called with the error of an index function for an object, once until the function can handle the object again. */
type OnIndexFailure = (error: IndexFunctionError) => void;

/**
 * Objects by key, with indexes. An object is not parsed to be stored or to be found by its namespace, but it is parsed
 * for any other index.
 */
export class Store<T extends KubeObject> {
  /** What is stored, for messages, such as `pods`. */
  readonly #what: string;
  readonly #onIndexFailure: OnIndexFailure | undefined;
  /** By `keyText`. `#byNamespace` and each of `#indexes` hold the same keys. */
  #snapshots = new Map<string, Snapshot<T>>();
  #byNamespace = new KeysByValue();
  #indexes = new Map<string, StoreIndex<T>>();
  #unreadable = 0;

  constructor(what: string, onIndexFailure?: OnIndexFailure) {
    this.#what = what;
    this.#onIndexFailure = onIndexFailure;
  }

  get size(): number {
    return this.#snapshots.size;
  }

  get hasIndexes(): boolean {
    return this.#indexes.size > 0;
  }

  get(keyText: string): Snapshot<T> | undefined {
    return this.#snapshots.get(keyText);
  }

  /** Those that can be read. */
  *snapshots(): Iterable<Snapshot<T>> {
    for (const snapshot of this.#snapshots.values()) if (snapshot.problem === undefined) yield snapshot;
  }

  /** How many snapshots cannot be read. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** How many objects each index is without, because its function cannot handle them. */
  get unindexed(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#indexes.values()].map(({ name, failures }) => [name, failures]));
  }

  /** Returns the snapshot that was stored under that key. */
  set(snapshot: Snapshot<T>): Snapshot<T> | undefined {
    const { keyText, namespace = "" } = snapshot;
    for (const index of this.#indexes.values()) this.#file(index, snapshot, index.hasFailed(keyText));
    const before = this.#snapshots.get(keyText);
    this.#unreadable += countUnreadable(snapshot) - countUnreadable(before);
    this.#snapshots.set(keyText, snapshot);
    this.#byNamespace.add(namespace, keyText);
    return before;
  }

  /** Returns the snapshot that was stored under that key. */
  delete(keyText: string): Snapshot<T> | undefined {
    const before = this.#snapshots.get(keyText);
    if (before === undefined) return undefined;
    this.#unreadable -= countUnreadable(before);
    this.#snapshots.delete(keyText);
    this.#byNamespace.delete(before.namespace ?? "", keyText);
    for (const index of this.#indexes.values()) index.delete(keyText);
    return before;
  }

  /** Replaces the whole content; the store keeps the map. Returns the previous content. */
  replace(snapshots: Map<string, Snapshot<T>>): ReadonlyMap<string, Snapshot<T>> {
    const indexes = new Map<string, StoreIndex<T>>();
    for (const index of this.#indexes.values())
      indexes.set(index.name, this.#filledIndex(index.name, index.valuesOf, snapshots.values(), index));
    const byNamespace = new KeysByValue();
    this.#unreadable = 0;
    for (const snapshot of snapshots.values()) {
      byNamespace.add(snapshot.namespace ?? "", snapshot.keyText);
      this.#unreadable += countUnreadable(snapshot);
    }
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
    this.#indexes.set(name, this.#filledIndex(name, valuesOf, this.#snapshots.values()));
  }

  /** How many values an index has; undefined if there is no such index. */
  indexSize(name: string): number | undefined {
    return this.#indexes.get(name)?.size;
  }

  /** What can be read. Throws a FieldNotIndexedError for an index that does not exist. */
  list(query: StoreQuery = {}): readonly Stored<T>[] {
    const { labels, limit = Number.POSITIVE_INFINITY } = query;
    const found: Stored<T>[] = [];
    for (const snapshot of this.#inNamespaceAndIndexes(query)) {
      if (found.length >= limit) break;
      if (snapshot.problem !== undefined) continue;
      const { object } = snapshot;
      if (labels === undefined || matchesLabels(labels, object.metadata.labels)) found.push(object);
    }
    return found;
  }

  /** The snapshots that a list would read for the first time, whatever its limit. The store may change meanwhile. */
  *unread(query: StoreQuery = {}): Iterable<Snapshot<T>> {
    for (const snapshot of this.#inNamespaceAndIndexes(query)) if (snapshot.unreadBytes > 0) yield snapshot;
  }

  #inNamespaceAndIndexes({ namespace, indexed = [] }: StoreQuery): Iterable<Snapshot<T>> {
    const keySets = indexed.map(({ index, value }) => this.#index(index).get(value));
    if (namespace !== undefined) keySets.push(this.#byNamespace.get(namespace));
    return this.#inAll(keySets);
  }

  #filledIndex(
    name: string,
    valuesOf: IndexFunction<T>,
    snapshots: Iterable<Snapshot<T>>,
    before?: StoreIndex<T>,
  ): StoreIndex<T> {
    const index = new StoreIndex<T>(name, valuesOf);
    for (const snapshot of snapshots)
      this.#file(index, snapshot, before?.hasFailed(snapshot.keyText) === true);
    return index;
  }

  #file(index: StoreIndex<T>, snapshot: Snapshot<T>, hasFailedBefore: boolean): void {
    const failure = index.file(snapshot);
    if (failure !== undefined && !hasFailedBefore) this.#onIndexFailure?.(failure);
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

function countUnreadable(snapshot: Snapshot<KubeObject> | undefined): number {
  return snapshot?.problem === undefined ? 0 : 1;
}
