import { type KubeObject, type LabelSelector, labelsToSelector, type Resource } from "@keelson/core";
import { ReplicaSet, type ReplicaSetStatus } from "@keelson/core/kinds/apps/v1";
import { type PodTemplateSpec, ReplicationController } from "@keelson/core/kinds/core/v1";

/** What ReplicaSets and ReplicationControllers have in common, and how they differ. */
export interface ReplicaKind<T extends ReplicaOwner> {
  readonly resource: Resource<T>;
  /** `replicaset-controller`, the source of Events. */
  readonly component: string;
  readonly countsTerminating: boolean;
  specOf(object: T): ReplicaSpec;
}

export interface ReplicaOwner extends KubeObject {
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaSpec {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec | undefined;
}

export const replicaSets: ReplicaKind<ReplicaSet> = {
  resource: ReplicaSet,
  component: "replicaset-controller",
  countsTerminating: true,
  specOf: ({ spec }) => ({
    replicas: spec?.replicas ?? 1,
    minReadySeconds: spec?.minReadySeconds ?? 0,
    selector: spec?.selector ?? nothing,
    template: spec?.template,
  }),
};

export const replicationControllers: ReplicaKind<ReplicationController> = {
  resource: ReplicationController,
  component: "replication-controller",
  countsTerminating: false,
  specOf: ({ spec }) => ({
    replicas: spec?.replicas ?? 1,
    minReadySeconds: spec?.minReadySeconds ?? 0,
    selector: spec?.selector === undefined ? nothing : labelsToSelector(spec.selector),
    template: spec?.template,
  }),
};

/** A label that both is and is not there. */
const nothing: LabelSelector = {
  matchExpressions: [
    { key: "none", operator: "Exists" },
    { key: "none", operator: "DoesNotExist" },
  ],
};
