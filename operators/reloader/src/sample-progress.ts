import { findCondition, type GenericObject, type SampleProgress } from "keelson";
import type { OperatorSamples, SampleStage } from "keelson/manager";
import { ConditionType } from "./api/reasons.ts";
import { ReloadRecord } from "./api/reload-record.ts";
import { ReloaderConfig } from "./api/reloader-config.ts";

/** The progress of sample ReloaderConfigs and of ReloadRecords, for `keelson dev`. */
export function reloaderProgress(): OperatorSamples["progress"] {
  // A change counts as one only after the content before it was recorded, which the status of a config does not show.
  const recorded = new Set<string>();
  return (object, stage) => {
    if (object.kind !== ReloadRecord.kind) return configProgress(object, stage, recorded);
    const { kind, name } = ReloadRecord.schemas.spec.parse(object.spec);
    const progress = recordProgress(object);
    if (progress.isSettled) recorded.add(`${kind} ${object.metadata.namespace}/${name}`);
    return progress;
  };
}

/** The later samples change a Secret, so that a sample is settled when it has been reloaded for. */
function configProgress(
  { metadata, spec, status }: GenericObject,
  { isLater }: SampleStage,
  recorded: ReadonlySet<string>,
): SampleProgress {
  const { conditions, reloadCount = 0 } = ReloaderConfig.schemas.status.safeParse(status).data ?? {};
  const degraded = findCondition(conditions, ConditionType.Degraded);
  if (degraded?.status === "True")
    return { phase: degraded.reason, isSettled: false, problem: degraded.message };
  if (findCondition(conditions, ConditionType.Available)?.status !== "True")
    return { phase: "Created", isSettled: false };
  if (reloadCount > 0) return { phase: "Reloaded", isSettled: true };
  if (isLater) return { phase: "Reloading", isSettled: false };
  const { targets = [] } = ReloaderConfig.schemas.spec.safeParse(spec).data ?? {};
  const isRecorded = targets.every(({ kind, name, namespace = metadata.namespace }) =>
    recorded.has(`${kind} ${namespace}/${name}`),
  );
  return { phase: "Watching", isSettled: isRecorded };
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
