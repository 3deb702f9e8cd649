import { findCondition, type GenericObject, type SampleProgress } from "keelson";
import { isRecord } from "keelson/low-level";
import { BackUp } from "./api/back-up.ts";
import { ConditionType } from "./api/reasons.ts";
import type { BackUpStatus } from "./api/status.ts";

/** The progress of a sample BackUp, for `keelson dev`. */
export function backupProgress({ spec, status }: GenericObject): SampleProgress {
  const desired = BackUp.schemas.spec.safeParse(spec);
  const observed = BackUp.schemas.status.safeParse(status);
  if (!desired.success || !observed.success || !isRecord(status))
    return { phase: "Pending", isSettled: false };
  const { replicas, schedule } = desired.data;
  const { phase = "Pending", completed = 0, nextRunTime } = observed.data;
  const problem = problemOf(observed.data);
  const waitsForSchedule = schedule !== undefined && phase === "Pending" && nextRunTime !== undefined;
  return {
    phase: waitsForSchedule ? "Scheduled" : phase,
    ...(!waitsForSchedule && { ready: `${completed}/${replicas}` }),
    isSettled: phase === "Succeeded" || phase === "Suspended" || waitsForSchedule,
    ...(problem !== undefined && { problem }),
  };
}

function problemOf({ phase, conditions }: BackUpStatus): string | undefined {
  if (phase !== "Failed") return undefined;
  const degraded = findCondition(conditions, ConditionType.Degraded);
  if (degraded?.status === "True") return degraded.message;
  return findCondition(conditions, ConditionType.Succeeded)?.message;
}
