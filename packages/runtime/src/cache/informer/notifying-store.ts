import {
  abortable,
  type Clock,
  isRecord,
  type KubeObject,
  type ObjectKey,
  type Stored,
  toError,
} from "@keelson/core";
import { LimitedWarnings } from "../../limited-warnings.ts";
import type { Logger } from "../../logger.ts";
import type { WatchSink } from "../../watch/reflector-options.ts";
import {
  lastReadable,
  type ObjectEvent,
  plainKey,
  type Snapshot,
  UnreadableSnapshot,
} from "../../watch/snapshot.ts";
import { type IndexFunctionError, InformerStoppedError, TransformError } from "../errors.ts";
import { Store } from "../store.ts";
import type { InformerHandler, SubscribeOptions, Subscription } from "./informer.ts";
import { changesBetween, changeTo, type InformerChange, InformerSubscription } from "./subscription.ts";

/** The version that a store has reached. Without a key any object may have changed, or, after a bookmark, none. */
export interface InformerProgress {
  readonly resourceVersion: string;
  /** The object that has changed; see Snapshot. */
  readonly keyText?: string;
  /** The uid of that object, if it was deleted and had one. */
  readonly deletedUid?: string;
  /** The whole store was replaced. */
  readonly isReplacement?: boolean;
}

/** Must not throw. Called after the store has changed and before subscribers are notified. */
type OnProgress = (progress: InformerProgress) => void;

export interface NotifyingStoreOptions<T extends KubeObject> {
  /** What is stored, for messages, such as `pods in shop`. */
  readonly name: string;
  /** The kind of the objects, for the log. */
  readonly kind: string;
  readonly transform?: (object: Stored<T>) => Stored<T>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly onProgress?: OnProgress;
}

/**
 * The store of an informer, as the sink of its reflector: it applies each event to the store and then notifies the
 * subscribers. It does not wait for them.
 */
export class NotifyingStore<T extends KubeObject> implements WatchSink<T> {
  readonly store: Store<T>;
  readonly #options: NotifyingStoreOptions<T>;
  readonly #subscriptions = new Set<InformerSubscription<T>>();
  readonly #reports: LimitedWarnings;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #isStopped = false;

  constructor(options: NotifyingStoreOptions<T>) {
    this.#options = options;
    this.#reports = new LimitedWarnings(options.log, options.clock);
    this.store = new Store(options.name, (error) => this.report(error));
    // It may reject without a caller that waits for it.
    this.#synced.promise.catch(() => undefined);
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Throws an InformerStoppedError if it stops before. */
  async synced(signal?: AbortSignal): Promise<void> {
    await abortable(this.#synced.promise, signal);
  }

  /** Indexes are made of whole objects. A transform may change an object, so it has to come before the first read. */
  arrived(snapshot: Snapshot<T>): void {
    if (this.store.hasIndexes && this.#options.transform === undefined && snapshot.problem === undefined)
      void snapshot.object;
  }

  /** Replaces the store first; then notifies of the deletions that no event showed, and then of the rest in order [IN5]. */
  replace(snapshots: Map<string, Snapshot<T>>, resourceVersion: string): void {
    const now = this.#transformAll(snapshots);
    const before = this.store.replace(now);
    const isFirst = !this.#hasSynced;
    this.#hasSynced = true;
    this.#synced.resolve();
    this.#progress({ resourceVersion, isReplacement: true });
    if (this.#subscriptions.size === 0) return;
    for (const change of changesBetween(before, now, isFirst)) this.#notify(change);
    if (!isFirst) return;
    for (const subscription of this.#subscriptions) subscription.endInitialList();
  }

  apply({ type, snapshot: incoming }: ObjectEvent<T>): void {
    const snapshot = this.#transform(incoming);
    const { keyText, resourceVersion } = snapshot;
    if (type !== "DELETED") {
      const old = lastReadable(this.store.set(snapshot));
      this.#progress({ resourceVersion, keyText });
      if (snapshot.problem === undefined) this.#notify(changeTo(snapshot, old));
      return;
    }
    const old = lastReadable(this.store.delete(keyText));
    const final = lastReadable(snapshot) ?? old;
    if (this.#options.onProgress !== undefined) {
      const deletedUid = final?.object.metadata.uid;
      this.#progress({ resourceVersion, keyText, ...(deletedUid !== undefined && { deletedUid }) });
    }
    // Subscribers do not know an object that was not in the store.
    if (old !== undefined && final !== undefined)
      this.#notify({ type: "delete", snapshot: final, finalStateUnknown: false });
  }

  bookmark(resourceVersion: string): void {
    this.#progress({ resourceVersion });
  }

  /**
   * The subscriber first receives everything in the store, as far as it has synced [IN9]. After the stop it receives
   * nothing.
   */
  subscribe(handler: InformerHandler<T>, { resyncMs }: SubscribeOptions = {}): Subscription {
    const subscription = new InformerSubscription<T>({
      handler,
      clock: this.#options.clock,
      ...(resyncMs !== undefined && resyncMs > 0 && { resyncMs }),
      snapshots: () => this.store.snapshots(),
      onFailure: (key, error) => this.#logFailure(key, error),
      onRemoved: () => this.#subscriptions.delete(subscription),
    });
    if (this.#isStopped) {
      // Removing a subscription without deliveries finishes at once.
      void subscription.remove();
      return subscription;
    }
    this.#subscriptions.add(subscription);
    if (this.#hasSynced) {
      for (const snapshot of this.store.snapshots())
        subscription.deliver(changeTo(snapshot, undefined, true));
      subscription.endInitialList();
    }
    return subscription;
  }

  /** When this resolves, no handler is running and none will be called. The store can still be read. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#synced.reject(new InformerStoppedError(this.#options.name));
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.remove()));
  }

  #notify(change: InformerChange<T>): void {
    for (const subscription of this.#subscriptions) subscription.deliver(change);
  }

  /** An error in there must not keep subscribers from receiving what is in the store already. */
  #progress(progress: InformerProgress): void {
    try {
      this.#options.onProgress?.(progress);
    } catch (error) {
      this.#options.log.error("the progress callback of an informer failed", { error: toError(error) });
    }
  }

  #transformAll(snapshots: Map<string, Snapshot<T>>): Map<string, Snapshot<T>> {
    // In place: the map belongs to this sink, and its order is that of the list.
    for (const [keyText, snapshot] of snapshots) snapshots.set(keyText, this.#transform(snapshot));
    return snapshots;
  }

  /** Logs that a function of the author cannot handle an object. */
  report(error: TransformError | IndexFunctionError): void {
    const { kind, name } = this.#options;
    this.#reports.warn("a function of the cache failed for an object; the other objects are not affected", {
      informer: name,
      [kind]: error.key,
      error,
    });
  }

  /** A state that cannot be projected or transformed cannot be read; it is reported once [IN12, IN22]. */
  #transform(snapshot: Snapshot<T>): Snapshot<T> {
    const { transform } = this.#options;
    if (snapshot.problem !== undefined) return this.#unreadable(snapshot, snapshot.problem);
    if (transform === undefined) return snapshot;
    try {
      const transformed = snapshot.transformed(transform);
      if (!isRecord(transformed.object) || !isRecord(transformed.object.metadata))
        throw new Error("it returned no object");
      return transformed;
    } catch (cause) {
      return this.#unreadable(snapshot, cause);
    }
  }

  #unreadable(snapshot: Snapshot<T>, cause: unknown): Snapshot<T> {
    const error = new TransformError(this.#options.name, { key: plainKey(snapshot), cause });
    const before = this.store.get(snapshot.keyText);
    if (before?.problem === undefined) this.report(error);
    return new UnreadableSnapshot(snapshot, error, lastReadable(before));
  }

  #logFailure(key: ObjectKey, error: Error): void {
    const { log, kind, name } = this.#options;
    log.error("a subscriber of an informer failed; it goes on with the next change", {
      informer: name,
      [kind]: key,
      error,
    });
  }
}
