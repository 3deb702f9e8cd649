import { findCondition, type GenericObject, type SampleProgress } from "keelson";
import type { SampleStage } from "keelson/manager";
import { ConditionType } from "./api/reasons.ts";
import { ReloadRecord } from "./api/reload-record.ts";
import { ReloaderConfig } from "./api/reloader-config.ts";

/** The progress of a sample ReloaderConfig or of a ReloadRecord, for `keelson dev`. */
export function reloaderProgress(object: GenericObject, stage: SampleStage): SampleProgress {
  return object.kind === ReloadRecord.kind ? recordProgress(object) : configProgress(object, stage);
}

/** The later samples change a Secret, so that a sample is settled when it has been reloaded for. */
function configProgress({ status }: GenericObject, { isLater }: SampleStage): SampleProgress {
  const { data } = ReloaderConfig.schemas.status.safeParse(status);
  const { conditions, reloadCount = 0, targetStatus = [] } = data ?? {};
  const degraded = findCondition(conditions, ConditionType.Degraded);
  if (degraded?.status === "True")
    return { phase: degraded.reason, isSettled: false, problem: degraded.message };
  if (findCondition(conditions, ConditionType.Available)?.status !== "True")
    return { phase: "Created", isSettled: false };
  if (reloadCount > 0) return { phase: "Reloaded", isSettled: true };
  if (isLater) return { phase: "Reloading", isSettled: false };
  // A change counts as one only after the content before it was recorded.
  return { phase: "Watching", isSettled: targetStatus.every(({ records }) => records !== undefined) };
}

function recordProgress({ status }: GenericObject): SampleProgress {
  const { data } = ReloadRecord.schemas.status.safeParse(status);
  const { baselines, pending, restart, reloadCount = 0, lastError } = data ?? {};
  if (lastError !== undefined) return { phase: "Failed", isSettled: false, problem: lastError };
  if (pending !== undefined) return { phase: pending.reason, isSettled: false };
  if (restart !== undefined) return { phase: "Restarting", isSettled: false };
  if (reloadCount > 0) return { phase: "Reloaded", isSettled: true };
  return baselines === undefined
    ? { phase: "Created", isSettled: false }
    : { phase: "Watching", isSettled: true };
}
