import type { StoredObject } from "./store.ts";

/** All objects of a store, without their history. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly objects: readonly StoredEntry[];
}

export interface StoredEntry {
  readonly collection: string;
  readonly key: string;
  readonly object: StoredObject;
}

/** One write in the journal. */
export interface JournalEntry {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** Null: removed. */
  readonly object: StoredObject | null;
}

/** Persists the objects of a store beyond the life of a process. */
export interface Journal {
  /** The state that an earlier process left; undefined if there was none. */
  readonly snapshot: StoreSnapshot | undefined;
  /** Called before each write; when it returns, the write is durable. If it throws, the write does not happen. */
  append(entry: JournalEntry): void;
}

/** The state of a snapshot after later writes. */
export function replay(
  snapshot: StoreSnapshot | undefined,
  entries: Iterable<JournalEntry>,
): StoreSnapshot | undefined {
  const objects = new Map(
    (snapshot?.objects ?? []).map((stored) => [`${stored.collection} ${stored.key}`, stored] as const),
  );
  let revision = snapshot?.revision;
  for (const entry of entries) {
    const { collection, key, object } = entry;
    // A snapshot may be newer than the beginning of a journal that was being replaced.
    if (revision !== undefined && entry.revision <= revision) continue;
    revision = entry.revision;
    if (object === null) objects.delete(`${collection} ${key}`);
    else objects.set(`${collection} ${key}`, { collection, key, object });
  }
  return revision === undefined ? undefined : { revision, objects: [...objects.values()] };
}
