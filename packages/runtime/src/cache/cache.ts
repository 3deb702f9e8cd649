import type { Selection } from "@keelson/client";
import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { IndexFunction, Informer, InformerStatus } from "./informer/informer.ts";

/** A lease of a shared informer. The release of the last lease ends the watch. */
export interface InformerLease<T extends KubeObject> extends Informer<T> {
  /** Ends the lease and removes the subscriptions made through it. May be called twice. */
  release(): Promise<void>;
}

export interface AcquireOptions {
  /** Watches only these objects, instead of those that the cache's settings select. Default: the settings. */
  readonly selection?: Selection;
}

/** The informers of a process: one watch per kind, scope, selector and representation, shared by all users [IN1]. */
export interface Cache {
  /** The informer of a kind, which starts now or, if the cache has not been started, with it. */
  acquire<T extends KubeObject>(resource: Resource<T>, options?: AcquireOptions): InformerLease<T>;
  /** Makes reads by this field possible: `list(resource, { fieldSelector: "name=value" })`. */
  addIndex<T extends KubeObject>(resource: Resource<T>, name: string, valuesOf: IndexFunction<T>): void;
  /**
   * The object if it is cached, own writes included; starts no informer and waits for nothing. It counts as a read: an
   * informer that ends without reads stays while it is used by `peek` only.
   */
  peek<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined;
  /** Whether the settings select objects of the kind in the namespace: reads of other namespaces fail. */
  coversNamespace(resource: Resource, namespace: string): boolean;
  /** Runs all informers, and those acquired later, until the signal aborts. Only once [IN21]. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Waits until all informers that are in use have synced, those included that are acquired meanwhile; before the start it
   * waits for that, too. Throws the signal's reason as soon as it aborts, and a CacheStoppedError if the cache stops before.
   */
  synced(signal?: AbortSignal): Promise<void>;
  readonly statuses: readonly InformerStatus[];
}
