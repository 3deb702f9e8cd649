import type { ApplyConfiguration } from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import type { BackUp } from "../../api/back-up.ts";
import { makeJobMetadata, makeJobSpec } from "./job.ts";
import { jobName } from "./names.ts";
import { makeLabels } from "./pod-template.ts";

/** Said in the CronJob, which otherwise goes by the clocks of whatever machine its controller runs on. */
export const defaultTimeZone = "Etc/UTC";

/**
 * A run that could not start in time, as when the control plane was down, starts up to so much later. Not of an
 * interval: Kubernetes counts it from the deadline on, so that one longer than this would never be over.
 */
const startingDeadlineSeconds = 3600;

/** The last Job stays until the next one has ended: were it removed at once, nobody might have seen how it went. */
const fewestJobs = 1;

export function makeCronJob(
  backup: BackUp,
  { schedule, suspend }: { readonly schedule: string; readonly suspend: boolean },
): ApplyConfiguration<CronJob> {
  const { metadata, spec } = backup;
  const name = metadata.name ?? "";
  return {
    metadata: { name: jobName(name), labels: makeLabels(name) },
    spec: {
      schedule,
      timeZone: spec.timeZone ?? defaultTimeZone,
      suspend,
      concurrencyPolicy: "Forbid",
      ...(!schedule.startsWith("@every ") && { startingDeadlineSeconds }),
      successfulJobsHistoryLimit: Math.max(fewestJobs, spec.retain.successful),
      failedJobsHistoryLimit: Math.max(fewestJobs, spec.retain.failed),
      jobTemplate: { metadata: makeJobMetadata(backup), spec: makeJobSpec(backup) },
    },
  };
}
