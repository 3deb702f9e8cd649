import { hasReached, latestOf } from "./version-order.ts";

/** What own writes need to know of the informer's store. */
export interface StoreView {
  /** The version of the object in the store. */
  versionOf(keyText: string): string | undefined;
  uidOf(keyText: string): string | undefined;
  /** An object that the informer says is gone is gone for good. Not so if it may only have left a selection. */
  readonly areDeletionsFinal: boolean;
}

/** An object that is gone, and what is known of when it went. */
export interface Deletion {
  readonly uid: string;
  /** It existed in this version. */
  readonly version?: string | undefined;
  /** By this version it was gone. */
  readonly deletedBy?: string | undefined;
}

/** Where the informer is, and the uid that it has just told to be gone. */
export interface Position {
  readonly reached: string | undefined;
  readonly deletedUid?: string | undefined;
}

/** A deleted object that the informer may still deliver. */
interface Tombstone {
  readonly keyText: string;
  readonly uid: string;
  /** The latest version that is known of the object. An informer that has not reached it will deliver it. */
  version: string | undefined;
  deletedBy: string | undefined;
  expiresAtMs: number;
  /** The store has had it, so that its absence means that its deletion was seen. */
  wasStored: boolean;
}

/**
 * The deletions that an informer has not passed, so that the objects must be hidden [RW2]. One of which the informer
 * never tells, because it never knew the object, is forgotten after a while.
 */
export class Tombstones {
  readonly #store: StoreView;
  readonly #patienceMs: number;
  readonly #byKey = new Map<string, Map<string, Tombstone>>();
  /** All of them. Each is held for the same time, so that the first one is the first to expire. */
  readonly #inTurn = new Set<Tombstone>();

  constructor(store: StoreView, patienceMs: number) {
    this.#store = store;
    this.#patienceMs = patienceMs;
  }

  get size(): number {
    return this.#inTurn.size;
  }

  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }

  hasKey(keyText: string): boolean {
    return this.#byKey.has(keyText);
  }

  has(keyText: string, uid: string | undefined): boolean {
    return uid !== undefined && this.#byKey.get(keyText)?.has(uid) === true;
  }

  /** Whether what the store has is deleted. */
  hides(keyText: string): boolean {
    return this.hasKey(keyText) && this.has(keyText, this.#store.uidOf(keyText));
  }

  /** Whether somebody waits for the informer to reach a version. */
  awaits(keyText: string, version: string): boolean {
    const ofKey = this.#byKey.get(keyText);
    return ofKey !== undefined && [...ofKey.values()].some(({ deletedBy }) => deletedBy === version);
  }

  /** Held unless the informer has passed it. */
  add(keyText: string, { uid, version, deletedBy }: Deletion, position: Position, nowMs: number): void {
    const known = this.#byKey.get(keyText)?.get(uid);
    const wasStored = this.#store.uidOf(keyText) === uid;
    const storedVersion = wasStored ? this.#store.versionOf(keyText) : undefined;
    const tombstone: Tombstone = {
      keyText,
      uid,
      version: latestOf(known?.version, version, storedVersion),
      deletedBy: deletedBy ?? known?.deletedBy,
      expiresAtMs: nowMs + this.#patienceMs,
      wasStored: wasStored || known?.wasStored === true,
    };
    if (known !== undefined) this.#drop(known);
    if (!wasStored && this.#isPassed(tombstone, position)) return;
    const ofKey = this.#byKey.get(keyText) ?? new Map<string, Tombstone>();
    this.#byKey.set(keyText, ofKey.set(uid, tombstone));
    this.#inTurn.add(tombstone);
  }

  /** A version of the object has become known, maybe by the late answer to a write. */
  recordVersion(keyText: string, uid: string | undefined, version: string): void {
    const tombstone = uid === undefined ? undefined : this.#byKey.get(keyText)?.get(uid);
    if (tombstone !== undefined) tombstone.version = latestOf(tombstone.version, version);
  }

  /** The informer has come further, and may have told of the key. */
  lookAt(keyText: string, position: Position, nowMs: number): void {
    const ofKey = this.#byKey.get(keyText);
    if (ofKey === undefined) return;
    const storedUid = this.#store.uidOf(keyText);
    for (const tombstone of ofKey.values()) {
      const { uid } = tombstone;
      if (uid === storedUid) {
        tombstone.wasStored = true;
        tombstone.version = latestOf(tombstone.version, this.#store.versionOf(keyText));
      } else if (this.#isPassed(tombstone, position)) this.#drop(tombstone);
      // It has left the selection; the informer is late with it, and may tell that it came back.
      else if (uid === position.deletedUid) this.#renew(tombstone, nowMs);
    }
  }

  /** When `expire` has something to look at. */
  get nextExpiryMs(): number | undefined {
    for (const { expiresAtMs } of this.#inTurn) return expiresAtMs;
    return undefined;
  }

  /** While the store still has the object, or will get it, the informer is only late, and it stays hidden. */
  expire(reached: string | undefined, nowMs: number): void {
    const due: Tombstone[] = [];
    for (const tombstone of this.#inTurn) {
      if (tombstone.expiresAtMs > nowMs) break;
      due.push(tombstone);
    }
    for (const tombstone of due) {
      const { keyText, uid, version } = tombstone;
      const isAhead = version !== undefined && !hasReached(reached, version);
      if (isAhead || this.#store.uidOf(keyText) === uid) this.#renew(tombstone, nowMs);
      else this.#drop(tombstone);
    }
  }

  clear(): void {
    this.#byKey.clear();
    this.#inTurn.clear();
  }

  /**
   * Whether the informer, whose store does not have the object, is past its deletion. It is if it has seen the object
   * and then not any more, unless the object may only have left the selection.
   */
  #isPassed({ uid, version, deletedBy, wasStored }: Tombstone, { reached, deletedUid }: Position): boolean {
    if (deletedBy !== undefined && hasReached(reached, deletedBy)) return true;
    if (!this.#store.areDeletionsFinal) return false;
    return uid === deletedUid || wasStored || (version !== undefined && hasReached(reached, version));
  }

  #renew(tombstone: Tombstone, nowMs: number): void {
    tombstone.expiresAtMs = nowMs + this.#patienceMs;
    this.#inTurn.delete(tombstone);
    this.#inTurn.add(tombstone);
  }

  #drop(tombstone: Tombstone): void {
    const { keyText, uid } = tombstone;
    this.#inTurn.delete(tombstone);
    const ofKey = this.#byKey.get(keyText);
    ofKey?.delete(uid);
    if (ofKey?.size === 0) this.#byKey.delete(keyText);
  }
}
