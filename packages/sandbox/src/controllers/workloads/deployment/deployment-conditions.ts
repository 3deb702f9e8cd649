import { formatTime } from "@keelson/core";
import type { DeploymentCondition } from "@keelson/core/kinds/apps/v1";

type Conditions = readonly DeploymentCondition[];

export interface NewCondition {
  readonly type: "Available" | "Progressing" | "ReplicaFailure";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(
  conditions: Conditions,
  type: NewCondition["type"],
): DeploymentCondition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: Conditions, type: NewCondition["type"]): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}

/** Nothing changes if status and reason stay the same, not even the message. A changed condition goes to the end. */
export function withCondition(conditions: Conditions, condition: NewCondition, now: number): Conditions {
  const present = conditionOf(conditions, condition.type);
  if (present?.status === condition.status && present.reason === condition.reason) return conditions;
  return renewed(conditions, condition, now);
}

/** The same, but the time of the last update is taken down even if nothing else is new. */
export function renewed(conditions: Conditions, condition: NewCondition, now: number): Conditions {
  const present = conditionOf(conditions, condition.type);
  const time = formatTime(now);
  const since = present?.status === condition.status ? (present.lastTransitionTime ?? time) : time;
  const { type, status, reason, message } = condition;
  const added = { type, status, lastUpdateTime: time, lastTransitionTime: since, reason, message };
  return [...withoutCondition(conditions, type), added];
}
