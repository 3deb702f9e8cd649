// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { Condition, Keyed, LabelSelector, ListMeta, NamespacedMeta, UnstoredMeta } from "../../meta.ts";
import type { Kind, Resource } from "../../resource.ts";
import type { DeleteOptions } from "../meta/v1.ts";

export interface Eviction {
  readonly apiVersion: "policy/v1";
  readonly deleteOptions?: DeleteOptions;
  readonly kind: "Eviction";
  readonly metadata: UnstoredMeta;
}

export const Eviction: Kind<Eviction> = {
  group: "policy",
  version: "v1",
  kind: "Eviction",
};

export interface PodDisruptionBudget {
  readonly apiVersion: "policy/v1";
  readonly kind: "PodDisruptionBudget";
  readonly metadata: NamespacedMeta;
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}

export const PodDisruptionBudget: Resource<PodDisruptionBudget> = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  scope: "Namespaced",
};

export interface PodDisruptionBudgetList {
  readonly apiVersion: "policy/v1";
  readonly items: readonly PodDisruptionBudget[];
  readonly kind: "PodDisruptionBudgetList";
  readonly metadata: ListMeta;
}

export interface PodDisruptionBudgetSpec {
  readonly maxUnavailable?: number | string;
  readonly minAvailable?: number | string;
  readonly selector?: LabelSelector;
  readonly unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

export interface PodDisruptionBudgetStatus {
  readonly conditions?: Keyed<Condition, "type">;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed?: number;
  readonly expectedPods?: number;
  readonly observedGeneration?: number;
}
