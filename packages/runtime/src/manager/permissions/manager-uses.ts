import type { ApiUse, ObjectKey } from "@keelson/core";

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

/** Events are written in the namespaces of the objects that they are about, and grow by patches. */
export const eventUses: readonly ApiUse[] = ["create", "patch"].map((verb) => ({
  verb,
  group: "events.k8s.io",
  resource: "events",
}));
