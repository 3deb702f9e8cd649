// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, ListMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";

export interface PriorityClass {
  readonly apiVersion: "scheduling.k8s.io/v1";
  readonly description?: string;
  readonly globalDefault?: boolean;
  readonly kind: "PriorityClass";
  readonly metadata: ClusterMeta;
  readonly preemptionPolicy?: "Never" | "PreemptLowerPriority";
  readonly value?: number;
}

export const PriorityClass: Resource<PriorityClass> = {
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  scope: "Cluster",
};

export interface PriorityClassList {
  readonly apiVersion: "scheduling.k8s.io/v1";
  readonly items: readonly PriorityClass[];
  readonly kind: "PriorityClassList";
  readonly metadata: ListMeta;
}
