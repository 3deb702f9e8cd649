import type { KubeObject, Resource } from "keelson";
import { ifServed } from "keelson/cache";
import type { NamespacedMeta } from "keelson/low-level";

/** The time for which a Cluster may use its machines. The schedule operator deletes the owners of one that ends. */
export interface Lease extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: {
    readonly phase?: string;
    /** From the names of requested flavors to those that are reserved. */
    readonly sizeNameMap?: Readonly<Record<string, string>> | null;
  };
}

export const Lease: Resource<Lease> = ifServed({
  group: "scheduling.azimuth.stackhpc.com",
  version: "v1alpha1",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
});
