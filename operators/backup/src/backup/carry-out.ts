import { type Client, type EventRecorder, mergePatch, NotFoundError, type Stored } from "keelson";
import { mergePatchBetween } from "keelson/client";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { applyOwned, removeOwned } from "keelson/object";
import { BackUp } from "../api/back-up.ts";
import { fieldOwner } from "../api/names.ts";
import { adoptAll } from "./adopt.ts";
import type { CronJobStep, JobToCreate, JobToKeep, JobToRemove, Plan } from "./plan.ts";
import { makeCronJob } from "./resources/cron-job.ts";
import { changeableSpec, makeJob } from "./resources/job.ts";
import { jobName } from "./resources/names.ts";
import { makeLabels } from "./resources/pod-template.ts";

export interface Hands {
  readonly client: Client;
  /** Reads from the server itself. */
  readonly liveClient: Client;
  readonly events: EventRecorder;
}

/** Does what a plan says, and tells whether there was anything to do. Each step may be repeated. */
export async function carryOut(hands: Hands, backup: Stored<BackUp>, plan: Plan): Promise<boolean> {
  let hasChanged = await adoptAll(hands, backup, plan.adopt);
  hasChanged = (await turnCronJob(hands, backup, plan.cronJob)) || hasChanged;
  for (const job of plan.create) hasChanged = (await create(hands, backup, job)) || hasChanged;
  for (const removal of plan.remove) hasChanged = (await remove(hands, backup, removal)) || hasChanged;
  for (const job of plan.keep) hasChanged = (await change(hands, backup, job)) || hasChanged;
  return hasChanged;
}

async function create({ client, events }: Hands, backup: Stored<BackUp>, job: JobToCreate): Promise<boolean> {
  const owner = { object: backup, resource: BackUp };
  const { result } = await applyOwned(client, owner, Job, makeJob(backup, job), { fieldOwner });
  if (result === "created")
    events.record(backup, {
      type: "Normal",
      reason: "CreatedJob",
      action: "Create",
      message: `Created Job ${job.name} with image ${backup.spec.image}`,
    });
  return result !== "unchanged";
}

async function remove(
  { client, events }: Hands,
  backup: Stored<BackUp>,
  { run, propagation }: JobToRemove,
): Promise<boolean> {
  const { namespace = "" } = backup.metadata;
  const { name, uid } = run;
  try {
    await client.delete(Job, { namespace, name }, { propagationPolicy: propagation, preconditions: { uid } });
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
  if (propagation === "Foreground")
    events.record(backup, {
      type: "Normal",
      reason: "EndedJob",
      action: "Delete",
      message: `Ended Job ${name} with image ${run.image}, which is not wanted any more`,
    });
  return true;
}

/** A Job is never applied twice: its template cannot change, and what a newer operator makes may differ in it. */
async function change(
  { client }: Hands,
  backup: Stored<BackUp>,
  { run, suspend }: JobToKeep,
): Promise<boolean> {
  const { namespace = "", name: backupName = "" } = backup.metadata;
  const { name, uid, job } = run;
  const wanted = { ...changeableSpec(backup), suspend };
  const {
    parallelism,
    completions,
    backoffLimit,
    activeDeadlineSeconds,
    suspend: isSuspended,
  } = job.spec ?? {};
  const spec = mergePatchBetween(
    { parallelism, completions, backoffLimit, activeDeadlineSeconds, suspend: isSuspended ?? false },
    wanted,
  );
  const labels = { ...job.metadata.labels };
  const labelPatch = mergePatchBetween(labels, { ...labels, ...makeLabels(backupName) });
  if (spec === undefined && labelPatch === undefined) return false;
  const metadata = { uid, ...(labelPatch !== undefined && { labels: labelPatch }) };
  await client.patch(
    Job,
    { namespace, name },
    mergePatch({ metadata, ...(spec !== undefined && { spec }) }),
    { fieldOwner },
  );
  return true;
}

async function turnCronJob({ client }: Hands, backup: Stored<BackUp>, step: CronJobStep): Promise<boolean> {
  const { namespace = "", name = "" } = backup.metadata;
  const key = { namespace, name: jobName(name) };
  switch (step.kind) {
    case "none":
      return false;
    case "remove":
      return removeOwned(client, backup, CronJob, key);
    case "suspend":
      return suspendCronJob(client, key);
    case "apply": {
      const owner = { object: backup, resource: BackUp };
      const applied = await applyOwned(client, owner, CronJob, makeCronJob(backup, step), { fieldOwner });
      return applied.result !== "unchanged";
    }
  }
}

async function suspendCronJob(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const { metadata, spec } = await client.get(CronJob, key);
  if (spec?.suspend === true) return false;
  await client.patch(CronJob, key, mergePatch({ metadata: { uid: metadata.uid }, spec: { suspend: true } }), {
    fieldOwner,
  });
  return true;
}
