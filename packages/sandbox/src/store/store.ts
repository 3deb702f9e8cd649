import type { GenericObject, Stored } from "@keelson/core";

/** An object as the store holds it: frozen, with the revision of its last write as `metadata.resourceVersion`. */
export type StoredObject = Stored<GenericObject>;

/**
 * All objects of the API server with their history: one counter of revisions for all objects, as in etcd. Objects are
 * frozen, carry the revision of their last write as `metadata.resourceVersion`, and are never copied on read. All calls
 * are synchronous: the next read returns what was written.
 */
export interface Store {
  /** The revision of the last write. */
  readonly revision: number;
  /** The history up to and including this revision is compacted. */
  readonly compactedRevision: number;
  get(collection: string, key: string): StoredObject | undefined;
  /** In the order of their keys. Throws CompactedError or FutureRevisionError if the revision is not available. */
  list(collection: string, range?: StoreRange): readonly StoredObject[];
  /** As `list`, with the number of objects that the limit left out. */
  page(collection: string, range: StoreRange): StorePage;
  count(collection: string): number;
  /**
   * Writes a new state, or removes the object if it is undefined, as one revision. Returns the stored object; for a
   * removal, the last state with the revision of the removal. Throws StaleWriteError if the stored object is not at the
   * expected revision (0: does not exist).
   */
  write(write: StoreWrite): StoredObject;
  /**
   * Calls the listener for every change of the collection (undefined: of all) after a revision, first at once for past
   * ones, then as they happen; in the order of revisions, synchronously within `write`. Throws CompactedError if past
   * changes are compacted. The listener must not write; it may unsubscribe.
   */
  subscribe(
    collection: string | undefined,
    after: number,
    listener: (change: StoreChange) => void,
  ): () => void;
  /** Drops the history up to this revision, at most the current one. */
  compact(revision: number): void;
  /** The collections that hold objects. */
  collections(): readonly string[];
}

export interface StoreRange {
  /** Only this namespace. */
  readonly namespace?: string;
  /** As it was at this revision. Default: now. */
  readonly revision?: number;
  /** Only keys that come after this one. */
  readonly after?: string;
  /** Only objects for which this is true. */
  readonly matches?: (object: StoredObject) => boolean;
  /** At most so many. Default: all. */
  readonly limit?: number;
}

export interface StorePage {
  readonly objects: readonly StoredObject[];
  /**
   * 0 if these are all. Otherwise how many objects of the range there are from the first one that the limit left out,
   * whether they match or not.
   */
  readonly remaining: number;
}

export interface StoreWrite {
  readonly collection: string;
  readonly key: string;
  readonly object: GenericObject | undefined;
  readonly expectedRevision: number;
}

export interface StoreChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** For DELETED: its last state, with the revision of the deletion. */
  readonly object: StoredObject;
  /** Absent for ADDED. */
  readonly previous?: StoredObject;
}

/** `namespace/name`, or `name` for an object without a namespace. Ordered as etcd orders them. */
export function storeKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}
