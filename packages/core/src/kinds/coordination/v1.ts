// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ListMeta, NamespacedMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";

export interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: NamespacedMeta;
  readonly spec?: LeaseSpec;
}

export const Lease: Resource<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
};

export interface LeaseList {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly items: readonly Lease[];
  readonly kind: "LeaseList";
  readonly metadata: ListMeta;
}

export interface LeaseSpec {
  readonly acquireTime?: string;
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
  readonly preferredHolder?: string;
  readonly renewTime?: string;
  readonly strategy?: string;
}
