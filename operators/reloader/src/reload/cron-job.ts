import { createHash } from "node:crypto";
import { AlreadyExistsError, find, type ObjectOf, type Stored } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { ownerReferenceTo } from "keelson/object";
import { annotationOf } from "../decision/workload-annotations.ts";
import type { ReloadContext, ReloadRequest } from "./reload-request.ts";
import { writeTemplate } from "./write-template.ts";

/**
 * Reloads a CronJob: the next run has the changed template. With `cronjob-policy: run-now` a Job is started at once as
 * well, unless the CronJob is suspended. Under `restart` the template stays: a run that begins later reads the content anew.
 */
export async function reloadCronJob(context: ReloadContext, request: ReloadRequest): Promise<void> {
  const policy = annotationOf(request.workload, context.keys.cronJobPolicy);
  // The Job first: a template that shows the reload means that all of it is done.
  if (policy === "run-now") await runNow(context, request);
  await writeTemplate(context, request);
}

/**
 * Creates the Job of a reload, as `kubectl create job --from` does. It may exist from an earlier try of the same reload,
 * which its name shows.
 */
async function runNow({ client, liveClient }: ReloadContext, request: ReloadRequest): Promise<void> {
  const { namespace, name, uid } = request.workload.metadata;
  const cronJob = await find(liveClient, CronJob, { namespace, name });
  if (cronJob?.metadata.uid !== uid || cronJob.metadata.deletionTimestamp !== undefined) return;
  if (cronJob.spec.suspend === true) return;
  try {
    await client.create(Job, makeJob(cronJob, request));
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}

/** The Job that a reload of a CronJob starts. */
export function makeJob(
  cronJob: Stored<CronJob>,
  { hash, previousReloads }: Pick<ReloadRequest, "hash" | "previousReloads">,
): Omit<ObjectOf<typeof Job>, "apiVersion" | "kind"> {
  const { jobTemplate } = cronJob.spec;
  const { namespace, name, uid } = cronJob.metadata;
  const attempt = createHash("sha256")
    .update(JSON.stringify([uid, hash, previousReloads]))
    .digest("hex");
  return {
    metadata: {
      // The name of a CronJob has at most 52 characters, so that 11 can follow.
      name: `${name}-${attempt.slice(0, 10)}`,
      namespace,
      ...(jobTemplate.metadata?.labels !== undefined && { labels: jobTemplate.metadata.labels }),
      annotations: { ...jobTemplate.metadata?.annotations, "cronjob.kubernetes.io/instantiate": "manual" },
      ownerReferences: [
        ownerReferenceTo(
          { resource: CronJob, object: cronJob },
          { controller: true, blockOwnerDeletion: true },
        ),
      ],
    },
    ...(jobTemplate.spec !== undefined && { spec: jobTemplate.spec }),
  };
}
