import {
  controllerOf,
  ForeignObjectError,
  isControlledBy,
  type KubeObject,
  type ObjectContext,
  type Resource,
  type Stored,
} from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { isOrphanOf } from "keelson/object";
import type { BackUp } from "../api/back-up.ts";
import { backupLabel, fieldOwner, revisionAnnotation } from "../api/names.ts";
import { jobName, replacementName } from "./resources/names.ts";
import { type Run, runOf } from "./run.ts";

/** The objects of a BackUp, from the cache. */
export interface ActualState {
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Undefined also if the CronJob of that name is a foreign object. */
  readonly cronJob: Stored<CronJob> | undefined;
  /** Set if a foreign object has the name of the desired Job or CronJob. */
  readonly foreign: ForeignObjectError | undefined;
  /** Orphaned by an earlier BackUp of this name, such as by `kubectl delete --cascade=orphan`. */
  readonly orphans: Orphans;
}

export interface Orphans {
  readonly jobs: readonly Stored<Job>[];
  readonly cronJobs: readonly Stored<CronJob>[];
}

/** Reads the actual state of the reconciled BackUp. */
export async function gatherState({
  object: backup,
  client,
  find,
}: ObjectContext<BackUp>): Promise<ActualState> {
  const { namespace, name } = backup.metadata;
  const cronJob = await find(CronJob, jobName(name));
  const named = await find(Job, jobName(name));
  const { items } = await client.list(Job, { namespace, labelSelector: `${backupLabel}=${name}` });
  const owners = [backup, ...(cronJob !== undefined && isControlledBy(cronJob, backup) ? [cronJob] : [])];
  // The Job is found by its name even if a user removed its label.
  const labelled = items.filter(({ metadata }) => metadata.name !== jobName(name));
  const jobs = [...(named === undefined ? [] : [named]), ...labelled];
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

/** An object that is being deleted is not adopted. */
function isOrphan(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp === undefined && isOrphanOf(fieldOwner, object);
}

/** Whether a BackUp would give a Job this name. A copy that a user made of a Job has the label too, and is not adopted. */
function isOwnName(backup: string, { metadata: { name, annotations } }: Job): boolean {
  const revision = annotations?.[revisionAnnotation] ?? "";
  return name === jobName(backup) || name === replacementName(backup, revision);
}

function newestFirst(a: Run, b: Run): number {
  return a.start === b.start ? b.name.localeCompare(a.name) : a.start < b.start ? 1 : -1;
}
