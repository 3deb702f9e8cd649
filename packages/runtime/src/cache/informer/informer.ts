import type { KubeObject, LabelQuery, ObjectKey, Resource, Stored } from "@keelson/core";
import type { Freshness } from "../../watch/reflector-options.ts";

/**
 * What an informer delivers to its subscribers, after its store has changed [IN2]. Objects are frozen, and may be parsed
 * only when they are first read; reading `key` never parses.
 */
export type InformerEvent<T extends KubeObject> = InformerCreate<T> | InformerUpdate<T> | InformerDelete<T>;

export interface InformerCreate<T extends KubeObject> {
  readonly type: "create";
  readonly key: ObjectKey;
  readonly object: Stored<T>;
  /** The object existed before the subscription [IN9]. */
  readonly isInInitialList: boolean;
}

export interface InformerUpdate<T extends KubeObject> {
  readonly type: "update";
  readonly key: ObjectKey;
  readonly old: Stored<T>;
  /** Another uid than that of `old` means that the object was deleted and created again between two events [IN7]. */
  readonly object: Stored<T>;
  /** The version has not changed: a resync, or a relist of an unchanged object. Only with a resync period [IN6]. */
  readonly isSync: boolean;
}

export interface InformerDelete<T extends KubeObject> {
  readonly type: "delete";
  readonly key: ObjectKey;
  /** The last known state, with the version of the deletion if that is known [IN8]. */
  readonly object: Stored<T>;
  /** A relist showed the deletion; its watch event was missed [IN5]. */
  readonly finalStateUnknown: boolean;
}

/** Called with one event at a time, in order; the next one waits until the promise, if there is one, is settled. */
export type InformerHandler<T extends KubeObject> = (event: InformerEvent<T>) => void | Promise<void>;

export interface SubscribeOptions {
  /**
   * The period after which all objects are delivered again as updates with `isSync` [IN13]; at least 1 s, and 0 is never.
   * Default: the setting of the cache, or never.
   */
  readonly resyncMs?: number;
}

export interface Subscription {
  /** The store has synced and the handler is done with the objects that were in it [IN10]. */
  readonly hasSynced: boolean;
  /** Waits until `hasSynced`; throws the signal's reason as soon as it aborts. */
  synced(signal?: AbortSignal): Promise<void>;
  /** Once it resolves, the handler is not called any more. May be called twice [IN11]. */
  remove(): Promise<void>;
}

/** The values of an index under which an object is found; several, one or none. */
export type IndexFunction<T extends KubeObject> = (object: Stored<T>) => readonly string[];

/** Selects objects of a store. All given conditions must hold. */
export interface StoreQuery {
  readonly namespace?: string;
  readonly labels?: LabelQuery;
  readonly indexed?: readonly { readonly index: string; readonly value: string }[];
  /** The largest number of objects. Default: all. */
  readonly limit?: number;
}

/** Which version an informer has reached and what it holds [IN20]. */
export interface InformerStatus extends Freshness {
  /** What is watched, such as `pods in shop` or `secrets with app=web`. */
  readonly name: string;
  readonly hasSynced: boolean;
  readonly objects: number;
  /** How many reads of a cache had to wait until the watch had delivered an own write [RW1]. */
  readonly delayedReads?: number;
  /** How many objects the transform could not handle: reads of them fail [IN22]. */
  readonly unreadableObjects?: number;
  /** How many objects the function of each index could not handle: the index does not contain them [IN22]. */
  readonly unindexedObjects?: Readonly<Record<string, number>>;
  /** Why the last list or watch failed [EV8]. Undefined if none has failed since changes last arrived. */
  readonly lastError?: Error;
}

/** A local copy of a selection of the server's objects, kept up to date by one watch that all users share. */
export interface Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly hasSynced: boolean;
  /** Waits until the store holds all objects; throws the signal's reason as soon as it aborts. */
  synced(signal?: AbortSignal): Promise<void>;
  /**
   * The frozen object in the store: the same reference for every reader [IN18]. Throws a TransformError if the transform
   * could not handle it; lists leave it out [IN22].
   */
  get(key: ObjectKey): Stored<T> | undefined;
  list(query?: StoreQuery): readonly Stored<T>[];
  /** Adds an index, also to a store that is filled [IN14]. The same function may be added again under the same name. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void;
  subscribe(handler: InformerHandler<T>, options?: SubscribeOptions): Subscription;
  /** One for each watch behind it. */
  readonly statuses: readonly InformerStatus[];
}
