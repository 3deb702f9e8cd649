import type { ApiUse, ObjectKey } from "@keelson/core";
import { allNamespaces, type CacheSettings } from "../../cache/cache-settings.ts";
import type { WatchedObjects } from "../../source/source.ts";

/** What a candidate does with its Lease. */
export function leaseUses({ namespace, name }: ObjectKey): readonly ApiUse[] {
  return ["get", "create", "update"].map((verb) => ({
    verb,
    group: "coordination.k8s.io",
    resource: "leases",
    ...(namespace !== undefined && { namespace }),
    name,
  }));
}

/** Where a manager has objects that events may be about. */
export interface EventPlaces {
  readonly settings?: CacheSettings | undefined;
  readonly watched?: readonly WatchedObjects[];
  /** By which it is elected: who leads is told by events about it. */
  readonly lease?: ObjectKey | undefined;
}

/** Events about objects without a namespace are written here. */
const namespaceOfOthers = "default";

/** Events are written in the namespaces of the objects that they are about, and grow by patches. */
export function eventUses({ settings = {}, watched = [], lease }: EventPlaces = {}): readonly ApiUse[] {
  const { defaults = {}, kinds = [] } = settings;
  const ofDefaults = Object.keys(defaults.namespaces ?? {});
  const namespaces = new Set([
    ...(ofDefaults.length === 0 ? [allNamespaces] : ofDefaults),
    ...kinds.flatMap((kind) => Object.keys(kind.settings.namespaces ?? {})),
    ...watched.flatMap(namespacesOf),
    ...(lease === undefined ? [] : [lease.namespace ?? namespaceOfOthers]),
  ]);
  const isEverywhere = namespaces.has(allNamespaces);
  const places = isEverywhere ? [{}] : [...namespaces].map((namespace) => ({ namespace }));
  return places.flatMap((place) =>
    ["create", "patch"].map((verb) => ({ verb, group: "events.k8s.io", resource: "events", ...place })),
  );
}

/** Of a watch that is not as the settings say, or whose objects have no namespace. */
function namespacesOf({ resource, selection }: WatchedObjects): readonly string[] {
  if (resource.scope === "Cluster") return [namespaceOfOthers];
  return selection === undefined ? [] : [selection.namespace ?? allNamespaces];
}
