import { formatTime, type Stored } from "@keelson/core";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "@keelson/core/kinds/apps/v1";
import { timeOf } from "../pod-state.ts";
import { nonZero } from "../replica-counts.ts";
import { availableOf, type DeploymentNumbers, desiredReplicasOf, sum } from "./deployment-numbers.ts";

export interface StatusFacts {
  readonly deployment: Stored<Deployment>;
  readonly numbers: DeploymentNumbers;
  readonly newSet: Stored<ReplicaSet> | undefined;
  readonly all: readonly Stored<ReplicaSet>[];
  /** As they are, and what this run has to add to them. */
  readonly conditions: DeploymentConditions;
  readonly collisionCount: number | undefined;
  readonly now: number;
}

/** The counts, and whether enough is available. */
export function countedStatus(facts: StatusFacts): DeploymentStatus {
  const { deployment, numbers, newSet, all, collisionCount, now } = facts;
  const available = sum(all, availableOf);
  const terminating = terminatingOf(all);
  const isAvailable = available >= numbers.replicas - numbers.maxUnavailable;
  const conditions = withCondition(
    facts.conditions,
    isAvailable
      ? {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        }
      : {
          type: "Available",
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        },
    now,
  );
  return {
    ...nonZero({
      observedGeneration: deployment.metadata.generation,
      replicas: sum(all, ({ status }) => status?.replicas ?? 0),
      updatedReplicas: newSet?.status?.replicas,
      readyReplicas: sum(all, ({ status }) => status?.readyReplicas ?? 0),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sum(all, desiredReplicasOf) - available),
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions,
  };
}

/** Undefined while a ReplicaSet does not report the count; a ReplicaSet that was never reconciled counts as 0. */
function terminatingOf(all: readonly Stored<ReplicaSet>[]): number | undefined {
  let total = 0;
  for (const { status } of all) {
    if (status?.terminatingReplicas !== undefined) total += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return total;
}

/** The counts, and how a rollout gets on. */
export function rolloutStatus(facts: StatusFacts): DeploymentStatus {
  const status = countedStatus(facts);
  const conditions = withReplicaFailure(facts, withProgress(facts, status));
  return { ...status, conditions };
}

function withProgress(facts: StatusFacts, status: DeploymentStatus): DeploymentConditions {
  const { deployment, numbers, newSet, now } = facts;
  const { conditions = [] } = status;
  if (numbers.progressDeadlineSeconds === undefined) return withoutCondition(conditions, "Progressing");
  const present = conditionOf(facts.conditions, "Progressing");
  const wasComplete =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && present?.reason === "NewReplicaSetAvailable";
  if (wasComplete) return conditions;
  const subject =
    newSet === undefined
      ? `Deployment ${JSON.stringify(deployment.metadata.name)}`
      : `ReplicaSet ${JSON.stringify(newSet.metadata.name)}`;
  const type = "Progressing";
  if (isComplete(deployment, numbers, status)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(
      conditions,
      { type, status: "True", reason: "NewReplicaSetAvailable", message },
      now,
    );
  }
  if (hasProgressed(deployment.status, status)) {
    const message = `${subject} is progressing.`;
    return renewed(conditions, { type, status: "True", reason: "ReplicaSetUpdated", message }, now);
  }
  if (hasTimedOut(numbers, present, now)) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(
      conditions,
      { type, status: "False", reason: "ProgressDeadlineExceeded", message },
      now,
    );
  }
  return conditions;
}

export function isComplete(
  { metadata }: Stored<Deployment>,
  { replicas }: DeploymentNumbers,
  status: DeploymentStatus | undefined,
): boolean {
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const grew = (name: "updatedReplicas" | "readyReplicas" | "availableReplicas"): boolean =>
    (after[name] ?? 0) > (before?.[name] ?? 0);
  return (
    grew("updatedReplicas") ||
    grew("readyReplicas") ||
    grew("availableReplicas") ||
    oldOnes(after) < oldOnes(before)
  );
}

function oldOnes(status: DeploymentStatus | undefined): number {
  return (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
}

function hasTimedOut(
  { progressDeadlineSeconds }: DeploymentNumbers,
  condition: DeploymentCondition | undefined,
  now: number,
): boolean {
  if (progressDeadlineSeconds === undefined || condition === undefined) return false;
  if (condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  return (timeOf(condition.lastUpdateTime) ?? 0) + progressDeadlineSeconds * 1000 < now;
}

/** How long until a rollout that does not get on is late; undefined if that cannot happen. */
export function msUntilLate(facts: StatusFacts, status: DeploymentStatus): number | undefined {
  const { deployment, numbers, now } = facts;
  const condition = conditionOf(status.conditions ?? [], "Progressing");
  if (numbers.progressDeadlineSeconds === undefined || condition === undefined) return undefined;
  if (isComplete(deployment, numbers, status) || condition.reason === "ProgressDeadlineExceeded")
    return undefined;
  const lateAt = (timeOf(condition.lastUpdateTime) ?? 0) + numbers.progressDeadlineSeconds * 1000;
  return Math.max(0, lateAt - now) + 1000;
}

function withReplicaFailure(
  { newSet, all, now }: StatusFacts,
  conditions: DeploymentConditions,
): DeploymentConditions {
  const failures = [...(newSet === undefined ? [] : [newSet]), ...all].flatMap(({ status }) =>
    (status?.conditions ?? []).filter(({ type }) => type === "ReplicaFailure"),
  );
  const [failure] = failures;
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const { reason = "", message = "" } = failure;
  const status = failure.status === "True" ? "True" : "False";
  return withCondition(conditions, { type: "ReplicaFailure", status, reason, message }, now);
}

type DeploymentConditions = readonly DeploymentCondition[];

export interface NewCondition {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(
  conditions: DeploymentConditions,
  type: NewCondition["type"],
): DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

function withoutCondition(
  conditions: DeploymentConditions,
  type: NewCondition["type"],
): DeploymentConditions {
  return conditions.filter((condition) => condition.type !== type);
}

/** Nothing changes if status and reason stay the same, not even the message. A changed condition goes to the end. */
export function withCondition(
  conditions: DeploymentConditions,
  condition: NewCondition,
  now: number,
): DeploymentConditions {
  const present = conditionOf(conditions, condition.type);
  if (present?.status === condition.status && present.reason === condition.reason) return conditions;
  return renewed(conditions, condition, now);
}

/** The same, but the time of the last update is recorded even if nothing else is new. */
function renewed(
  conditions: DeploymentConditions,
  condition: NewCondition,
  now: number,
): DeploymentConditions {
  const present = conditionOf(conditions, condition.type);
  const time = formatTime(now);
  const since = present?.status === condition.status ? (present.lastTransitionTime ?? time) : time;
  const { type, status, reason, message } = condition;
  const added = { type, status, lastUpdateTime: time, lastTransitionTime: since, reason, message };
  return [...withoutCondition(conditions, type), added];
}
