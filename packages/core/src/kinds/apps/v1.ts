// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { Keyed, LabelSelector, ListMeta, NamespacedMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";
import type { PersistentVolumeClaim, PodTemplateSpec } from "../core/v1.ts";

export interface ControllerRevision {
  readonly apiVersion: "apps/v1";
  readonly data?: Readonly<Record<string, unknown>>;
  readonly kind: "ControllerRevision";
  readonly metadata: NamespacedMeta;
  readonly revision: number;
}

export const ControllerRevision: Resource<ControllerRevision> = {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  scope: "Namespaced",
};

export interface ControllerRevisionList {
  readonly apiVersion: "apps/v1";
  readonly items: readonly ControllerRevision[];
  readonly kind: "ControllerRevisionList";
  readonly metadata: ListMeta;
}

export interface DaemonSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "DaemonSet";
  readonly metadata: NamespacedMeta;
  readonly spec?: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}

export const DaemonSet: Resource<DaemonSet> = {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  scope: "Namespaced",
};

export interface DaemonSetCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface DaemonSetList {
  readonly apiVersion: "apps/v1";
  readonly items: readonly DaemonSet[];
  readonly kind: "DaemonSetList";
  readonly metadata: ListMeta;
}

export interface DaemonSetSpec {
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: DaemonSetUpdateStrategy;
}

export interface DaemonSetStatus {
  readonly collisionCount?: number;
  readonly conditions?: Keyed<DaemonSetCondition, "type">;
  readonly currentNumberScheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberAvailable?: number;
  readonly numberMisscheduled: number;
  readonly numberReady: number;
  readonly numberUnavailable?: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
}

export interface DaemonSetUpdateStrategy {
  readonly rollingUpdate?: RollingUpdateDaemonSet;
  readonly type?: "OnDelete" | "RollingUpdate";
}

export interface Deployment {
  readonly apiVersion: "apps/v1";
  readonly kind: "Deployment";
  readonly metadata: NamespacedMeta;
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

export const Deployment: Resource<Deployment> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  scope: "Namespaced",
};

export interface DeploymentCondition {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface DeploymentList {
  readonly apiVersion: "apps/v1";
  readonly items: readonly Deployment[];
  readonly kind: "DeploymentList";
  readonly metadata: ListMeta;
}

export interface DeploymentSpec {
  readonly minReadySeconds?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly strategy?: DeploymentStrategy;
  readonly template: PodTemplateSpec;
}

export interface DeploymentStatus {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: Keyed<DeploymentCondition, "type">;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly terminatingReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly updatedReplicas?: number;
}

export interface DeploymentStrategy {
  readonly rollingUpdate?: RollingUpdateDeployment;
  readonly type?: "Recreate" | "RollingUpdate";
}

export interface ReplicaSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "ReplicaSet";
  readonly metadata: NamespacedMeta;
  readonly spec?: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
}

export const ReplicaSet: Resource<ReplicaSet> = {
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  scope: "Namespaced",
};

export interface ReplicaSetCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface ReplicaSetList {
  readonly apiVersion: "apps/v1";
  readonly items: readonly ReplicaSet[];
  readonly kind: "ReplicaSetList";
  readonly metadata: ListMeta;
}

export interface ReplicaSetSpec {
  readonly minReadySeconds?: number;
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  readonly availableReplicas?: number;
  readonly conditions?: Keyed<ReplicaSetCondition, "type">;
  readonly fullyLabeledReplicas?: number;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas: number;
  readonly terminatingReplicas?: number;
}

export interface RollingUpdateDaemonSet {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
}

export interface RollingUpdateDeployment {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
}

export interface RollingUpdateStatefulSetStrategy {
  readonly maxUnavailable?: number | string;
  readonly partition?: number;
}

export interface StatefulSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "StatefulSet";
  readonly metadata: NamespacedMeta;
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

export const StatefulSet: Resource<StatefulSet> = {
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  scope: "Namespaced",
};

export interface StatefulSetCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface StatefulSetList {
  readonly apiVersion: "apps/v1";
  readonly items: readonly StatefulSet[];
  readonly kind: "StatefulSetList";
  readonly metadata: ListMeta;
}

export interface StatefulSetOrdinals {
  readonly start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface StatefulSetSpec {
  readonly minReadySeconds?: number;
  readonly ordinals?: StatefulSetOrdinals;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly podManagementPolicy?: "OrderedReady" | "Parallel";
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly serviceName?: string;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
}

export interface StatefulSetStatus {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: Keyed<StatefulSetCondition, "type">;
  readonly currentReplicas?: number;
  readonly currentRevision?: string;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas: number;
  readonly updateRevision?: string;
  readonly updatedReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
  readonly type?: "OnDelete" | "RollingUpdate";
}
