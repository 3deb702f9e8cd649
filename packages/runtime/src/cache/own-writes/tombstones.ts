import { hasReached, latestOf } from "./version-order.ts";

/** What own writes need of the informer's store. */
export interface StoreView {
  /** The version of the object in the store. */
  versionOf(keyText: string): string | undefined;
  uidOf(keyText: string): string | undefined;
  /** Whether an object that the informer deletes no longer exists. Not so if it may only have left the selection. */
  readonly areDeletionsFinal: boolean;
}

/** A deleted object, and what is known about the time of its deletion. */
export interface Deletion {
  readonly uid: string;
  /** It existed in this version. */
  readonly version?: string | undefined;
  /** At this version it no longer existed. */
  readonly deletedBy?: string | undefined;
}

/** The version that the informer has reached, and the uid whose deletion it has just delivered. */
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
  /** The store has contained it, so its absence means that its deletion was delivered. */
  wasStored: boolean;
}

/**
 * The deletions that an informer has not passed, so that the objects must be hidden [RW2]. A deletion that the informer
 * never delivers, because it never had the object, is forgotten after a timeout.
 */
export class Tombstones {
  readonly #store: StoreView;
  readonly #timeoutMs: number;
  readonly #byKey = new Map<string, Map<string, Tombstone>>();
  /** All tombstones. Each is held for the same time, so the first one is the first to expire. */
  readonly #byExpiry = new Set<Tombstone>();

  constructor(store: StoreView, timeoutMs: number) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
  }

  get size(): number {
    return this.#byExpiry.size;
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

  /** Whether the stored object is deleted. */
  hides(keyText: string): boolean {
    return this.hasKey(keyText) && this.has(keyText, this.#store.uidOf(keyText));
  }

  /** Whether a tombstone of the key waits for the informer to reach a version. */
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
      expiresAtMs: nowMs + this.#timeoutMs,
      wasStored: wasStored || known?.wasStored === true,
    };
    if (known !== undefined) this.#drop(known);
    if (!wasStored && this.#isPassed(tombstone, position)) return;
    const ofKey = this.#byKey.get(keyText) ?? new Map<string, Tombstone>();
    this.#byKey.set(keyText, ofKey.set(uid, tombstone));
    this.#byExpiry.add(tombstone);
  }

  /** Records a version of the object, maybe from the late response to a write. */
  recordVersion(keyText: string, uid: string | undefined, version: string): void {
    const tombstone = uid === undefined ? undefined : this.#byKey.get(keyText)?.get(uid);
    if (tombstone !== undefined) tombstone.version = latestOf(tombstone.version, version);
  }

  /** Checks the tombstones of a key after progress of the informer. */
  check(keyText: string, position: Position, nowMs: number): void {
    const ofKey = this.#byKey.get(keyText);
    if (ofKey === undefined) return;
    const storedUid = this.#store.uidOf(keyText);
    for (const tombstone of ofKey.values()) {
      const { uid } = tombstone;
      if (uid === storedUid) {
        tombstone.wasStored = true;
        tombstone.version = latestOf(tombstone.version, this.#store.versionOf(keyText));
      } else if (this.#isPassed(tombstone, position)) this.#drop(tombstone);
      // It has left the selection; the informer is late, and may still deliver that it came back.
      else if (uid === position.deletedUid) this.#renew(tombstone, nowMs);
    }
  }

  /** When `expire` has to be called. */
  get nextExpiryMs(): number | undefined {
    for (const { expiresAtMs } of this.#byExpiry) return expiresAtMs;
    return undefined;
  }

  /** While the store still has the object, or will get it, the informer is only late, and it stays hidden. */
  expire(reached: string | undefined, nowMs: number): void {
    const due: Tombstone[] = [];
    for (const tombstone of this.#byExpiry) {
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
    this.#byExpiry.clear();
  }

  /**
   * Whether the informer, whose store does not contain the object, has passed its deletion. It has if the store contained
   * the object before, unless the object may only have left the selection.
   */
  #isPassed({ uid, version, deletedBy, wasStored }: Tombstone, { reached, deletedUid }: Position): boolean {
    if (deletedBy !== undefined && hasReached(reached, deletedBy)) return true;
    if (!this.#store.areDeletionsFinal) return false;
    return uid === deletedUid || wasStored || (version !== undefined && hasReached(reached, version));
  }

  #renew(tombstone: Tombstone, nowMs: number): void {
    tombstone.expiresAtMs = nowMs + this.#timeoutMs;
    this.#byExpiry.delete(tombstone);
    this.#byExpiry.add(tombstone);
  }

  #drop(tombstone: Tombstone): void {
    const { keyText, uid } = tombstone;
    this.#byExpiry.delete(tombstone);
    const ofKey = this.#byKey.get(keyText);
    ofKey?.delete(uid);
    if (ofKey?.size === 0) this.#byKey.delete(keyText);
  }
}
