// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, ListMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";
import type { Toleration } from "../core/v1.ts";

export interface Overhead {
  readonly podFixed?: Readonly<Record<string, string>>;
}

export interface RuntimeClass {
  readonly apiVersion: "node.k8s.io/v1";
  readonly handler: string;
  readonly kind: "RuntimeClass";
  readonly metadata: ClusterMeta;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}

export const RuntimeClass: Resource<RuntimeClass> = {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  scope: "Cluster",
};

export interface RuntimeClassList {
  readonly apiVersion: "node.k8s.io/v1";
  readonly items: readonly RuntimeClass[];
  readonly kind: "RuntimeClassList";
  readonly metadata: ListMeta;
}

export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}
