import { formatTime } from "./clock.ts";
import type { Condition } from "./meta.ts";

/** A condition as a controller determines it; the time of the transition follows from the previous status. */
export type ConditionUpdate = Omit<Condition, "lastTransitionTime">;

type Conditions = readonly Condition[] | undefined;

/**
 * The conditions with one of them updated; the other conditions stay untouched and in place, and a new one comes last.
 * `lastTransitionTime` becomes `nowMs` only if the status changes, however much else does. Without an
 * `observedGeneration` in the update there is none in the result. Returns the same array if nothing changes, so
 * that a caller can see by `===` whether there is something to write.
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
  if (isSameStatus && isSameContent(existing, update)) return conditions ?? [];
  const time = isSameStatus ? existing.lastTransitionTime : formatTime(nowMs);
  const { observedGeneration: _, ...kept } = existing;
  const changed: Condition = { ...kept, ...conditionOf(update, time) };
  return (conditions ?? []).map((condition) => (condition === existing ? changed : condition));
}

/** Several updates at one moment; the later one of a type wins. Returns the same array if nothing changes. */
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

/** Whether the condition exists and is `True`. */
export function isConditionTrue(conditions: Conditions, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

function isSameContent(existing: Condition, update: ConditionUpdate): boolean {
  return (
    existing.reason === update.reason &&
    existing.message === update.message &&
    existing.observedGeneration === update.observedGeneration
  );
}

/** Copies the known fields only, so that further fields of the update do not get into a status. */
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
