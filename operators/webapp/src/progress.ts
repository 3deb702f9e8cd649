import { findCondition, type GenericObject, type SampleProgress } from "keelson";
import { isRecord } from "keelson/low-level";
import { conditionTypes } from "./api/reasons.ts";
import { webAppStatus } from "./api/status.ts";

/** How far a WebApp is, for those who watch it. */
export function progressOf({ metadata, status, spec }: GenericObject): SampleProgress {
  const { data = {} } = webAppStatus.safeParse(status ?? {});
  const { phase = "Created", availableReplicas = 0, replicas = 0, observedGeneration } = data;
  const isSettled = phase === "Ready" && observedGeneration === metadata.generation;
  const wanted = isRecord(spec) && spec.autoscaling === undefined ? spec.replicas : replicas;
  const trouble = findCondition(data.conditions, conditionTypes.degraded);
  return {
    phase,
    ready: `${availableReplicas}/${String(wanted)}`,
    isSettled,
    ...(trouble?.status === "True" && { problem: trouble.message }),
  };
}
