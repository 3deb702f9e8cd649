import { isRecord, type KubeObject, keyOf, type ObjectKey, type Stored } from "@keelson/core";
import type { InformerEvent, InformerUpdate } from "../cache/informer/informer.ts";
import type { Trigger } from "../queue/work-item.ts";
import { changedPaths } from "./changed-paths.ts";
import { type EnqueueOptions, lowPriority } from "./source.ts";

/** An event that is no change of an object in the API server: a callback, a timer, a message. */
export interface GenericEvent<Item> {
  readonly type: "generic";
  readonly object: Item;
}

/** The argument of handlers and predicates. Reading `object` of an informer's event may parse it; `key` never does. */
export type SourceEvent<T extends KubeObject> = InformerEvent<T> | GenericEvent<Stored<T>>;

/** The key of the object of an event, without parsing the object if possible. */
export function keyOfEvent(event: SourceEvent<KubeObject>): ObjectKey {
  return event.type === "generic" ? keyOf(event.object) : event.key;
}

/**
 * How and why the keys of an informer's event are enqueued. Objects of the initial list and unchanged ones have low
 * priority [EV10]. The object is parsed only when its version or its changes are read.
 */
export function enqueueOptionsOf<T extends KubeObject>(
  event: InformerEvent<T>,
  { source, kind }: { readonly source: string; readonly kind: string },
): EnqueueOptions {
  const isInitial = event.type === "create" && event.isInInitialList;
  const isUnchanged = event.type === "update" && event.isSync;
  const trigger: Trigger = {
    source,
    type: event.type,
    object: {
      ...event.key,
      kind,
      get resourceVersion() {
        return event.object.metadata.resourceVersion ?? "";
      },
    },
    ...(isInitial && { isInitial }),
    ...(event.type === "update" && { changedPaths: lazyChangedPaths(event) }),
  };
  return isInitial || isUnchanged ? { trigger, priority: lowPriority } : { trigger };
}

/**
 * One update in place of two updates of an object: from the state before the first to the state after the second. The
 * state in between is skipped, as an interrupted watch skips it. Other events are not merged: predicates test each type
 * separately.
 */
export function mergeUpdates<T extends KubeObject>(
  earlier: InformerEvent<T>,
  later: InformerEvent<T>,
): InformerEvent<T> | undefined {
  if (earlier.type !== "update" || later.type !== "update") return undefined;
  if (earlier.isSync) return later;
  return {
    type: "update",
    key: later.key,
    get old() {
      return earlier.old;
    },
    get object() {
      return later.object;
    },
    isSync: false,
  };
}

/** How the keys of a generic event are enqueued; the trigger contains the object if the event is about one. */
export function genericEnqueueOptionsOf(event: GenericEvent<unknown>, source: string): EnqueueOptions {
  const object = objectOf(event.object);
  return { trigger: { source, type: "generic", ...(object !== undefined && { object }) } };
}

function objectOf(item: unknown): Trigger["object"] {
  if (!isRecord(item) || !isRecord(item.metadata)) return undefined;
  const { kind, metadata } = item;
  const { namespace, name, resourceVersion } = metadata;
  if (typeof name !== "string") return undefined;
  return {
    name,
    ...(typeof namespace === "string" && { namespace }),
    kind: typeof kind === "string" ? kind : "",
    ...(typeof resourceVersion === "string" && { resourceVersion }),
  };
}

/** Computes the paths once, and releases both objects then. */
function lazyChangedPaths<T extends KubeObject>(update: InformerUpdate<T>): () => readonly string[] {
  let pending: InformerUpdate<T> | undefined = update.isSync ? undefined : update;
  let paths: readonly string[] = [];
  return () => {
    if (pending !== undefined) paths = changedPaths(pending.old, pending.object);
    pending = undefined;
    return paths;
  };
}
