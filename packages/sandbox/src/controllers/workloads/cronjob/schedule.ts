import { type CronSchedule, formatTimeIn, nextCronTime, ownerReferenceTo, type Stored } from "@keelson/core";
import { CronJob, type Job } from "@keelson/core/kinds/batch/v1";
import type { ObjectReference } from "@keelson/core/kinds/core/v1";
import { timeOf } from "../pod-state.ts";

export interface DueTime {
  /** The last time that was due and has not been served; undefined if there is none. */
  readonly dueMs: number | undefined;
  /** More than 100 scheduled times were missed. */
  readonly missedMany: boolean;
  /** Undefined if it never comes. */
  readonly nextMs: number | undefined;
}

/** What is due now, and when something is due again. */
export function dueTime(cronJob: Stored<CronJob>, schedule: CronSchedule, now: number): DueTime {
  const { spec, status, metadata } = cronJob;
  const timeZone = spec.timeZone ?? "UTC";
  let earliest = timeOf(status?.lastScheduleTime) ?? timeOf(metadata.creationTimestamp) ?? now;
  if (spec.startingDeadlineSeconds !== undefined) {
    earliest = Math.max(earliest, now - spec.startingDeadlineSeconds * 1000);
  }
  const next = (after: number): number | undefined => nextCronTime(schedule, timeZone, after);
  const first = next(earliest);
  const nextMs = next(now);
  if (first === undefined || first > now) return { dueMs: undefined, missedMany: false, nextMs };
  const second = next(first);
  if (second === undefined || second > now) return { dueMs: first, missedMany: false, nextMs };
  const intervalMs = second - first;
  const missed = Math.floor((now - first) / intervalMs) + 1;
  // Near the end first: years of missed minutes are not walked one by one.
  let dueMs: number | undefined;
  for (
    let time = next(first + (missed - 2) * intervalMs);
    time !== undefined && time <= now;
    time = next(time)
  ) {
    dueMs = time;
  }
  return { dueMs: dueMs ?? second, missedMany: missed > 100, nextMs };
}

const timestampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The Job of one time, under a name that contains the time, so that it cannot be created twice. */
export function makeScheduledJob(cronJob: Stored<CronJob>, dueMs: number): Job {
  const { name, namespace } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const reference = ownerReferenceTo(
    { object: cronJob, resource: CronJob },
    { controller: true, blockOwnerDeletion: true },
  );
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${name}-${Math.floor(dueMs / 60_000)}`,
      namespace,
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: {
        ...metadata?.annotations,
        [timestampAnnotation]: formatTimeIn(cronJob.spec.timeZone ?? "UTC", dueMs),
      },
      ownerReferences: [reference],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

export function referenceTo({ apiVersion, kind, metadata }: Stored<Job>): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}
