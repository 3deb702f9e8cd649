import type { ApiUse, ObjectKey, ResourceUse } from "@keelson/core";
import { scopesFor, scopesOf } from "../../cache/cache-scopes.ts";
import { allNamespaces, type CacheSettings } from "../../cache/cache-settings.ts";
import type { Source, WatchedObjects } from "../../source/source.ts";

/** A use of the API that a part of a manager requires. */
export interface NeededUse {
  readonly use: ApiUse;
  /** The part that needs it, for the report, such as `controller webapp`. */
  readonly neededBy: string;
}

export function neededUses(neededBy: string, uses: readonly ApiUse[]): readonly NeededUse[] {
  return uses.map((use) => ({ use, neededBy }));
}

/** The uses of a controller's watches: list and watch of each kind, in the namespaces that the cache's settings select. */
export function usesOfSources<Key>(
  sources: readonly Source<Key>[],
  settings: CacheSettings = {},
): readonly ResourceUse[] {
  return sources.flatMap(({ watches }) => (watches === undefined ? [] : usesOfWatch(watches, settings)));
}

function usesOfWatch(
  { resource, selection }: WatchedObjects,
  settings: CacheSettings,
): readonly ResourceUse[] {
  const scopes =
    selection === undefined ? scopesOf(resource, settings) : scopesFor(resource, settings, selection);
  return scopes.flatMap(({ selection: { namespace } }) =>
    ["list", "watch"].map((verb) => ({
      verb,
      group: resource.group,
      resource: resource.plural,
      ...(namespace !== undefined && { namespace }),
    })),
  );
}

/** The uses of a leader election with this Lease. */
export function leaseUses({ namespace, name }: ObjectKey): readonly ApiUse[] {
  return ["get", "create", "update"].map((verb) => ({
    verb,
    group: "coordination.k8s.io",
    resource: "leases",
    ...(namespace !== undefined && { namespace }),
    name,
  }));
}

/** The objects that a manager may record Events about. */
export interface EventSubjects {
  readonly settings?: CacheSettings | undefined;
  readonly watched?: readonly WatchedObjects[];
  /** The Lease of the election, since changes of the leader are recorded as Events about it. */
  readonly lease?: ObjectKey | undefined;
}

/** The namespace of Events about cluster-scoped objects. */
const namespaceOfClusterScoped = "default";

/** The uses of an event recorder: it creates Events in the namespaces of their objects, and patches repeated ones. */
export function eventUses({ settings = {}, watched = [], lease }: EventSubjects = {}): readonly ApiUse[] {
  const { defaults = {}, kinds = [] } = settings;
  const ofDefaults = Object.keys(defaults.namespaces ?? {});
  const namespaces = new Set([
    ...(ofDefaults.length === 0 ? [allNamespaces] : ofDefaults),
    ...kinds.flatMap((kind) => Object.keys(kind.settings.namespaces ?? {})),
    ...watched.flatMap(namespacesOf),
    ...(lease === undefined ? [] : [lease.namespace ?? namespaceOfClusterScoped]),
  ]);
  const scopes = namespaces.has(allNamespaces) ? [{}] : [...namespaces].map((namespace) => ({ namespace }));
  return scopes.flatMap((scope) =>
    ["create", "patch"].map((verb) => ({ verb, group: "events.k8s.io", resource: "events", ...scope })),
  );
}

/** The namespaces of a watch that the cache's settings do not include. */
function namespacesOf({ resource, selection }: WatchedObjects): readonly string[] {
  if (resource.scope === "Cluster") return [namespaceOfClusterScoped];
  return selection?.namespace === undefined ? [] : [selection.namespace];
}
