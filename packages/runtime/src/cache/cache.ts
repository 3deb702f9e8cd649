import type { Selection } from "@keelson/client";
import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { IndexFunction, Informer, InformerStatus } from "./informer/informer.ts";

/** A use of a shared informer. The last one that is released ends the watch. */
export interface InformerLease<T extends KubeObject> extends Informer<T> {
  /** Gives it back and removes the subscriptions made through it. Does no harm when called twice. */
  release(): Promise<void>;
}

export interface AcquireOptions {
  /** Watches only these objects, apart from what the cache's settings say of the kind. Default: the settings. */
  readonly selection?: Selection;
}

/** The informers of a process: one watch per kind, scope, selector and representation, for all who use it [IN1]. */
export interface Cache {
  /** The informer of a kind, which starts now or, if the cache has not been started, with it. */
  acquire<T extends KubeObject>(resource: Resource<T>, options?: AcquireOptions): InformerLease<T>;
  /** Lets readers select by this field: `list(resource, { fieldSelector: "name=value" })`. */
  addIndex<T extends KubeObject>(resource: Resource<T>, name: string, valuesOf: IndexFunction<T>): void;
  /**
   * The object if it is at hand, own writes included; starts nothing and waits for nothing. It is a read all the same: what
   * ends without reads stays for those who only peek.
   */
  peek<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> | undefined;
  /** Runs all informers, and those acquired later, until the signal aborts. Only once [IN21]. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Waits until all informers that are in use have synced, those included that are acquired meanwhile, and before a start
   * for that, too. Throws the signal's reason as soon as it aborts, and a CacheStoppedError if the cache stops before.
   */
  synced(signal?: AbortSignal): Promise<void>;
  readonly statuses: readonly InformerStatus[];
}
