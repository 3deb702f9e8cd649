import {
  type Client,
  controllerOf,
  ForeignObjectError,
  find,
  isControlledBy,
  type KubeObject,
  type Resource,
} from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { isOrphanOf } from "keelson/object";
import type { BackUp } from "../api/back-up.ts";
import { backupLabel, fieldOwner, revisionAnnotation } from "../api/names.ts";
import { jobName, replacementName } from "./resources/names.ts";
import { type Run, runOf } from "./run.ts";

/** What there is of a BackUp, as the cache has it. */
export interface World {
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Undefined also if the CronJob of that name is somebody else's. */
  readonly cronJob: CronJob | undefined;
  /** Somebody else has the name that is needed. */
  readonly foreign: ForeignObjectError | undefined;
  /** Left behind by a BackUp of this name, as by `kubectl delete --cascade=orphan`. */
  readonly orphans: Orphans;
}

export interface Orphans {
  readonly jobs: readonly Job[];
  readonly cronJobs: readonly CronJob[];
}

export async function gather(client: Client, backup: BackUp): Promise<World> {
  const { namespace = "", name = "" } = backup.metadata;
  const key = { namespace, name: jobName(name) };
  const cronJob = await find(client, CronJob, key);
  const named = await find(client, Job, key);
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
    orphans: {
      jobs: jobs.filter((job) => isOwnName(name, job) && isOrphan(job)),
      cronJobs: cronJob !== undefined && isOrphan(cronJob) ? [cronJob] : [],
    },
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
  if (object === undefined || isControlledBy(object, backup) || isOrphan(object)) return undefined;
  return new ForeignObjectError(resource, object, controllerOf(object));
}

/** What is on its way out is not taken back. */
function isOrphan(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp === undefined && isOrphanOf(fieldOwner, object);
}

/** Whether a BackUp would give a Job this name: what others made of a copy of one is theirs. */
function isOwnName(backup: string, { metadata: { name, annotations } }: Job): boolean {
  const revision = annotations?.[revisionAnnotation] ?? "";
  return name === jobName(backup) || name === replacementName(backup, revision);
}

function newestFirst(a: Run, b: Run): number {
  return a.start === b.start ? b.name.localeCompare(a.name) : a.start < b.start ? 1 : -1;
}
