import {
  formatTime,
  type KubeObject,
  type LabelSelector,
  labelsToSelector,
  matchesLabels,
  type Resource,
  type Stored,
} from "@keelson/core";
import { ReplicaSet, type ReplicaSetCondition, type ReplicaSetStatus } from "@keelson/core/kinds/apps/v1";
import { type Pod, type PodTemplateSpec, ReplicationController } from "@keelson/core/kinds/core/v1";
import { isPodAvailable, isPodReady } from "../pod-state.ts";
import { nonZero } from "../replica-counts.ts";

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

interface ReplicaSpec {
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

/** A requirement that no labels meet: a label both exists and does not. */
const nothing: LabelSelector = {
  matchExpressions: [
    { key: "none", operator: "Exists" },
    { key: "none", operator: "DoesNotExist" },
  ],
};

export interface ReplicaFacts {
  readonly owner: ReplicaOwner;
  readonly spec: ReplicaSpec;
  readonly active: readonly Stored<Pod>[];
  /** Undefined where the kind does not count them. */
  readonly terminating: readonly Stored<Pod>[] | undefined;
  /** Why pods could not be created or deleted; undefined if all succeeded. */
  readonly failure: string | undefined;
  readonly now: number;
}

export function replicaStatus(facts: ReplicaFacts): ReplicaSetStatus {
  const { owner, spec, active, terminating, now } = facts;
  const template = labelsToSelector(spec.template?.metadata?.labels ?? {});
  const ready = active.filter(isPodReady);
  const conditions = replicaConditions(facts);
  const { generation } = owner.metadata;
  return {
    ...nonZero({
      availableReplicas: ready.filter((pod) => isPodAvailable(pod, spec.minReadySeconds, now)).length,
      fullyLabeledReplicas: active.filter(({ metadata }) => matchesLabels(template, metadata.labels)).length,
      readyReplicas: ready.length,
      observedGeneration: generation,
    }),
    replicas: active.length,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating.length }),
  };
}

/** A failure that is shown stays as it was first seen, until all is well. */
function replicaConditions({
  owner,
  spec,
  active,
  failure,
  now,
}: ReplicaFacts): readonly ReplicaSetCondition[] {
  const { conditions = [] } = owner.status ?? {};
  const isShown = conditions.some(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) return conditions.filter(({ type }) => type !== "ReplicaFailure");
  if (isShown) return conditions;
  const reason = active.length < spec.replicas ? "FailedCreate" : "FailedDelete";
  const lastTransitionTime = formatTime(now);
  return [
    ...conditions,
    { type: "ReplicaFailure", status: "True", lastTransitionTime, reason, message: failure },
  ];
}
