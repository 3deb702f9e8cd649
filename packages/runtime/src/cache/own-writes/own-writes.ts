import type { KubeObject, Stored } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { hasReached, isOrdered, latestOf, VersionOrderedKeys } from "./version-order.ts";

/** The version that the informer has reached. */
export interface Progress {
  readonly resourceVersion: string;
  /** The one key that has changed; absent if any key may have changed, or none. */
  readonly keyText?: string;
  readonly deletedUid?: string;
}

/** What a reader gets for a key: the stored object, the written one, none, or nothing before a deadline. */
export type OwnRead<T extends KubeObject> =
  | { readonly type: "stored" }
  | { readonly type: "written"; readonly object: Stored<T> }
  | { readonly type: "absent" }
  | { readonly type: "unknown"; readonly deadlineMs: number };

/** A write that the informer has not passed. Its object is undefined if the informer does not select it. */
type HeldWrite<T extends KubeObject> =
  | {
      readonly type: "object";
      readonly version: string;
      readonly uid: string | undefined;
      readonly object: Stored<T> | undefined;
    }
  | HeldVersion;

interface HeldVersion {
  readonly type: "version";
  readonly version: string;
  readonly uid: string | undefined;
  readonly deadlineMs: number;
}

const stored = { type: "stored" } as const;
const absent = { type: "absent" } as const;
const rememberedDeletions = 1024;
/** How many versions may be awaited in vain, because of later writes, before they are removed. */
const toleratedVersions = 1024;

/**
 * The own writes to the objects of one informer that have not come back through its watch. A write that the informer has
 * passed is forgotten at once, so that a later write of another client always wins [RW6] and nothing is held when nothing
 * is written [RW5]. It has no clock: callers pass the time.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #store: StoreView;
  readonly #timeoutMs: number;
  readonly #writes = new Map<string, HeldWrite<T>>();
  /** The writes of which only the version is known, the earliest deadline first. */
  readonly #unknown = new Map<string, HeldVersion>();
  readonly #tombstones: Tombstones;
  /** The keys to check when the informer reaches a version, so that not all have to be checked. */
  readonly #awaited = new VersionOrderedKeys();
  /** The deletions that the informer has delivered; a response that comes after them needs no tombstone. */
  readonly #seenDeletions = new RecentMap<string, true>(rememberedDeletions);
  #reached: string | undefined;
  #floor: { readonly version: string; readonly deadlineMs: number } | undefined;

  /** `timeoutMs` is how long a reader waits for a version, and how long a deletion is held that never comes back. */
  constructor(store: StoreView, timeoutMs: number) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
    this.#tombstones = new Tombstones(store, timeoutMs);
  }

  /** How many writes and deletions are held. */
  get size(): number {
    return this.#writes.size + this.#tombstones.size + (this.#floor === undefined ? 0 : 1);
  }

  /** How many versions are awaited, including those that later writes have made obsolete. */
  get versionsAwaited(): number {
    return this.#awaited.size;
  }

  /** Whether the informer has passed this version, so that a write of it is not held. */
  isPassed(keyText: string, version: string): boolean {
    return hasReached(this.#reached, version) || hasReached(this.#store.versionOf(keyText), version);
  }

  /**
   * Records a write whose response was an object of this version; `object` is undefined if the informer does not select
   * it. Then the write is held only if readers would otherwise see an older state that is selected [RW5].
   */
  recordObject(
    keyText: string,
    write: { version: string; uid: string | undefined; object: Stored<T> | undefined },
  ): void {
    const { version, uid, object } = write;
    this.#tombstones.recordVersion(keyText, uid, version);
    const held = this.#writes.get(keyText);
    const isAwaited = held?.type === "version" && held.version === version;
    if (this.isPassed(keyText, version) || (!isAwaited && this.#isOlder(keyText, version))) return;
    const kept = this.#tombstones.has(keyText, uid) ? undefined : object;
    const isOfInterest = kept !== undefined || this.#isKnown(keyText);
    if (isOfInterest) this.#hold(keyText, { type: "object", version, uid, object: kept });
  }

  /** Records a write that led to this version, while the state of the object is not known. */
  recordVersion(keyText: string, write: { version: string; uid: string | undefined }, nowMs: number): void {
    const { version, uid } = write;
    const isDeleted = this.#tombstones.has(keyText, uid);
    if (isDeleted) this.recordObject(keyText, { version, uid, object: undefined });
    if (isDeleted || this.isPassed(keyText, version) || this.#isOlder(keyText, version)) return;
    this.#hold(keyText, { type: "version", version, uid, deadlineMs: nowMs + this.#timeoutMs });
  }

  /** Records the deletion of an object. */
  recordDeletion(keyText: string, deletion: Deletion, nowMs: number): void {
    const { uid, deletedBy } = deletion;
    const write = this.#writes.get(keyText);
    const version = latestOf(deletion.version, write?.uid === uid ? write?.version : undefined);
    const deletedUid = this.#seenDeletions.has(uid) ? uid : undefined;
    const position = { reached: this.#reached, deletedUid };
    this.#dropWrite(keyText, uid);
    this.#tombstones.add(keyText, { uid, version, deletedBy }, position, nowMs);
    if (deletedBy !== undefined && this.#tombstones.has(keyText, uid)) this.#await(keyText, deletedBy);
  }

  /** Makes readers wait until the informer has reached the version of a write that was made before it existed. */
  requireAtLeast(version: string, nowMs: number): void {
    if (!hasReached(this.#reached, version)) this.#floor = { version, deadlineMs: nowMs + this.#timeoutMs };
  }

  /** Whether a key is held, so that the store alone does not decide what readers get. */
  isHeld(keyText: string): boolean {
    return this.#floor !== undefined || this.#writes.has(keyText) || this.#tombstones.hasKey(keyText);
  }

  /** The keys that are held. */
  *heldKeys(): Iterable<string> {
    yield* this.#writes.keys();
    for (const keyText of this.#tombstones.keys()) if (!this.#writes.has(keyText)) yield keyText;
  }

  /** What a reader of the key gets. */
  read(keyText: string): OwnRead<T> {
    if (this.#floor !== undefined) return { type: "unknown", deadlineMs: this.#floor.deadlineMs };
    const write = this.#writes.get(keyText);
    if (write?.type === "version") return { type: "unknown", deadlineMs: write.deadlineMs };
    if (write !== undefined)
      return write.object === undefined ? absent : { type: "written", object: write.object };
    return this.#tombstones.hides(keyText) ? absent : stored;
  }

  /** Until when a reader of several objects has to wait; undefined if all are known. */
  unknownUntil(isRequested: (keyText: string) => boolean): number | undefined {
    let deadlineMs = this.#floor?.deadlineMs;
    for (const [keyText, write] of this.#unknown) {
      if (isRequested(keyText)) deadlineMs = Math.max(deadlineMs ?? write.deadlineMs, write.deadlineMs);
    }
    return deadlineMs;
  }

  /** Records the progress of the informer. To be called after its store has changed and before any read. */
  advance({ resourceVersion, keyText, deletedUid }: Progress, nowMs: number): void {
    this.#reached = resourceVersion;
    if (deletedUid !== undefined) this.#seenDeletions.set(deletedUid, true);
    if (this.#floor !== undefined && this.#isOver(this.#floor, nowMs)) this.#floor = undefined;
    for (const [key, write] of this.#unknown) {
      if (isOrdered(write.version) || write.deadlineMs > nowMs) break;
      this.#forget(key);
    }
    const changed = keyText === undefined ? this.heldKeys() : [keyText];
    for (const key of changed) this.#check(key, deletedUid, nowMs);
    for (const key of this.#awaited.takeReached(resourceVersion)) this.#check(key, undefined, nowMs);
  }

  /** When `expire` has to be called; undefined if nothing is held for a limited time. */
  get nextExpiryMs(): number | undefined {
    return this.#tombstones.nextExpiryMs;
  }

  /** Forgets deletions that the informer has not delivered in time, because it never had the object. */
  expire(nowMs: number): void {
    this.#tombstones.expire(this.#reached, nowMs);
  }

  /** Forgets everything that is held. */
  clear(): void {
    this.#writes.clear();
    this.#unknown.clear();
    this.#tombstones.clear();
    this.#awaited.clear();
    this.#floor = undefined;
  }

  #check(keyText: string, deletedUid: string | undefined, nowMs: number): void {
    const write = this.#writes.get(keyText);
    if (write !== undefined && this.isPassed(keyText, write.version)) this.#forget(keyText);
    this.#tombstones.check(keyText, { reached: this.#reached, deletedUid }, nowMs);
  }

  #hold(keyText: string, write: HeldWrite<T>): void {
    this.#forget(keyText);
    this.#writes.set(keyText, write);
    if (write.type === "version") this.#unknown.set(keyText, write);
    this.#await(keyText, write.version);
  }

  #forget(keyText: string): void {
    this.#writes.delete(keyText);
    this.#unknown.delete(keyText);
  }

  #await(keyText: string, version: string): void {
    if (!isOrdered(version)) return;
    this.#awaited.add(version, keyText);
    if (this.#awaited.size > 2 * this.size + toleratedVersions)
      this.#awaited.retain(
        (key, awaited) => this.#writes.get(key)?.version === awaited || this.#tombstones.awaits(key, awaited),
      );
  }

  /** A version without an order may be skipped: it is given up at the first progress after its deadline. */
  #isOver({ version, deadlineMs }: { version: string; deadlineMs: number }, nowMs: number): boolean {
    return hasReached(this.#reached, version) || (!isOrdered(version) && deadlineMs <= nowMs);
  }

  /** Responses may come in another order than the writes were made. */
  #isOlder(keyText: string, version: string): boolean {
    const held = this.#writes.get(keyText);
    return held !== undefined && isOrdered(version) && hasReached(held.version, version);
  }

  /** The state in the store is older than the dropped write, and deleted with it. */
  #dropWrite(keyText: string, uid: string): void {
    const write = this.#writes.get(keyText);
    if (write?.uid !== uid) return;
    this.#forget(keyText);
    this.recordObject(keyText, { version: write.version, uid, object: undefined });
  }

  #isKnown(keyText: string): boolean {
    return this.#writes.has(keyText) || this.#store.versionOf(keyText) !== undefined;
  }
}

/** What own writes need of the informer's store. */
export interface StoreView {
  /** The version of the object in the store. */
  versionOf(keyText: string): string | undefined;
  uidOf(keyText: string): string | undefined;
  /** Whether an object that the informer deletes no longer exists. Not so if it may only have left the selection. */
  readonly areDeletionsFinal: boolean;
}

/** A deleted object, and what is known about the time of its deletion. */
interface Deletion {
  readonly uid: string;
  /** It existed in this version. */
  readonly version?: string | undefined;
  /** At this version it no longer existed. */
  readonly deletedBy?: string | undefined;
}

/** The version that the informer has reached, and the uid whose deletion it has just delivered. */
interface Position {
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
class Tombstones {
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
