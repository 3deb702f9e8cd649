import {
  type Client,
  controllerOf,
  ForeignObjectError,
  getIfThere,
  isControlledBy,
  type KubeObject,
  type Resource,
} from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import { backupLabel } from "../api/names.ts";
import { jobName } from "./resources/names.ts";
import { type Run, runOf } from "./run.ts";

/** What there is of a BackUp, as the cache has it. */
export interface World {
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Undefined also if the CronJob of that name is somebody else's. */
  readonly cronJob: CronJob | undefined;
  /** Somebody else has the name that is needed. */
  readonly foreign: ForeignObjectError | undefined;
}

export async function gather(client: Client, backup: BackUp): Promise<World> {
  const { namespace = "", name = "" } = backup.metadata;
  const key = { namespace, name: jobName(name) };
  const cronJob = await getIfThere(client, CronJob, key);
  const named = await getIfThere(client, Job, key);
  const labelled = await client.list(Job, { namespace, labelSelector: `${backupLabel}=${name}` });
  const owners = [backup, ...(cronJob !== undefined && isControlledBy(cronJob, backup) ? [cronJob] : [])];
  // By its name the Job is found also without its label.
  const others = labelled.items.filter(({ metadata }) => metadata.name !== key.name);
  const jobs = [...(named === undefined ? [] : [named]), ...others];
  return {
    runs: jobs
      .filter((job) => owners.some((owner) => isControlledBy(job, owner)))
      .map((job) => runOf(job, backup))
      .toSorted(newestFirst),
    cronJob: owners.length > 1 ? cronJob : undefined,
    foreign:
      backup.spec.schedule === undefined
        ? foreignOf(Job, named, backup)
        : foreignOf(CronJob, cronJob, backup),
  };
}

function foreignOf(
  resource: Resource,
  object: KubeObject | undefined,
  backup: BackUp,
): ForeignObjectError | undefined {
  if (object === undefined || isControlledBy(object, backup)) return undefined;
  return new ForeignObjectError(resource, object, controllerOf(object));
}

function newestFirst(a: Run, b: Run): number {
  return a.start === b.start ? b.name.localeCompare(a.name) : a.start < b.start ? 1 : -1;
}
