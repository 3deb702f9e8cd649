import type { KubeObject } from "@keelson/core";
import { RecentSet } from "./recent-set.ts";
import { hasReached, isOrdered } from "./version-order.ts";

/** How far the informer is whose reads are to include what was written. */
export interface Progress {
  readonly resourceVersion: string;
  /** The one key that has changed; absent if any may have, or none. */
  readonly keyText?: string;
  readonly deletedUid?: string;
}

/** What own writes need to know of the informer's store. */
export interface StoredFacts {
  /** The version of the object in the store. */
  versionOf(keyText: string): string | undefined;
  uidOf(keyText: string): string | undefined;
  /** An object that the informer says is gone is gone for good. Not so if it may only have left a selection. */
  readonly areDeletionsFinal: boolean;
}

/** What a reader is to take for a key: what the store has, another object, none, or nothing before a moment. */
export type OwnRead<T extends KubeObject> =
  | { readonly type: "stored" }
  | { readonly type: "written"; readonly object: T }
  | { readonly type: "absent" }
  | { readonly type: "unknown"; readonly deadlineMs: number };

/** A write that the informer has not passed. Its object is undefined if it does not belong to the informer. */
type HeldWrite<T> =
  | {
      readonly type: "object";
      readonly version: string;
      readonly uid: string | undefined;
      readonly object: T | undefined;
    }
  | {
      readonly type: "version";
      readonly version: string;
      readonly uid: string | undefined;
      readonly deadlineMs: number;
    };

/** A deleted object that the informer may still deliver. */
interface Tombstone {
  expiresAtMs: number;
  /** The store has had it, so that its absence means that its deletion was seen. */
  wasStored: boolean;
}

const stored = { type: "stored" } as const;
const absent = { type: "absent" } as const;
const rememberedDeletions = 1024;

/**
 * What was written to the objects of one informer and has not come back through its watch. Whatever the informer has
 * passed is forgotten at once, so that a later write of somebody else always wins [RW6] and nothing is held at rest
 * [RW5]. Knows nothing of time but what it is told.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #store: StoredFacts;
  readonly #patienceMs: number;
  readonly #writes = new Map<string, HeldWrite<T>>();
  readonly #tombstones = new Map<string, Map<string, Tombstone>>();
  /** The deletions that the informer has told of; an answer that comes later than they needs no tombstone. */
  readonly #seenDeletions = new RecentSet<string>(rememberedDeletions);
  #reached: string | undefined;
  #floor: { readonly version: string; readonly deadlineMs: number } | undefined;

  /** `patienceMs` is how long a reader waits for a version, and a deletion is kept that the informer never tells of. */
  constructor(store: StoredFacts, patienceMs: number) {
    this.#store = store;
    this.#patienceMs = patienceMs;
  }

  /** How many writes and deletions are held. */
  get size(): number {
    let size = this.#writes.size + (this.#floor === undefined ? 0 : 1);
    for (const ofKey of this.#tombstones.values()) size += ofKey.size;
    return size;
  }

  /** Whether a write of this version would be held at all: it is not, once the informer has passed it. */
  isPassed(keyText: string, version: string): boolean {
    return hasReached(this.#reached, version) || hasReached(this.#store.versionOf(keyText), version);
  }

  /**
   * A write was answered by an object of this version; `object` is undefined if it does not belong to the informer.
   * Then it is held only if readers would see something else: a state that does [RW5].
   */
  noteObject(
    keyText: string,
    write: { version: string; uid: string | undefined; object: T | undefined },
  ): void {
    const { version, uid, object } = write;
    const held = this.#writes.get(keyText);
    const isAwaited = held?.type === "version" && held.version === version;
    if (this.isPassed(keyText, version) || (!isAwaited && this.#isOlder(keyText, version))) return;
    const kept = this.#isGone(keyText, uid) ? undefined : object;
    const isOfInterest = kept !== undefined || this.#isKnown(keyText);
    if (isOfInterest) this.#writes.set(keyText, { type: "object", version, uid, object: kept });
  }

  /** A write led to this version, and what the object looks like now is not known. */
  noteVersion(keyText: string, write: { version: string; uid: string | undefined }, nowMs: number): void {
    const { version, uid } = write;
    if (this.isPassed(keyText, version) || this.#isOlder(keyText, version)) return;
    if (this.#isGone(keyText, uid)) this.noteObject(keyText, { version, uid, object: undefined });
    else this.#writes.set(keyText, { type: "version", version, uid, deadlineMs: nowMs + this.#patienceMs });
  }

  /** The object of this uid is gone. */
  noteDeletion(keyText: string, uid: string, nowMs: number): void {
    this.#dropWrite(keyText, uid);
    const wasStored = this.#store.uidOf(keyText) === uid;
    if (!wasStored && this.#store.areDeletionsFinal && this.#seenDeletions.has(uid)) return;
    const ofKey = this.#tombstones.get(keyText) ?? new Map<string, Tombstone>();
    this.#tombstones.set(keyText, ofKey);
    ofKey.set(uid, { expiresAtMs: nowMs + this.#patienceMs, wasStored });
  }

  /** Something was written before the informer was there: readers wait until it has reached this version. */
  noteFloor(version: string, nowMs: number): void {
    if (!hasReached(this.#reached, version)) this.#floor = { version, deadlineMs: nowMs + this.#patienceMs };
  }

  /** Whether a key is held, so that the store alone does not answer for it. */
  isHeld(keyText: string): boolean {
    return this.#floor !== undefined || this.#writes.has(keyText) || this.#tombstones.has(keyText);
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
    const ofKey = this.#tombstones.get(keyText);
    if (ofKey === undefined) return stored;
    const uid = this.#store.uidOf(keyText);
    return uid !== undefined && ofKey.has(uid) ? absent : stored;
  }

  /** Until when a reader of several objects is to wait; undefined if all is known. */
  unknownUntil(isAsked: (keyText: string) => boolean): number | undefined {
    let deadlineMs = this.#floor?.deadlineMs;
    for (const [keyText, write] of this.#writes) {
      if (write.type === "version" && isAsked(keyText))
        deadlineMs = Math.max(deadlineMs ?? write.deadlineMs, write.deadlineMs);
    }
    return deadlineMs;
  }

  /** The informer has come this far. Call it after its store has changed and before anybody can read. */
  advance({ resourceVersion, keyText, deletedUid }: Progress, nowMs: number): void {
    this.#reached = resourceVersion;
    if (deletedUid !== undefined) this.#seenDeletions.add(deletedUid);
    if (this.#floor !== undefined && this.#isOver(this.#floor, nowMs)) this.#floor = undefined;
    for (const [key, write] of this.#writes) {
      if (this.isPassed(key, write.version) || (write.type === "version" && this.#isOver(write, nowMs)))
        this.#writes.delete(key);
    }
    for (const [key, ofKey] of this.#tombstones) {
      if (keyText === undefined || keyText === key) this.#lookAt(key, ofKey, deletedUid);
    }
  }

  /** When `expire` has something to look at; undefined if nothing is held for a time. */
  get nextExpiryMs(): number | undefined {
    let next: number | undefined;
    for (const ofKey of this.#tombstones.values()) {
      for (const { expiresAtMs } of ofKey.values()) next = Math.min(next ?? expiresAtMs, expiresAtMs);
    }
    return next;
  }

  /**
   * Forgets deletions that the informer has not told of in time, because it never knew the object. While the store
   * still has the object, the informer is only late, and it stays hidden.
   */
  expire(nowMs: number): void {
    for (const [key, ofKey] of this.#tombstones) {
      for (const [uid, tombstone] of ofKey) {
        if (tombstone.expiresAtMs > nowMs) continue;
        if (this.#store.uidOf(key) === uid) tombstone.expiresAtMs = nowMs + this.#patienceMs;
        else ofKey.delete(uid);
      }
      if (ofKey.size === 0) this.#tombstones.delete(key);
    }
  }

  /** Forgets everything that is held. */
  clear(): void {
    this.#writes.clear();
    this.#tombstones.clear();
    this.#floor = undefined;
  }

  #lookAt(keyText: string, ofKey: Map<string, Tombstone>, deletedUid: string | undefined): void {
    const storedUid = this.#store.uidOf(keyText);
    for (const [uid, tombstone] of ofKey) {
      if (uid === storedUid) tombstone.wasStored = true;
      else if (uid === deletedUid || tombstone.wasStored) ofKey.delete(uid);
    }
    if (ofKey.size === 0) this.#tombstones.delete(keyText);
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
    this.#writes.delete(keyText);
    this.noteObject(keyText, { version: write.version, uid, object: undefined });
  }

  #isGone(keyText: string, uid: string | undefined): boolean {
    return uid !== undefined && this.#tombstones.get(keyText)?.has(uid) === true;
  }

  #isKnown(keyText: string): boolean {
    return this.#writes.has(keyText) || this.#store.versionOf(keyText) !== undefined;
  }
}
