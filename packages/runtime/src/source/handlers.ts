import type { Client } from "@keelson/client";
import {
  controllerOf,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  parseApiVersion,
  type Resource,
  type Stored,
} from "@keelson/core";
import { keyOfEvent, type SourceEvent } from "./source-event.ts";

/** Keys at once, or after an asynchronous read. */
export type Keys<Key> = Iterable<Key> | Promise<Iterable<Key>>;

/** What a handler may use to find the keys. */
export interface HandlerContext {
  /** Reads come from the cache. */
  readonly client: Client;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
}

/**
 * Maps an event to keys. The source enqueues them, each key once. The events of a source are handled one after the other,
 * and the next one waits for an asynchronous handler, up to a second. A handler that throws, or has not ended after 30 s, is
 * called again, with growing delays up to a minute, until it succeeds, while later events are handled [EV12].
 */
export type EventHandler<T extends KubeObject, Key> = (
  event: SourceEvent<T>,
  context: HandlerContext,
) => Keys<Key>;

export interface EnqueueOwnerOptions {
  /** Every owner of the kind counts, not only the one that is the controller. Default false. */
  readonly everyOwner?: boolean;
}

/** Maps an object to keys. Must depend on nothing that changes without an event, or changes are missed. */
export type MapObject<T extends KubeObject, Key> = (object: Stored<T>, context: HandlerContext) => Keys<Key>;

/** Enqueues the object itself [EV1], without parsing it. */
export function enqueueSelf(): EventHandler<KubeObject, ObjectKey> {
  return (event) => [keyOfEvent(event)];
}

/**
 * Enqueues the owner of the object, if it is of that kind, whatever version of the kind the reference has [EV2]. An update
 * that changes the owner enqueues the old and the new one [EV4].
 */
export function enqueueOwner(
  owner: Resource,
  { everyOwner = false }: EnqueueOwnerOptions = {},
): EventHandler<KubeObject, ObjectKey> {
  const referencesOf = everyOwner ? ownersOf : firstControllerOf;
  return enqueueMapped((object) => {
    const { namespace } = object.metadata;
    // Only a namespaced object can have a namespaced owner; the server forbids the rest.
    const isReachable = owner.scope === "Cluster" || (namespace !== undefined && namespace !== "");
    if (!isReachable) return [];
    return referencesOf(object)
      .filter((reference) => refersTo(reference, owner))
      .map(({ name }) =>
        owner.scope === "Cluster" || namespace === undefined ? { name } : { namespace, name },
      );
  });
}

/** Enqueues what `map` returns for the object; for an update, for the old and the new object together [EV4]. */
export function enqueueMapped<T extends KubeObject, Key>(map: MapObject<T, Key>): EventHandler<T, Key> {
  return (event, context) => {
    if (event.type !== "update" || event.isSync) return map(event.object, context);
    return union(map(event.old, context), () => map(event.object, context));
  };
}

/** Waits only for promises, so that synchronous maps stay synchronous. */
function union<Key>(first: Keys<Key>, mapSecond: () => Keys<Key>): Keys<Key> {
  if (isPromise(first)) return first.then(async (keys) => both(keys, await mapSecond()));
  const second = mapSecond();
  return isPromise(second) ? second.then((keys) => both(first, keys)) : both(first, second);
}

function both<Key>(first: Iterable<Key>, second: Iterable<Key>): Iterable<Key> {
  return [...first, ...second];
}

export function isPromise<Key>(keys: Keys<Key>): keys is Promise<Iterable<Key>> {
  return typeof keys === "object" && "then" in keys;
}

function firstControllerOf(object: KubeObject): readonly OwnerReference[] {
  const controller = controllerOf(object);
  return controller === undefined ? [] : [controller];
}

function ownersOf({ metadata }: KubeObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

function refersTo(reference: OwnerReference, { group, kind }: Resource): boolean {
  return reference.kind === kind && parseApiVersion(reference.apiVersion).group === group;
}
