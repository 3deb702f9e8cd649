import type { Deployment, DeploymentCondition } from "keelson/kinds/apps/v1";

/** The progress of a Deployment. */
export interface Rollout {
  /** Its controller has observed the last spec; until then the other fields describe an earlier one. */
  readonly isObserved: boolean;
  readonly desired: number;
  /** Of any version. */
  readonly total: number;
  /** Of the current version. */
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  /** The desired number of pods exists, all of them of the current version and available. */
  readonly isComplete: boolean;
  /** The current version has been rolled out; if pods are missing, only their number differs. */
  readonly wasComplete: boolean;
  readonly isStuck: boolean;
  readonly isPaused: boolean;
  readonly isAvailable: boolean;
  /** Why pods cannot be created, if they cannot. */
  readonly failure: string | undefined;
  readonly deadlineSeconds: number;
}

export function rolloutOf({ metadata, spec, status = {} }: Deployment): Rollout {
  const desired = spec?.replicas ?? 1;
  const { replicas: total = 0, updatedReplicas: updated = 0 } = status;
  const { readyReplicas: ready = 0, availableReplicas: available = 0 } = status;
  const progressing = conditionOf(status.conditions, "Progressing");
  const failure = conditionOf(status.conditions, "ReplicaFailure");
  return {
    isObserved: (status.observedGeneration ?? 0) >= (metadata.generation ?? 1),
    desired,
    total,
    updated,
    ready,
    available,
    isComplete: updated === desired && total === desired && available >= desired,
    wasComplete: progressing?.reason === "NewReplicaSetAvailable" && updated === total,
    isStuck: progressing?.status === "False" && progressing.reason === "ProgressDeadlineExceeded",
    isPaused: spec?.paused === true,
    isAvailable: conditionOf(status.conditions, "Available")?.status === "True",
    failure: failure?.status === "True" ? (failure.message ?? failure.reason ?? "") : undefined,
    deadlineSeconds: spec?.progressDeadlineSeconds ?? 600,
  };
}

function conditionOf(
  conditions: readonly DeploymentCondition[] | undefined,
  name: string,
): DeploymentCondition | undefined {
  return conditions?.find(({ type }) => type === name);
}
