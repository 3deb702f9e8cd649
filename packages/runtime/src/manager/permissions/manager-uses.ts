import type { ApiUse, ObjectKey } from "@keelson/core";
import { allNamespaces, type CacheSettings } from "../../cache/cache-settings.ts";

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

/**
 * Events are written in the namespaces of the objects that they are about, and grow by patches. A manager that watches
 * only some namespaces has objects in these alone.
 */
export function eventUses({ defaults = {} }: CacheSettings = {}): readonly ApiUse[] {
  const namespaces = Object.keys(defaults.namespaces ?? {});
  const isEverywhere = namespaces.length === 0 || namespaces.includes(allNamespaces);
  const places = isEverywhere ? [{}] : namespaces.map((namespace) => ({ namespace }));
  return places.flatMap((place) =>
    ["create", "patch"].map((verb) => ({ verb, group: "events.k8s.io", resource: "events", ...place })),
  );
}
