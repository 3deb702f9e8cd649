import { isRecord, type KubeObject, keyOf, type ObjectKey, type Stored } from "@keelson/core";
import type { InformerEvent, InformerUpdate } from "../cache/informer/informer.ts";
import type { Trigger } from "../queue/work-item.ts";
import { changedPaths } from "./changed-paths.ts";
import { type EnqueueOptions, lowPriority } from "./source.ts";

/** Something happened that is no change of an object in the API server: a callback, a timer, a message. */
export interface GenericEvent<Item> {
  readonly type: "generic";
  readonly object: Item;
}

/** What handlers and predicates are asked about. Of an informer's event, `key` costs nothing and `object` may cost a parse. */
export type SourceEvent<T extends KubeObject> = InformerEvent<T> | GenericEvent<Stored<T>>;

/** Where the object of an event is, without looking at the object if that can be. */
export function keyOfEvent(event: SourceEvent<KubeObject>): ObjectKey {
  return event.type === "generic" ? keyOf(event.object) : event.key;
}

/**
 * How the keys of an informer's event are queued and why. What was there before, and what has not changed, gives way to
 * what has [EV10]. The object is parsed only for those who look at its version or its changes.
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
    ...(event.type === "update" && { changedPaths: pathsOnDemand(event) }),
  };
  return isInitial || isUnchanged ? { trigger, priority: lowPriority } : { trigger };
}

/**
 * One update that concerns all that two updates of an object do: from the state before the first to that after the last.
 * What was in between is skipped, as a watch that was interrupted skips it. Other events do not become one: predicates
 * ask about each type separately.
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

/** How the keys of an event from elsewhere are queued; it tells of the object if it is about one. */
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

/** Works the paths out once, and lets go of both objects then. */
function pathsOnDemand<T extends KubeObject>(update: InformerUpdate<T>): () => readonly string[] {
  let pending: InformerUpdate<T> | undefined = update.isSync ? undefined : update;
  let paths: readonly string[] = [];
  return () => {
    if (pending !== undefined) paths = changedPaths(pending.old, pending.object);
    pending = undefined;
    return paths;
  };
}
