import { findCondition, type GenericObject, type SampleProgress } from "keelson";
import { isRecord } from "keelson/low-level";
import { conditionTypes } from "./api/reasons.ts";
import { webAppStatus } from "./api/status.ts";

/** The progress of a sample WebApp, for `keelson dev`. */
export function progressOf({ metadata, status, spec }: GenericObject): SampleProgress {
  const { data = {} } = webAppStatus.safeParse(status ?? {});
  const { phase = "Created", availableReplicas = 0, replicas = 0, observedGeneration } = data;
  const isSettled = phase === "Ready" && observedGeneration === metadata.generation;
  const desired = isRecord(spec) && spec.autoscaling === undefined ? spec.replicas : replicas;
  const degraded = findCondition(data.conditions, conditionTypes.degraded);
  return {
    phase,
    ready: `${availableReplicas}/${String(desired)}`,
    isSettled,
    ...(degraded?.status === "True" && { problem: degraded.message }),
  };
}
