import type { Client, Selection } from "@keelson/client";
import {
  type CancelTimer,
  type Clock,
  formatLabelSelector,
  groupResourceOf,
  type KubeObject,
  matchesLabels,
  type ObjectKey,
  type Random,
  type Resource,
  type Stored,
  toError,
} from "@keelson/core";
import type { Logger } from "../../logger.ts";
import { OptionalReflector } from "../../watch/optional-reflector.ts";
import { Reflector } from "../../watch/reflector.ts";
import type { ReflectorOptions } from "../../watch/reflector-options.ts";
import { keyTextOf, lastReadable, plainKey } from "../../watch/snapshot.ts";
import type { WatchListSupport } from "../../watch/watch-list-support.ts";
import type { WatchScope } from "../cache-scopes.ts";
import { IndexConflictError, TransformError } from "../errors.ts";
import { type OwnRead, OwnWrites } from "../own-writes/own-writes.ts";
import { ProgressGate } from "../own-writes/progress-gate.ts";
import { isOrdered } from "../own-writes/version-order.ts";
import type { StateOutcome, WriteOutcome } from "../own-writes/write-through.ts";
import { readAhead } from "../reads/read-ahead.ts";
import { type SelectionTest, selectionTest } from "../selection-test.ts";
import { asRepresentation, toStoredShape } from "../store.ts";
import type {
  IndexFunction,
  Informer,
  InformerHandler,
  InformerStatus,
  StoreQuery,
  SubscribeOptions,
  Subscription,
} from "./informer.ts";
import { type InformerProgress, NotifyingStore } from "./notifying-store.ts";

const defaultServedCheckMs = 30_000;

export interface CachedInformerOptions<T extends KubeObject> {
  readonly client: Client;
  readonly resource: Resource<T>;
  readonly scope: WatchScope<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What the informers of the same server share. Default: not shared. */
  readonly watchListSupport?: WatchListSupport;
  readonly readTimeoutMs: number;
  /** See CacheSettings. */
  readonly servedCheckMs?: number | undefined;
  /** For subscribers that do not choose a period. */
  readonly resyncMs?: number;
  /** Called with the error of each list and watch that failed; the informer goes on. */
  readonly onError?: (error: Error) => void;
  /** Called after the store has changed, and before subscribers are notified. Must not throw. */
  readonly onProgress?: (progress: InformerProgress) => void;
}

/** A version of an object. */
interface ObjectVersion {
  /** See Snapshot. */
  readonly keyText: string;
  readonly resourceVersion: string;
}

/**
 * One informer of a cache: a reflector, its store and subscribers. As an Informer it contains what has come through the
 * watch; `peek` and `listWithOwnWrites` add the own writes that have not come back.
 */
export class CachedInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly #options: CachedInformerOptions<T>;
  readonly #name: string;
  readonly #store: NotifyingStore<T>;
  readonly #reflector: Pick<Reflector<T>, "run" | "freshness">;
  readonly #test: SelectionTest;
  readonly #writes: OwnWrites<T>;
  readonly #gate: ProgressGate;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #readingAhead: Promise<void> | undefined;
  #lastError: Error | undefined;
  #cancelExpiry: CancelTimer | undefined;

  constructor(options: CachedInformerOptions<T>) {
    const { client, resource, scope, clock, random, log, watchListSupport } = options;
    const { readTimeoutMs, servedCheckMs = defaultServedCheckMs } = options;
    const { selection, transform, keepManagedFields, parseOnRead } = scope;
    this.resource = resource;
    this.#options = options;
    this.#name = describeInformer(resource, selection);
    this.#test = selectionTest(selection);
    this.#gate = new ProgressGate(clock);
    this.#store = new NotifyingStore<T>({
      name: this.#name,
      kind: resource.kind,
      log,
      clock,
      ...(transform !== undefined && { transform }),
      onProgress: (progress) => this.#advance(progress),
    });
    const reflectorOptions: ReflectorOptions<T> = {
      client,
      resource,
      selection,
      keepManagedFields,
      // A transform reads every object at the end of a sync: to parse them all then would block the event loop.
      parseOnRead: parseOnRead && transform === undefined,
      clock,
      random,
      ...(watchListSupport !== undefined && { watchListSupport }),
      sink: this.#store,
      onError: (error) => this.#reportFailure(error),
      onWarning: (message) => log.warn(message, { informer: this.#name }),
    };
    this.#reflector =
      resource.isOptional === true
        ? new OptionalReflector<T>({
            ...reflectorOptions,
            checkEveryMs: servedCheckMs,
            onServed: (isServed) => this.#changeServed(isServed),
          })
        : new Reflector<T>(reflectorOptions);
    const { store } = this.#store;
    const facts = {
      versionOf: (keyText: string) => store.get(keyText)?.resourceVersion,
      uidOf: (keyText: string) => lastReadable(store.get(keyText))?.object.metadata.uid,
      areDeletionsFinal: !this.#test.isChangeable,
    };
    this.#writes = new OwnWrites<T>(facts, readTimeoutMs);
  }

  /** Begins to watch, once. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops the watch. When it resolves, no request, timer or handler is left; the store can still be read. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the informer is no longer used"));
    this.#cancelExpiry?.();
    this.#writes.clear();
    // An informer that has never run ends at once, and `synced` rejects.
    this.start();
    await this.#running;
  }

  /** Aborts when it stops. */
  get ended(): AbortSignal {
    return this.#stop.signal;
  }

  get hasSynced(): boolean {
    return this.#store.hasSynced;
  }

  /** Throws an InformerStoppedError if it stops before. */
  async synced(signal?: AbortSignal): Promise<void> {
    return this.#store.synced(signal);
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#store.store.get(keyTextOf(key))?.object;
  }

  list(query?: StoreQuery): readonly Stored<T>[] {
    return this.#store.store.list(query);
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.store.addIndex(name, valuesOf);
    this.#indexes.set(name, valuesOf);
  }

  /** Throws an IndexConflictError if there is another index of the name. */
  checkIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known !== undefined && known !== valuesOf) throw new IndexConflictError(name, this.#name);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  subscribe(handler: InformerHandler<T>, options: SubscribeOptions = {}): Subscription {
    const { resyncMs = this.#options.resyncMs } = options;
    return this.#store.subscribe(handler, resyncMs === undefined ? {} : { resyncMs });
  }

  get statuses(): readonly InformerStatus[] {
    const { freshness } = this.#reflector;
    const lastError = freshness.phase === "watching" ? undefined : this.#lastError;
    return [
      {
        ...freshness,
        name: this.#name,
        hasSynced: this.hasSynced,
        objects: this.#store.store.size,
        delayedReads: this.#gate.waits,
        unreadableObjects: this.#store.store.unreadable,
        unindexedObjects: this.#store.store.unindexed,
        ...(lastError !== undefined && { lastError }),
      },
    ];
  }

  /** The version that the store has reached. */
  get resourceVersion(): string | undefined {
    return this.#reflector.freshness.resourceVersion;
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

  /** The object, own writes included; undefined also if only its version is known. */
  peek(key: ObjectKey): Stored<T> | undefined {
    const read = this.#writes.read(keyTextOf(key));
    if (read.type === "stored") return this.get(key);
    return read.type === "written" ? read.object : undefined;
  }

  /** Whether the state in the store is one that the transform could not handle: reading it throws. */
  isUnreadable(key: ObjectKey): boolean {
    return this.#store.store.get(keyTextOf(key))?.problem !== undefined;
  }

  /**
   * Reads the objects of a list for the first time, in slices; the next list does not have to. Undefined if none are left.
   * While there is such a reading, it is that one, whatever it reads: several would take turns without a pause.
   */
  readAhead(query: StoreQuery): Promise<void> | undefined {
    const unread = this.#store.store.unread(query);
    this.#readingAhead ??= readAhead(unread, this.#options.clock)?.finally(() => {
      this.#readingAhead = undefined;
    });
    return this.#readingAhead;
  }

  /** As `list`, own writes included [RW3]. */
  listWithOwnWrites(query: StoreQuery): readonly Stored<T>[] {
    if (this.#writes.size === 0) return this.list(query);
    const { limit, ...unlimited } = query;
    const held = new Set(this.#writes.heldKeys());
    const objects: Stored<T>[] = [];
    for (const object of this.list(unlimited)) {
      const keyText = keyTextOf(object.metadata);
      if (!held.delete(keyText)) objects.push(object);
      else this.#collect(objects, query, this.#writes.read(keyText), object);
    }
    for (const keyText of held) this.#collect(objects, query, this.#writes.read(keyText), undefined);
    return limit === undefined ? objects : objects.slice(0, limit);
  }

  /** Until when the object cannot be read, because a write to it must come back first. */
  unknownUntil(key: ObjectKey): number | undefined {
    const read = this.#writes.read(keyTextOf(key));
    return read.type === "unknown" ? read.deadlineMs : undefined;
  }

  /** As unknownUntil, for all objects of a namespace, or of all namespaces. */
  anyUnknownUntil(namespace: string | undefined): number | undefined {
    const prefix = namespace === undefined ? "" : `${namespace}/`;
    return this.#writes.unknownUntil((keyText) => keyText.startsWith(prefix));
  }

  /** Waits while `unknownUntil` returns a time; false if that time comes. Throws the signal's reason when it aborts. */
  async waitUntilKnown(unknownUntil: () => number | undefined, signal: AbortSignal): Promise<boolean> {
    return this.#gate.waitUntilKnown(unknownUntil, signal);
  }

  /** Whether an object matches a query, even if it is not in the store. */
  matches({ namespace, labels, indexed = [] }: StoreQuery, object: Stored<T>): boolean {
    return (
      (namespace === undefined || object.metadata.namespace === namespace) &&
      (labels === undefined || matchesLabels(labels, object.metadata.labels)) &&
      indexed.every(({ index, value }) => this.#valuesIn(index, object).includes(value))
    );
  }

  /** None if the function cannot handle the object, as in the store. */
  #valuesIn(index: string, object: Stored<T>): readonly string[] {
    try {
      return this.#indexes.get(index)?.(object) ?? [];
    } catch {
      return [];
    }
  }

  /**
   * Converts an object of the server to what the store would hold; undefined if the informer does not select it. Throws
   * a TransformError if the transform fails: undefined would wrongly mean that the object does not exist.
   */
  toStored(object: Stored): Stored<T> | undefined {
    if (!this.#test.isSelected(object)) return undefined;
    try {
      return toStoredShape(this.resource, this.#options.scope, object);
    } catch (cause) {
      throw new TransformError(groupResourceOf(this.resource), { key: plainKey(object.metadata), cause });
    }
  }

  /** As `toStored`, for an object of a list: one that the transform cannot handle is reported and left out [IN22]. */
  toListed(object: Stored): Stored<T> | undefined {
    try {
      return this.toStored(object);
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      this.#store.report(error);
      return undefined;
    }
  }

  /** Records an own write, made through a resource that may be another version or representation of this one. */
  recordWrite(outcome: WriteOutcome): void {
    const { namespace } = outcome.type === "state" ? outcome.object.metadata : outcome.key;
    if (this.#stop.signal.aborted || !this.#test.mayBeSelected(namespace)) return;
    if (outcome.type === "state") {
      this.#recordState(outcome);
    } else if (outcome.type === "version") {
      this.#recordVersion(keyTextOf(outcome.key), outcome, !this.#test.isChangeable);
    } else {
      this.#writes.recordDeletion(keyTextOf(outcome.key), outcome, this.#nowMs());
      this.#setExpiry();
    }
    this.#gate.recheck();
  }

  /** Makes readers wait until the informer has reached the version of a write that was made before it existed. */
  requireAtLeast(version: string): void {
    this.#writes.requireAtLeast(version, this.#nowMs());
  }

  /** The versions of the objects in the store. */
  versions(): Iterable<ObjectVersion> {
    return this.#store.store.snapshots();
  }

  /**
   * Makes readers of these objects wait until the informer has reached the versions, which another informer of the same
   * objects has delivered. Versions without an order are not awaited: the informer may never have them.
   */
  requireVersions(versions: Iterable<ObjectVersion>): void {
    if (this.#stop.signal.aborted) return;
    for (const { keyText, resourceVersion: version } of versions) {
      const namespace = keyText.slice(0, keyText.indexOf("/"));
      if (!isOrdered(version) || this.#writes.isPassed(keyText, version)) continue;
      if (!this.#test.mayBeSelected(namespace === "" ? undefined : namespace)) continue;
      this.#recordVersion(keyText, { version, uid: undefined }, !this.#test.isChangeable);
    }
  }

  async #run(): Promise<void> {
    await this.#reflector.run(this.#stop.signal);
    await this.#store.stop();
  }

  #reportFailure(error: Error): void {
    this.#lastError = error;
    this.#options.log.warn("a watch failed and is opened again", { informer: this.#name, error });
    this.#options.onError?.(error);
  }

  #changeServed(isServed: boolean): void {
    this.#lastError = undefined;
    // What was written to objects of a kind that is not served does not come back.
    if (!isServed) this.#writes.clear();
    this.#gate.recheck();
    const message = isServed
      ? "the API server serves an optional kind; it is watched"
      : "the API server does not serve an optional kind; it is watched as soon as it is served";
    this.#options.log.info(message, { informer: this.#name });
  }

  #recordState({ object }: StateOutcome): void {
    const { uid, resourceVersion: version } = object.metadata;
    const keyText = keyTextOf(object.metadata);
    if (this.#writes.isPassed(keyText, version)) return;
    const isSelected = this.#test.judge(object);
    const kept = isSelected === true ? this.#shape(object) : undefined;
    if (isOrdered(version) && (isSelected === false || kept !== undefined))
      this.#writes.recordObject(keyText, { version, uid, object: kept });
    else this.#recordVersion(keyText, { version, uid }, isSelected === true);
  }

  /** A key that is unknown and may not be selected is not held, or its readers would wait in vain. */
  #recordVersion(
    keyText: string,
    write: { version: string; uid: string | undefined },
    isSelected: boolean,
  ): void {
    const isKnown = this.#writes.isHeld(keyText) || this.#store.store.get(keyText) !== undefined;
    if (isKnown || isSelected) this.#writes.recordVersion(keyText, write, this.#nowMs());
  }

  /** The object as the store would hold it; undefined if the response does not contain enough for that. */
  #shape(object: Stored): Stored<T> | undefined {
    try {
      return toStoredShape(this.resource, this.#options.scope, object);
    } catch (error) {
      this.#options.log.warn("the transform of a cached kind failed for an object that was written", {
        resource: groupResourceOf(this.resource),
        error: toError(error),
      });
      return undefined;
    }
  }

  #collect(objects: Stored<T>[], query: StoreQuery, read: OwnRead<T>, inStore: Stored<T> | undefined): void {
    if (read.type === "stored" && inStore !== undefined) objects.push(inStore);
    if (read.type === "written" && this.matches(query, read.object)) objects.push(read.object);
  }

  #advance(progress: InformerProgress): void {
    this.#writes.advance(progress, this.#nowMs());
    this.#gate.recheck();
    this.#options.onProgress?.(progress);
  }

  /** One timer while an own write is held for a limited time. When it fires, it checks whether that is still so. */
  #setExpiry(): void {
    const dueMs = this.#cancelExpiry === undefined ? this.#writes.nextExpiryMs : undefined;
    if (dueMs === undefined) return;
    this.#cancelExpiry = this.#options.clock.schedule(dueMs - this.#nowMs(), () => {
      this.#cancelExpiry = undefined;
      this.#writes.expire(this.#nowMs());
      this.#setExpiry();
    });
  }

  #nowMs(): number {
    return this.#options.clock.monotonicNow();
  }
}

/** Such as `pods in shop`, `metadata of secrets with app=web and type=Opaque` or `projection hash of secrets`. */
function describeInformer(
  resource: Resource,
  { namespace, labelSelector = "", fieldSelector = "" }: Selection,
): string {
  const kind = groupResourceOf(resource);
  const labels = typeof labelSelector === "string" ? labelSelector : formatLabelSelector(labelSelector);
  const tests = [labels, fieldSelector].filter((test) => test !== "").join(" and ");
  const representation = asRepresentation(resource).replace(" as ", "");
  const what = representation === "" ? kind : `${representation} of ${kind}`;
  const where = namespace === undefined ? what : `${what} in ${namespace}`;
  return tests === "" ? where : `${where} with ${tests}`;
}
