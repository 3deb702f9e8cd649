import type { ApplyConfiguration, Stored } from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import type { BackUp } from "../../api/back-up.ts";
import { makeJobMetadata, makeJobSpec } from "./job.ts";
import { jobName } from "./names.ts";
import { makeLabels } from "./pod-template.ts";

/** Without a time zone a CronJob uses that of the machine on which its controller runs. */
export const defaultTimeZone = "Etc/UTC";

/**
 * How late a run may start that could not start in time, such as while the control plane was down. Not set for intervals:
 * Kubernetes counts an interval from the deadline on, so a longer one would never be due.
 */
const startingDeadlineSeconds = 3600;

/** The last Job stays until the next one has finished, so that the operator can observe its result. */
const fewestJobs = 1;

export function makeCronJob(
  backup: Stored<BackUp>,
  { schedule, suspend }: { readonly schedule: string; readonly suspend: boolean },
): ApplyConfiguration<CronJob> {
  const { metadata, spec } = backup;
  const { name } = metadata;
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
