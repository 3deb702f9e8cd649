import type { Client } from "@keelson/client";
import {
  type Clock,
  groupResourceOf,
  type KubeObject,
  type ObjectKey,
  type Random,
  type Resource,
  type Stored,
  systemClock,
  systemRandom,
} from "@keelson/core";
import { Hooks } from "../hooks.ts";
import type { Logger } from "../logger.ts";
import { steadyLogger } from "../steady-logger.ts";
import { WatchListSupport } from "../watch/watch-list-support.ts";
import type { AcquireOptions, Cache, InformerLease } from "./cache.ts";
import { scopeIdOf, scopesFor, scopesOf, validateSettings, type WatchScope } from "./cache-scopes.ts";
import type { CacheSettings } from "./cache-settings.ts";
import {
  CacheNotStartedError,
  CacheReusedError,
  CacheStoppedError,
  IndexConflictError,
  ProjectionConflictError,
  ResourceNotCachedError,
} from "./errors.ts";
import { CachedInformer } from "./informer/cached-informer.ts";
import { CombinedInformer } from "./informer/combined-informer.ts";
import type { IndexFunction, Informer, InformerStatus } from "./informer/informer.ts";
import { type AnyInformer, InformerPool, leaseOf, ReadLeases } from "./informer/informer-pool.ts";
import type { InformerProgress } from "./informer/notifying-store.ts";
import { EarlierWrites } from "./own-writes/earlier-writes.ts";
import type { WriteOutcome } from "./own-writes/write-through.ts";
import { type SelectionTest, selectionTest } from "./selection-test.ts";
import { isSameCollection, resourceIdOf } from "./store.ts";

/** A read that the cache could not serve in time, so that the server did [RW1]. */
export interface StaleRead {
  readonly resource: Resource;
  /** Such as `get deployments.apps shop/web`. */
  readonly operation: string;
}

export interface InformerCacheOptions {
  /** Lists and watches; must not itself read from this cache. */
  readonly client: Client;
  readonly settings?: CacheSettings;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: the system's random numbers. */
  readonly random?: Random;
  /** Default: no log. */
  readonly log?: Logger;
  /** Called with each read that had to go to the server because the watch was late. */
  readonly onStaleRead?: (read: StaleRead) => void;
  /** Called with the error of each list and watch that failed; the informer goes on. */
  readonly onInformerError?: (error: Error, resource: Resource) => void;
}

/** The same as in controller-runtime. */
const defaultResyncMs = 36_000_000;

/** An index of a kind, for its existing and future informers. */
interface KindIndex {
  readonly resourceId: string;
  readonly name: string;
  /** Only to compare functions. */
  readonly valuesOf: unknown;
  addTo(informer: unknown): void;
}

/**
 * The informers of a process. Each watch is shared by all users of the same objects in the same form [IN1] and ends with
 * the last lease; a watch that a read started stays until the cache stops. `cachedClient` reads from it.
 */
export class InformerCache implements Cache {
  readonly #options: InformerCacheOptions;
  readonly #settings: CacheSettings;
  readonly clock: Clock;
  readonly #log: Logger;
  readonly #hooks: Hooks;
  readonly #readTimeoutMs: number;
  readonly #informers = new InformerPool();
  readonly #indexes: KindIndex[] = [];
  /** The functions of projections, by the id of their resource; only to compare them. */
  readonly #projections = new Map<string, unknown>();
  readonly #earlier = new EarlierWrites();
  readonly #watchListSupport = new WatchListSupport();
  /** The ids of the informers that serve the reads of a kind. */
  readonly #readIds = new Map<string, readonly string[]>();
  /** What these informers select. */
  readonly #readTests = new Map<string, readonly SelectionTest[]>();
  readonly #readLeases: ReadLeases;
  #phase: "new" | "running" | "stopped" = "new";

  /** Throws InvalidCacheSettingsError. */
  constructor(options: InformerCacheOptions) {
    const { settings = {}, clock = systemClock } = options;
    validateSettings(settings);
    this.#options = options;
    this.#settings = settings;
    this.clock = clock;
    this.#log = steadyLogger(options.log);
    this.#hooks = new Hooks(this.#log);
    this.#readTimeoutMs = settings.readTimeoutMs ?? 10_000;
    this.#readLeases = new ReadLeases(clock, settings.idleReadMs);
  }

  acquire<T extends KubeObject>(resource: Resource<T>, options: AcquireOptions = {}): InformerLease<T> {
    if (this.#phase === "stopped") throw new CacheStoppedError(`watch ${groupResourceOf(resource)}`);
    this.#checkProjection(resource);
    const { selection } = options;
    const scopes =
      selection === undefined
        ? scopesOf(resource, this.#settings)
        : scopesFor(resource, this.#settings, selection);
    const ids = scopes.map((scope) => idOf(resource, scope));
    const parts = scopes.map((scope) => this.#informerFor(resource, scope));
    for (const id of ids) this.#informers.use(id);
    const [first, ...more] = parts;
    const informer: Informer<T> =
      first !== undefined && more.length === 0 ? first : new CombinedInformer(resource, parts);
    return leaseOf(informer, async () => {
      await Promise.all(ids.map((id, index) => this.#informers.release(id, parts[index])));
    });
  }

  addIndex<T extends KubeObject>(resource: Resource<T>, name: string, valuesOf: IndexFunction<T>): void {
    this.#checkProjection(resource);
    const resourceId = resourceIdOf(resource);
    const same = this.#indexes.find((index) => index.resourceId === resourceId && index.name === name);
    if (same !== undefined && same.valuesOf !== valuesOf)
      throw new IndexConflictError(name, groupResourceOf(resource));
    if (same !== undefined) return;
    const addTo = (informer: unknown): void => {
      if (isInformerOf(resource, informer)) informer.addIndex(name, valuesOf);
    };
    const informers = [...this.#informers.all()].filter((informer) => isInformerOf(resource, informer));
    // All of them get the index, or none.
    for (const informer of informers) informer.checkIndex(name, valuesOf);
    for (const informer of informers) addTo(informer);
    this.#indexes.push({ resourceId, name, valuesOf, addTo });
  }

  peek<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined {
    this.#checkProjection(resource);
    this.#readLeases.touch(resourceIdOf(resource));
    for (const id of this.#idsForReads(resource)) {
      const informer = this.#informers.get(id);
      const canPeek = isInformerOf(resource, informer) && !informer.isUnreadable(key);
      const object = canPeek ? informer.peek(key) : undefined;
      if (object !== undefined) return object;
    }
    return undefined;
  }

  coversNamespace(resource: Resource, namespace: string): boolean {
    const resourceId = resourceIdOf(resource);
    const known = this.#readTests.get(resourceId);
    const tests =
      known ?? scopesOf(resource, this.#settings).map(({ selection }) => selectionTest(selection));
    if (known === undefined) this.#readTests.set(resourceId, tests);
    return tests.some((test) => test.mayBeSelected(namespace));
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== "new") throw new CacheReusedError();
    if (!signal.aborted) {
      this.#phase = "running";
      for (const informer of this.#informers.all()) informer.start();
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
    this.#phase = "stopped";
    this.#readLeases.clear();
    await this.#informers.stopAll();
  }

  async synced(signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#phase === "stopped") throw new CacheStoppedError("wait until the cache has synced");
      const unsynced = [...this.#informers.all()].filter(({ hasSynced }) => !hasSynced);
      if (unsynced.length === 0) return;
      // An informer that is released meanwhile ends without a sync; then it is not waited for.
      await Promise.allSettled(unsynced.map((informer) => informer.synced(signal)));
    }
  }

  get statuses(): readonly InformerStatus[] {
    return [...this.#informers.all()].flatMap(({ statuses }) => statuses);
  }

  /** How many own writes have not come back through a watch: 0 when nothing is written [RW5]. */
  get ownWritesHeld(): number {
    let held = 0;
    for (const informer of this.#informers.all()) held += informer.ownWritesHeld;
    return held;
  }

  /**
   * The informers that serve the reads of a kind; starts those that do not run, and keeps them [IN16]. For
   * `cachedClient`.
   */
  informersForReads<T extends KubeObject>(
    resource: Resource<T>,
    operation: string,
  ): readonly CachedInformer<T>[] {
    if (this.#phase === "stopped") throw new CacheStoppedError(operation);
    if (this.#phase === "new") throw new CacheNotStartedError(operation);
    this.#checkProjection(resource);
    const ids = this.#idsForReads(resource);
    if (!ids.every((id) => this.#informers.get(id) !== undefined)) {
      if (this.#settings.failOnMissingInformer === true)
        throw new ResourceNotCachedError(operation, groupResourceOf(resource));
      this.#readLeases.begin(resourceIdOf(resource), this.acquire(resource));
    }
    return ids.map((id) => this.#informers.get(id)).filter((found) => isInformerOf(resource, found));
  }

  /** Marks the begin of a read of the kind, which ends on dispose: its informers are kept until then. */
  reading(resource: Resource): Disposable | undefined {
    return this.#readLeases.read(resourceIdOf(resource));
  }

  /** Whether an informer watches the kind, in any version, representation or selection. */
  isWatched(resource: Resource): boolean {
    return [...this.#informers.all()].some((informer) => isSameCollection(informer.resource, resource));
  }

  /** All cached objects of the kind, of one namespace or of all. For `cachedClient`. */
  knownObjects(resource: Resource, namespace: string | undefined): readonly Stored[] {
    const query = namespace === undefined ? {} : { namespace };
    return [...this.#informers.all()]
      .filter((informer) => isSameCollection(informer.resource, resource))
      .flatMap((informer) => informer.listWithOwnWrites(query));
  }

  /** Records an own write: reads include it from now on. For `cachedClient`. */
  recordWrite(resource: Resource, outcome: WriteOutcome): void {
    const { type } = outcome;
    if (type === "deleted") {
      this.#earlier.recordDeletion(resource, outcome, this.clock.monotonicNow());
    } else {
      const version = type === "version" ? outcome.version : outcome.object.metadata.resourceVersion;
      this.#earlier.recordVersion(resource, version ?? "");
    }
    for (const informer of this.#informers.all()) {
      if (isSameCollection(informer.resource, resource)) informer.recordWrite(outcome);
    }
  }

  /** Reports a read that was served by the server because the watch was late. For `cachedClient`. */
  reportStaleRead(read: StaleRead): void {
    const { onStaleRead } = this.#options;
    this.#log.warn("a read waited too long for an own write to come back, and was served by the API server", {
      operation: read.operation,
    });
    this.#hooks.notify("onStaleRead", () => onStaleRead?.(read));
  }

  /** Reports a write whose outcome could not be read: later reads may not include it. For `cachedClient`. */
  reportUnknownOutcome(operation: string, error: Error): void {
    this.#log.warn("the outcome of a write could not be read, so cached reads may be older than it", {
      operation,
      error,
    });
  }

  /** Throws a ProjectionConflictError if another projection of the kind has the same name. */
  #checkProjection(resource: Resource): void {
    const { projection } = resource;
    if (projection === undefined) return;
    const id = resourceIdOf(resource);
    const known = this.#projections.get(id);
    if (known === undefined) this.#projections.set(id, projection.project);
    else if (known !== projection.project)
      throw new ProjectionConflictError(projection.name, groupResourceOf(resource));
  }

  #idsForReads(resource: Resource): readonly string[] {
    const resourceId = resourceIdOf(resource);
    const known = this.#readIds.get(resourceId);
    if (known !== undefined) return known;
    const ids = scopesOf(resource, this.#settings).map((scope) => idOf(resource, scope));
    this.#readIds.set(resourceId, ids);
    return ids;
  }

  #informerFor<T extends KubeObject>(resource: Resource<T>, scope: WatchScope<T>): CachedInformer<T> {
    const id = idOf(resource, scope);
    const known = this.#informers.get(id);
    if (isInformerOf(resource, known)) return known;
    const { client, random = systemRandom, onInformerError } = this.#options;
    const { resyncMs = defaultResyncMs } = this.#settings.defaults ?? {};
    const informer = new CachedInformer<T>({
      client,
      resource,
      scope,
      clock: this.clock,
      random,
      log: this.#log,
      watchListSupport: this.#watchListSupport,
      readTimeoutMs: this.#readTimeoutMs,
      servedCheckMs: this.#settings.servedCheckMs,
      // Spread, so that the resyncs of many kinds and replicas do not come together.
      resyncMs: resyncMs * (0.9 + 0.2 * random.next()),
      onError: (error) => onInformerError?.(error, resource),
      onProgress: (progress) => this.#shareProgress(informer, progress),
    });
    for (const index of this.#indexes) index.addTo(informer);
    this.#recordEarlierWrites(informer);
    for (const other of this.#informers.ofCollection(resource)) informer.requireVersions(other.versions());
    this.#informers.add(id, informer);
    if (this.#phase === "running") informer.start();
    return informer;
  }

  /**
   * A reconcile that one informer wakes may read from another one of the same objects, such as one with a selection and one
   * without: reads of that one wait until it has what the first has delivered [IN23].
   */
  #shareProgress(informer: AnyInformer, { keyText, resourceVersion, isReplacement }: InformerProgress): void {
    const all = this.#informers.ofCollection(informer.resource);
    if (all.length < 2 || (keyText === undefined && isReplacement !== true)) return;
    const versions = keyText === undefined ? informer.versions() : [{ keyText, resourceVersion }];
    for (const other of all) if (other !== informer) other.requireVersions(versions);
  }

  #recordEarlierWrites(informer: AnyInformer): void {
    const { resource } = informer;
    const version = this.#earlier.versionOf(resource);
    if (version !== undefined) informer.requireAtLeast(version);
    const sinceMs = this.clock.monotonicNow() - this.#readTimeoutMs;
    for (const { outcome } of this.#earlier.deletionsSince(resource, sinceMs)) informer.recordWrite(outcome);
  }
}

function idOf<T extends KubeObject>(resource: Resource<T>, scope: WatchScope<T>): string {
  return `${resourceIdOf(resource)} ${scopeIdOf(scope)}`;
}

function isInformerOf<T extends KubeObject>(
  resource: Resource<T>,
  informer: unknown,
): informer is CachedInformer<T> {
  return informer instanceof CachedInformer && resourceIdOf(informer.resource) === resourceIdOf(resource);
}
