import { freeze, type GenericObject, isStored } from "@keelson/core";
import { Collection } from "./collection.ts";
import {
  CompactedError,
  FutureRevisionError,
  IncompleteObjectError,
  NestedWriteError,
  StaleWriteError,
} from "./errors.ts";
import type { Journal } from "./journal.ts";
import type { Store, StoreChange, StoredObject, StorePage, StoreRange, StoreWrite } from "./store.ts";

interface MemoryStoreOptions {
  /** How many changes are kept for watches from an earlier revision; older ones are compacted. Default: 100,000. */
  readonly historyLimit?: number;
  /** Persists the writes, and has those of earlier processes. Default: an empty store at revision 1, like a new etcd. */
  readonly journal?: Journal;
}

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { historyLimit = 100_000, journal } = options;
  return new MemoryStore(historyLimit, journal);
}

interface Listener {
  /** The revision up to which it has received changes when it subscribes. */
  readonly after: number;
  readonly call: (change: StoreChange) => void;
}

class MemoryStore implements Store {
  readonly #collections = new Map<string, Collection>();
  /** By collection; undefined for listeners of all collections. */
  readonly #listeners = new Map<string | undefined, Set<Listener>>();
  readonly #historyLimit: number;
  readonly #journal: Journal | undefined;
  #revision: number;
  #compactedRevision: number;
  #isNotifying = false;

  constructor(historyLimit: number, journal: Journal | undefined) {
    const { revision, objects } = journal?.snapshot ?? { revision: 1, objects: [] };
    this.#historyLimit = historyLimit;
    this.#journal = journal;
    this.#revision = revision;
    this.#compactedRevision = revision;
    for (const { collection, key, object } of objects) {
      const change = { type: "ADDED", collection, key, revision, object: freeze(object) } as const;
      this.#collectionOf(collection).record(change);
    }
    for (const collection of this.#collections.values()) collection.forget(revision);
  }

  get revision(): number {
    return this.#revision;
  }

  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  get(collection: string, key: string): StoredObject | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  list(collection: string, range: StoreRange = {}): readonly StoredObject[] {
    return this.page(collection, range).objects;
  }

  page(name: string, range: StoreRange): StorePage {
    const { revision = this.#revision, ...rest } = range;
    this.#checkRevision(revision);
    const collection = this.#collections.get(name);
    if (collection === undefined) return { objects: [], remaining: 0 };
    return collection.page(revision === this.#revision ? rest : range);
  }

  count(collection: string): number {
    return this.#collections.get(collection)?.size ?? 0;
  }

  write(write: StoreWrite): StoredObject {
    const { collection, key, expectedRevision } = write;
    if (this.#isNotifying) throw new NestedWriteError(collection, key);
    const previous = this.get(collection, key);
    const actualRevision = previous === undefined ? 0 : Number(previous.metadata.resourceVersion);
    if (actualRevision !== expectedRevision) {
      throw new StaleWriteError(collection, key, expectedRevision, actualRevision);
    }
    const state = write.object ?? previous;
    // Neither a stored object nor a new one.
    if (state === undefined) throw new StaleWriteError(collection, key, expectedRevision, 0);
    const revision = this.#revision + 1;
    const object = atRevision(state, revision);
    if (!isStored(object)) throw new IncompleteObjectError(collection, key);
    const type = write.object === undefined ? "DELETED" : previous === undefined ? "ADDED" : "MODIFIED";
    const base = { type, collection, key, revision, object } as const;
    // A write that cannot be persisted does not happen.
    this.#journal?.append({ collection, key, revision, object: write.object === undefined ? null : object });
    this.#revision = revision;
    const change: StoreChange = previous === undefined ? base : { ...base, previous };
    this.#collectionOf(collection).record(change);
    // A margin, so that not every write moves the rest of the history.
    if (revision - this.#compactedRevision > this.#historyLimit * 1.25)
      this.compact(revision - this.#historyLimit);
    this.#notify(change);
    return object;
  }

  subscribe(
    collection: string | undefined,
    after: number,
    listener: (change: StoreChange) => void,
  ): () => void {
    this.#checkRevision(after);
    for (const change of this.#changesAfter(collection, after)) listener(change);
    const listeners = this.#listeners.get(collection) ?? new Set<Listener>();
    this.#listeners.set(collection, listeners);
    const entry: Listener = { after: this.#revision, call: listener };
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
      if (listeners.size === 0 && this.#listeners.get(collection) === listeners) {
        this.#listeners.delete(collection);
      }
    };
  }

  compact(revision: number): void {
    const upTo = Math.min(revision, this.#revision);
    if (upTo <= this.#compactedRevision) return;
    this.#compactedRevision = upTo;
    for (const collection of this.#collections.values()) collection.forget(upTo);
  }

  collections(): readonly string[] {
    return [...this.#collections].filter(([, { size }]) => size > 0).map(([name]) => name);
  }

  #collectionOf(name: string): Collection {
    const collection = this.#collections.get(name) ?? new Collection();
    this.#collections.set(name, collection);
    return collection;
  }

  #changesAfter(name: string | undefined, revision: number): readonly StoreChange[] {
    if (name !== undefined) return this.#collections.get(name)?.changesAfter(revision) ?? [];
    return [...this.#collections.values()]
      .flatMap((collection) => collection.changesAfter(revision))
      .sort((one, other) => one.revision - other.revision);
  }

  /** The current revision is always available, whatever is compacted. */
  #checkRevision(revision: number): void {
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision);
    if (revision < this.#compactedRevision) throw new CompactedError(revision, this.#compactedRevision);
  }

  #notify(change: StoreChange): void {
    this.#isNotifying = true;
    try {
      for (const name of [change.collection, undefined]) {
        for (const { after, call } of this.#listeners.get(name) ?? []) {
          // A listener that subscribed during this notification has the change from the history.
          if (change.revision > after) call(change);
        }
      }
    } finally {
      this.#isNotifying = false;
    }
  }
}

function atRevision(object: GenericObject, revision: number): GenericObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return freeze({ ...object, metadata });
}
