import { formatTime, labelsToSelector, matchesLabels } from "@keelson/core";
import type { ReplicaSetCondition, ReplicaSetStatus } from "@keelson/core/kinds/apps/v1";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { isPodAvailable, isPodReady } from "../pod-state.ts";
import { nonZero } from "../write-status.ts";
import type { ReplicaOwner, ReplicaSpec } from "./replica-kind.ts";

export interface ReplicaFacts {
  readonly owner: ReplicaOwner;
  readonly spec: ReplicaSpec;
  readonly active: readonly Pod[];
  /** Undefined where the kind does not count them. */
  readonly terminating: readonly Pod[] | undefined;
  /** Why pods could not be created or deleted; undefined if all went well. */
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
