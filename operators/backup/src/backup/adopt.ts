import { type Client, type KubeObject, keyOf, mergePatch, type Resource, type Stored } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { isExisting, setControllerReference } from "keelson/object";
import { BackUp } from "../api/back-up.ts";
import { fieldOwner } from "../api/names.ts";
import type { Orphans } from "./world.ts";

interface Clients {
  readonly client: Client;
  readonly liveClient: Client;
}

/**
 * Makes what was left behind the BackUp's own again, and tells whether it has. The server is asked whether the BackUp is
 * there: to one that is being deleted, unheard of so far, what it just left behind would be lost for good.
 */
export async function adoptAll(
  { client, liveClient }: Clients,
  backup: Stored<BackUp>,
  { jobs, cronJobs }: Orphans,
): Promise<boolean> {
  if (
    jobs.length + cronJobs.length === 0 ||
    !(await isExisting(liveClient, { object: backup, resource: BackUp }))
  )
    return false;
  for (const job of jobs) await adopt(client, backup, Job, job);
  for (const cronJob of cronJobs) await adopt(client, backup, CronJob, cronJob);
  return true;
}

/** Whoever else became an owner in the meantime is not lost: then the version is another. */
async function adopt<T extends KubeObject>(
  client: Client,
  backup: Stored<BackUp>,
  resource: Resource<T>,
  object: T,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const { metadata } = setControllerReference({ object: backup, resource: BackUp }, { object, resource });
  const { ownerReferences } = metadata;
  const patch = mergePatch({ metadata: { uid, resourceVersion, ownerReferences } });
  await client.patch(resource, keyOf(object), patch, { fieldOwner });
}
