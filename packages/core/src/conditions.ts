import { formatTime } from "./clock.ts";
import type { Condition } from "./meta.ts";

/** What a controller has found out; the time of the transition is not its business. */
export type ConditionUpdate = Omit<Condition, "lastTransitionTime">;

type Conditions = readonly Condition[] | undefined;

/**
 * The conditions with one of them as `update` says, others untouched and in their place; a new one comes last.
 * `lastTransitionTime` becomes `nowMs` only if the status changes, however much else does. Without an
 * `observedGeneration` in the update there is none in the result. Gives back the same array if nothing changes, so
 * that a caller can tell by `===` whether there is something to write.
 */
export function setCondition(
  conditions: Conditions,
  update: ConditionUpdate,
  nowMs: number,
): readonly Condition[] {
  const existing = findCondition(conditions, update.type);
  if (existing === undefined) {
    return [...(conditions ?? []), conditionOf(update, formatTime(nowMs))];
  }
  const isSameStatus = existing.status === update.status;
  if (isSameStatus && saysTheSame(existing, update)) return conditions ?? [];
  const time = isSameStatus ? existing.lastTransitionTime : formatTime(nowMs);
  const { observedGeneration: _, ...others } = existing;
  const changed: Condition = { ...others, ...conditionOf(update, time) };
  return (conditions ?? []).map((condition) => (condition === existing ? changed : condition));
}

/** Several updates at one moment; the later one wins. Gives back the same array if nothing changes. */
export function mergeConditions(
  conditions: Conditions,
  updates: readonly ConditionUpdate[],
  nowMs: number,
): readonly Condition[] {
  const last = new Map(updates.map((update) => [update.type, update]));
  let merged = conditions ?? [];
  for (const update of last.values()) merged = setCondition(merged, update, nowMs);
  return merged;
}

/** The conditions without that type; the same array if there is none. */
export function removeCondition(conditions: Conditions, type: string): readonly Condition[] {
  if (conditions === undefined || findCondition(conditions, type) === undefined) return conditions ?? [];
  return conditions.filter((condition) => condition.type !== type);
}

export function findCondition(conditions: Conditions, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition is there and `True`; `Unknown` and absent are both not. */
export function isConditionTrue(conditions: Conditions, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

function saysTheSame(existing: Condition, update: ConditionUpdate): boolean {
  return (
    existing.reason === update.reason &&
    existing.message === update.message &&
    existing.observedGeneration === update.observedGeneration
  );
}

/** Takes the known fields one by one, so that what a caller has beside them does not end up in a status. */
function conditionOf(update: ConditionUpdate, lastTransitionTime: string): Condition {
  const { type, status, observedGeneration, reason, message } = update;
  return {
    type,
    status,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime,
    reason,
    message,
  };
}
