// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ListMeta, NamespacedMeta, ObjectMeta } from "../../meta.ts";
import type { Kind, Resource } from "../../resource.ts";

export interface CrossVersionObjectReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

export interface HorizontalPodAutoscaler {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "HorizontalPodAutoscaler";
  readonly metadata: NamespacedMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}

export const HorizontalPodAutoscaler: Resource<HorizontalPodAutoscaler> = {
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  scope: "Namespaced",
};

export interface HorizontalPodAutoscalerList {
  readonly apiVersion: "autoscaling/v1";
  readonly items: readonly HorizontalPodAutoscaler[];
  readonly kind: "HorizontalPodAutoscalerList";
  readonly metadata: ListMeta;
}

export interface HorizontalPodAutoscalerSpec {
  readonly maxReplicas: number;
  readonly minReplicas?: number;
  readonly scaleTargetRef: CrossVersionObjectReference;
  readonly targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  readonly currentCPUUtilizationPercentage?: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly lastScaleTime?: string;
  readonly observedGeneration?: number;
}

export interface Scale {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "Scale";
  readonly metadata: ObjectMeta;
  readonly spec?: ScaleSpec;
  readonly status?: ScaleStatus;
}

export const Scale: Kind<Scale> = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
};

export interface ScaleSpec {
  readonly replicas?: number;
}

export interface ScaleStatus {
  readonly replicas: number;
  readonly selector?: string;
}
