import { type KubeObject, keyOf, mergePatch, type ObjectContext, type Resource, type Stored } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { isExisting, setControllerReference } from "keelson/object";
import { BackUp } from "../api/back-up.ts";
import { fieldOwner } from "../api/names.ts";
import type { Orphans } from "./actual-state.ts";

/**
 * Gives orphans a controller reference to the BackUp; false if it changed nothing. Whether the BackUp still exists is read
 * from the server: the deletion that orphaned the objects may not have reached the cache, and objects that are adopted by
 * a BackUp that is being deleted are deleted with it.
 */
export async function adoptAll(
  context: ObjectContext<BackUp>,
  { jobs, cronJobs }: Orphans,
): Promise<boolean> {
  const { object, liveClient } = context;
  if (jobs.length + cronJobs.length === 0 || !(await isExisting(liveClient, { object, resource: BackUp })))
    return false;
  for (const job of jobs) await adopt(context, Job, job);
  for (const cronJob of cronJobs) await adopt(context, CronJob, cronJob);
  return true;
}

/** The patch has the resource version, so it fails if another controller has adopted the object in the meantime. */
async function adopt<T extends KubeObject>(
  { object: backup, client }: ObjectContext<BackUp>,
  resource: Resource<T>,
  object: Stored<T>,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const { metadata } = setControllerReference({ object: backup, resource: BackUp }, { object, resource });
  const { ownerReferences } = metadata;
  const patch = mergePatch({ metadata: { uid, resourceVersion, ownerReferences } });
  await client.patch(resource, keyOf(object), patch, { fieldOwner });
}
