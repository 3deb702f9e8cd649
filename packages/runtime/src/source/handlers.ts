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

/** Keys at once, or after something was looked up. */
export type Keys<Key> = Iterable<Key> | Promise<Iterable<Key>>;

/** What a handler may use to find the keys. */
export interface HandlerContext {
  /** Reads come from the cache. */
  readonly client: Client;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
}

/**
 * Says which keys an event concerns. It only says so: the source queues them, each once however often it was named. The
 * events of a source are handled one after the other, and the next one waits for a handler that looks something up.
 * One that throws is asked again, ever later up to a minute and until it answers, while the events after it go on.
 */
export type EventHandler<T extends KubeObject, Key> = (
  event: SourceEvent<T>,
  context: HandlerContext,
) => Keys<Key>;

export interface EnqueueOwnerOptions {
  /** Every owner of the kind counts, not only the one that is the controller. Default false. */
  readonly everyOwner?: boolean;
}

/** Which keys an object concerns. Must not depend on anything that changes unseen, or changes will be missed. */
export type MapObject<T extends KubeObject, Key> = (object: Stored<T>, context: HandlerContext) => Keys<Key>;

/** The object itself [EV1]. It is not even parsed for that. */
export function enqueueSelf(): EventHandler<KubeObject, ObjectKey> {
  return (event) => [keyOfEvent(event)];
}

/**
 * The owner of the object, if it is of that kind; which version of the kind the reference names does not matter [EV2].
 * An owner that an update took away is told as well as the one that it brought [EV4].
 */
export function enqueueOwner(
  owner: Resource,
  { everyOwner = false }: EnqueueOwnerOptions = {},
): EventHandler<KubeObject, ObjectKey> {
  const referencesOf = everyOwner ? ownersOf : firstControllerOf;
  return enqueueMapped((object) => {
    const { namespace } = object.metadata;
    // Only an object in a namespace can have an owner in one; the server forbids the rest.
    const isReachable = owner.scope === "Cluster" || (namespace !== undefined && namespace !== "");
    if (!isReachable) return [];
    return referencesOf(object)
      .filter((reference) => refersTo(reference, owner))
      .map(({ name }) =>
        owner.scope === "Cluster" || namespace === undefined ? { name } : { namespace, name },
      );
  });
}

/** What `map` says of the object; of an update, what it says of the old and of the new object together [EV4]. */
export function enqueueMapped<T extends KubeObject, Key>(map: MapObject<T, Key>): EventHandler<T, Key> {
  return (event, context) => {
    if (event.type !== "update" || event.isSync) return map(event.object, context);
    return union(map(event.old, context), () => map(event.object, context));
  };
}

/** Waits only if there is something to wait for, so that plain maps stay plain. */
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
