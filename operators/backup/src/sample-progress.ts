import { findCondition, type GenericObject, type SampleProgress } from "keelson";
import { isRecord } from "keelson/low-level";
import { BackUp } from "./api/back-up.ts";
import { ConditionType } from "./api/reasons.ts";
import type { BackUpStatus } from "./api/status.ts";

/** How far a BackUp is, for those who watch it. */
export function backupProgress({ spec, status }: GenericObject): SampleProgress {
  const wanted = BackUp.schemas.spec.safeParse(spec);
  const found = BackUp.schemas.status.safeParse(status);
  if (!wanted.success || !found.success || !isRecord(status)) return { phase: "Pending", isSettled: false };
  const { replicas, schedule } = wanted.data;
  const { phase = "Pending", completed = 0, nextRunTime } = found.data;
  const problem = problemOf(found.data);
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
