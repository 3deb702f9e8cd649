import type { Client, Selection } from "@keelson/client";
import {
  type CancelTimer,
  type Clock,
  groupResourceOf,
  type KubeObject,
  matchesLabels,
  type ObjectKey,
  type Random,
  type Resource,
  type Stored,
  toError,
} from "@keelson/core";
import type { Logger } from "../logger.ts";
import { keyTextOf } from "../watch/snapshot.ts";
import type { WatchScope } from "./cache-scopes.ts";
import { TransformError } from "./errors.ts";
import type {
  IndexFunction,
  Informer,
  InformerHandler,
  InformerStatus,
  StoreQuery,
  SubscribeOptions,
  Subscription,
} from "./informer.ts";
import { type OwnRead, OwnWrites, type Progress } from "./own-writes.ts";
import { ProgressGate } from "./progress-gate.ts";
import { keyFrom, keyTextOfObject } from "./resource-identity.ts";
import { type SelectionTest, selectionTest } from "./selected.ts";
import { SharedInformer } from "./shared-informer.ts";
import { storedShape } from "./stored-shape.ts";
import { isOrdered } from "./version-order.ts";
import type { StateOutcome, WriteOutcome } from "./write-outcome.ts";

export interface CachedInformerOptions<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource<T>;
  readonly scope: WatchScope<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly readTimeoutMs: number;
  /** For subscribers that do not say it themselves. */
  readonly resyncMs?: number;
  readonly onError?: (error: Error) => void;
}

/**
 * One watch of a cache. As an Informer it gives what has come through the watch; `peek` and `listOwn` add what was
 * written and has not come back.
 */
export class CachedInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly #options: CachedInformerOptions<T>;
  readonly #shared: SharedInformer<T>;
  readonly #test: SelectionTest;
  readonly #writes: OwnWrites<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  readonly #gate: ProgressGate;
  #cancelExpiry: CancelTimer | undefined;

  constructor(options: CachedInformerOptions<T>) {
    const { client, resource, scope, clock, random, log, onError } = options;
    const { selection, transform, keepManagedFields, parseOnRead } = scope;
    this.resource = resource;
    this.#options = options;
    this.#test = selectionTest(selection);
    this.#gate = new ProgressGate(clock);
    this.#shared = new SharedInformer<T>({
      client,
      resource,
      selection,
      keepManagedFields,
      parseOnRead,
      clock,
      random,
      log,
      ...(transform !== undefined && { transform }),
      ...(onError !== undefined && { onError }),
      onProgress: (progress) => this.#advance(progress),
    });
    const facts = {
      versionOf: (keyText: string) => this.#shared.snapshot(keyText)?.resourceVersion,
      uidOf: (keyText: string) => this.#shared.snapshot(keyText)?.object.metadata.uid,
      areDeletionsFinal: !this.#test.isChangeable,
    };
    this.#writes = new OwnWrites<T>(facts, options.readTimeoutMs);
  }

  /** Begins to watch, once. */
  start(): void {
    this.#running ??= this.#shared.run(this.#stop.signal);
  }

  /** Resolves when nothing of it is left running. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("nobody uses it any more"));
    this.#cancelExpiry?.();
    this.#writes.clear();
    // One that has never run ends at once, and tells those who wait for its sync.
    this.start();
    await this.#running;
  }

  /** Aborts when it stops. */
  get ended(): AbortSignal {
    return this.#stop.signal;
  }

  get hasSynced(): boolean {
    return this.#shared.hasSynced;
  }

  async synced(signal?: AbortSignal): Promise<void> {
    return this.#shared.synced(signal);
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#shared.get(key);
  }

  list(query?: StoreQuery): readonly Stored<T>[] {
    return this.#shared.list(query);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#shared.addIndex(name, valuesOf);
    this.#indexes.set(name, valuesOf);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  subscribe(handler: InformerHandler<T>, options: SubscribeOptions = {}): Subscription {
    const { resyncMs = this.#options.resyncMs } = options;
    return this.#shared.subscribe(handler, resyncMs === undefined ? {} : { resyncMs });
  }

  get statuses(): readonly InformerStatus[] {
    return this.#shared.statuses.map((status) => ({ ...status, delayedReads: this.#gate.waits }));
  }

  /** How far the store is. */
  get resourceVersion(): string | undefined {
    return this.#shared.statuses[0]?.resourceVersion;
  }

  /** What is watched. */
  get selection(): Selection {
    return this.#options.scope.selection;
  }

  /** Whether objects of the namespace can be among its objects. */
  covers(namespace: string | undefined): boolean {
    return this.#test.mayBeSelected(namespace);
  }

  /** How many own writes have not come back. */
  get ownWritesHeld(): number {
    return this.#writes.size;
  }

  /** The object as far as it is known, with what was written; undefined also if it is known only to be another one. */
  peek(key: ObjectKey): Stored<T> | undefined {
    return this.#take(key, this.#writes.read(keyTextOf(key)));
  }

  /** As `list`, with what was written [RW3]. */
  listOwn(query: StoreQuery): readonly Stored<T>[] {
    if (this.#writes.size === 0) return this.#shared.list(query);
    const { limit, ...unlimited } = query;
    const held = new Set(this.#writes.heldKeys());
    const objects: Stored<T>[] = [];
    for (const object of this.#shared.list(unlimited)) {
      const keyText = keyTextOfObject(object);
      if (!held.delete(keyText)) objects.push(object);
      else this.#collect(objects, query, this.#writes.read(keyText), object);
    }
    for (const keyText of held) this.#collect(objects, query, this.#writes.read(keyText), undefined);
    return limit === undefined ? objects : objects.slice(0, limit);
  }

  /** Until when the object cannot be read, because what was written to it must come back first. */
  unknownUntil(key: ObjectKey): number | undefined {
    const read = this.#writes.read(keyTextOf(key));
    return read.type === "unknown" ? read.deadlineMs : undefined;
  }

  /** As unknownUntil, for all objects of a namespace, or of all. */
  anyUnknownUntil(namespace: string | undefined): number | undefined {
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    return this.#writes.unknownUntil((keyText) => keyText.startsWith(prefix));
  }

  /** Waits while there is such a moment; false if it comes. Throws the signal's reason as soon as it aborts. */
  async passes(unknownUntil: () => number | undefined, signal: AbortSignal): Promise<boolean> {
    return this.#gate.passes(unknownUntil, signal);
  }

  /** Whether an object that was read from here fits a query, also one that is not in the store. */
  matches({ namespace, labels, indexed = [] }: StoreQuery, object: Stored<T>): boolean {
    return (
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (labels === undefined || matchesLabels(labels, object.metadata.labels)) &&
      indexed.every(({ index, value }) => this.#indexes.get(index)?.(object).includes(value) === true)
    );
  }

  /**
   * Makes of the server's object what the store would make of it; undefined if it does not belong here. Throws a
   * TransformError if it does and cannot be made: to say that it is not there would be untrue.
   */
  adopt(object: KubeObject): Stored<T> | undefined {
    if (!this.#test.isSelected(object)) return undefined;
    try {
      return storedShape(this.resource, this.#options.scope, object);
    } catch (cause) {
      const { namespace, name = "" } = object.metadata;
      throw new TransformError(groupResourceOf(this.resource), { key: keyFrom(namespace, name), cause });
    }
  }

  /** Something was written, through a resource that may be another version or representation of this one. */
  note(outcome: WriteOutcome): void {
    const { namespace } = outcome.type === "state" ? outcome.object.metadata : outcome.key;
    if (this.#stop.signal.aborted || !this.#test.mayBeSelected(namespace)) return;
    if (outcome.type === "state") {
      this.#noteState(outcome);
    } else if (outcome.type === "version") {
      this.#noteVersion(keyTextOf(outcome.key), outcome, !this.#test.isChangeable);
    } else {
      this.#writes.noteDeletion(keyTextOf(outcome.key), outcome, this.#options.clock.monotonicNow());
      this.#setExpiry();
    }
    this.#gate.lookAgain();
  }

  /** Something of the kind was written before this was there. */
  noteEarlier(version: string): void {
    this.#writes.noteFloor(version, this.#options.clock.monotonicNow());
  }

  #noteState({ object }: StateOutcome): void {
    const { uid, resourceVersion: version = "" } = object.metadata;
    const keyText = keyTextOfObject(object);
    if (this.#writes.isPassed(keyText, version)) return;
    const isSelected = this.#test.judge(object);
    const kept = isSelected === true ? this.#shape(object) : undefined;
    if (isOrdered(version) && (isSelected === false || kept !== undefined))
      this.#writes.noteObject(keyText, { version, uid, object: kept });
    else this.#noteVersion(keyText, { version, uid }, isSelected === true);
  }

  /** Of a key that is not known and may not belong here nothing is held, or its readers would wait for nothing. */
  #noteVersion(
    keyText: string,
    write: { version: string; uid: string | undefined },
    belongsHere: boolean,
  ): void {
    const isKnown = this.#writes.isHeld(keyText) || this.#shared.snapshot(keyText) !== undefined;
    if (isKnown || belongsHere) this.#writes.noteVersion(keyText, write, this.#options.clock.monotonicNow());
  }

  /** The object as the store would keep it; undefined if that cannot be told from what the server gave. */
  #shape(object: KubeObject): Stored<T> | undefined {
    try {
      return storedShape(this.resource, this.#options.scope, object);
    } catch (error) {
      this.#options.log.warn("the transform of a cached kind failed for an object that was written", {
        resource: groupResourceOf(this.resource),
        error: toError(error),
      });
      return undefined;
    }
  }

  #take(key: ObjectKey, read: OwnRead<T>): Stored<T> | undefined {
    if (read.type === "stored") return this.#shared.get(key);
    return read.type === "written" ? read.object : undefined;
  }

  #collect(objects: Stored<T>[], query: StoreQuery, read: OwnRead<T>, inStore: Stored<T> | undefined): void {
    if (read.type === "stored" && inStore !== undefined) objects.push(inStore);
    if (read.type === "written" && this.matches(query, read.object)) objects.push(read.object);
  }

  #advance(progress: Progress): void {
    this.#writes.advance(progress, this.#options.clock.monotonicNow());
    this.#gate.lookAgain();
  }

  /** One timer, for as long as something is held for a time. It looks for itself whether that still is so. */
  #setExpiry(): void {
    const { clock } = this.#options;
    const dueMs = this.#cancelExpiry === undefined ? this.#writes.nextExpiryMs : undefined;
    if (dueMs === undefined) return;
    this.#cancelExpiry = clock.schedule(dueMs - clock.monotonicNow(), () => {
      this.#cancelExpiry = undefined;
      this.#writes.expire(clock.monotonicNow());
      this.#setExpiry();
    });
  }
}
