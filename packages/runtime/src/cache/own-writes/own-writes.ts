import type { KubeObject, Stored } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { type Deletion, type StoreView, Tombstones } from "./tombstones.ts";
import { hasReached, isOrdered, latestOf, VersionOrderedKeys } from "./version-order.ts";

/** How far the informer is whose reads are to include what was written. */
export interface Progress {
  readonly resourceVersion: string;
  /** The one key that has changed; absent if any may have, or none. */
  readonly keyText?: string;
  readonly deletedUid?: string;
}

/** What a reader is to take for a key: what the store has, another object, none, or nothing before a moment. */
export type OwnRead<T extends KubeObject> =
  | { readonly type: "stored" }
  | { readonly type: "written"; readonly object: Stored<T> }
  | { readonly type: "absent" }
  | { readonly type: "unknown"; readonly deadlineMs: number };

/** A write that the informer has not passed. Its object is undefined if it does not belong to the informer. */
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
/** How many versions may be awaited for nothing, because a later write has come, before they are sorted out. */
const toleratedVersions = 1024;

/**
 * What was written to the objects of one informer and has not come back through its watch. Whatever the informer has
 * passed is forgotten at once, so that a later write of somebody else always wins [RW6] and nothing is held at rest
 * [RW5]. Knows nothing of time but what it is told.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #store: StoreView;
  readonly #patienceMs: number;
  readonly #writes = new Map<string, HeldWrite<T>>();
  /** Those of the writes of which only the version is known, the earliest deadline first. */
  readonly #unknown = new Map<string, HeldVersion>();
  readonly #tombstones: Tombstones;
  /** What is to be looked at when the informer gets to a version, so that it need not look at everything. */
  readonly #awaited = new VersionOrderedKeys();
  /** The deletions that the informer has told of; an answer that comes later than they needs no tombstone. */
  readonly #seenDeletions = new RecentMap<string, true>(rememberedDeletions);
  #reached: string | undefined;
  #floor: { readonly version: string; readonly deadlineMs: number } | undefined;

  /** `patienceMs` is how long a reader waits for a version, and a deletion is kept that the informer never tells of. */
  constructor(store: StoreView, patienceMs: number) {
    this.#store = store;
    this.#patienceMs = patienceMs;
    this.#tombstones = new Tombstones(store, patienceMs);
  }

  /** How many writes and deletions are held. */
  get size(): number {
    return this.#writes.size + this.#tombstones.size + (this.#floor === undefined ? 0 : 1);
  }

  /** How many versions are waited for, with those that later writes have made needless. */
  get versionsAwaited(): number {
    return this.#awaited.size;
  }

  /** Whether a write of this version would be held at all: it is not, once the informer has passed it. */
  isPassed(keyText: string, version: string): boolean {
    return hasReached(this.#reached, version) || hasReached(this.#store.versionOf(keyText), version);
  }

  /**
   * A write was answered by an object of this version; `object` is undefined if it does not belong to the informer.
   * Then it is held only if readers would see something else: a state that does [RW5].
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

  /** A write led to this version, and what the object looks like now is not known. */
  recordVersion(keyText: string, write: { version: string; uid: string | undefined }, nowMs: number): void {
    const { version, uid } = write;
    const isGone = this.#tombstones.has(keyText, uid);
    if (isGone) this.recordObject(keyText, { version, uid, object: undefined });
    if (isGone || this.isPassed(keyText, version) || this.#isOlder(keyText, version)) return;
    this.#hold(keyText, { type: "version", version, uid, deadlineMs: nowMs + this.#patienceMs });
  }

  /** An object is gone. */
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

  /** Something was written before the informer was there: readers wait until it has reached this version. */
  requireAtLeast(version: string, nowMs: number): void {
    if (!hasReached(this.#reached, version)) this.#floor = { version, deadlineMs: nowMs + this.#patienceMs };
  }

  /** Whether a key is held, so that the store alone does not answer for it. */
  isHeld(keyText: string): boolean {
    return this.#floor !== undefined || this.#writes.has(keyText) || this.#tombstones.hasKey(keyText);
  }

  /** The keys that are held. */
  *heldKeys(): Iterable<string> {
    yield* this.#writes.keys();
    for (const keyText of this.#tombstones.keys()) if (!this.#writes.has(keyText)) yield keyText;
  }

  /** What a reader of the key is to take. */
  read(keyText: string): OwnRead<T> {
    if (this.#floor !== undefined) return { type: "unknown", deadlineMs: this.#floor.deadlineMs };
    const write = this.#writes.get(keyText);
    if (write?.type === "version") return { type: "unknown", deadlineMs: write.deadlineMs };
    if (write !== undefined)
      return write.object === undefined ? absent : { type: "written", object: write.object };
    return this.#tombstones.hides(keyText) ? absent : stored;
  }

  /** Until when a reader of several objects is to wait; undefined if all is known. */
  unknownUntil(isAsked: (keyText: string) => boolean): number | undefined {
    let deadlineMs = this.#floor?.deadlineMs;
    for (const [keyText, write] of this.#unknown) {
      if (isAsked(keyText)) deadlineMs = Math.max(deadlineMs ?? write.deadlineMs, write.deadlineMs);
    }
    return deadlineMs;
  }

  /** The informer has come this far. Call it after its store has changed and before anybody can read. */
  advance({ resourceVersion, keyText, deletedUid }: Progress, nowMs: number): void {
    this.#reached = resourceVersion;
    if (deletedUid !== undefined) this.#seenDeletions.set(deletedUid, true);
    if (this.#floor !== undefined && this.#isOver(this.#floor, nowMs)) this.#floor = undefined;
    for (const [key, write] of this.#unknown) {
      if (isOrdered(write.version) || write.deadlineMs > nowMs) break;
      this.#forget(key);
    }
    const changed = keyText === undefined ? this.heldKeys() : [keyText];
    for (const key of changed) this.#lookAt(key, deletedUid, nowMs);
    for (const key of this.#awaited.takeReached(resourceVersion)) this.#lookAt(key, undefined, nowMs);
  }

  /** When `expire` has something to look at; undefined if nothing is held for a time. */
  get nextExpiryMs(): number | undefined {
    return this.#tombstones.nextExpiryMs;
  }

  /** Forgets deletions that the informer has not told of in time, because it never knew the object. */
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

  #lookAt(keyText: string, deletedUid: string | undefined, nowMs: number): void {
    const write = this.#writes.get(keyText);
    if (write !== undefined && this.isPassed(keyText, write.version)) this.#forget(keyText);
    this.#tombstones.lookAt(keyText, { reached: this.#reached, deletedUid }, nowMs);
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

  /** A version without an order may be passed without being met: it is given up once the informer goes on after that. */
  #isOver({ version, deadlineMs }: { version: string; deadlineMs: number }, nowMs: number): boolean {
    return hasReached(this.#reached, version) || (!isOrdered(version) && deadlineMs <= nowMs);
  }

  /** Answers may come in another order than the writes were made. */
  #isOlder(keyText: string, version: string): boolean {
    const held = this.#writes.get(keyText);
    return held !== undefined && isOrdered(version) && hasReached(held.version, version);
  }

  /** What the store has besides is older than the write was, and as little there. */
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
