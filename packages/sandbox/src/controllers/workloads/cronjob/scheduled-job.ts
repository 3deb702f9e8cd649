import { formatTimeIn, keyOf, ownerReferenceTo } from "@keelson/core";
import { CronJob, type Job } from "@keelson/core/kinds/batch/v1";
import type { ObjectReference } from "@keelson/core/kinds/core/v1";

const timestampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The Job of one time, under a name that tells the time, so that it cannot be created twice. */
export function makeScheduledJob(cronJob: CronJob, dueMs: number): Job {
  const { name, namespace } = keyOf(cronJob);
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
      ...(namespace === undefined ? {} : { namespace }),
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

export function referenceTo({ apiVersion, kind, metadata }: Job): ObjectReference {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}
