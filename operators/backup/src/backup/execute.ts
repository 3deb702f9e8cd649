import { mergePatch, NotFoundError, type ObjectContext } from "keelson";
import { mergePatchBetween } from "keelson/client";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import { fieldOwner } from "../api/names.ts";
import { adoptAll } from "./adopt.ts";
import type { CronJobStep, JobToCreate, JobToKeep, JobToRemove, Plan } from "./plan.ts";
import { makeCronJob } from "./resources/cron-job.ts";
import { changeableSpec, makeJob } from "./resources/job.ts";
import { jobName } from "./resources/names.ts";
import { makeLabels } from "./resources/pod-template.ts";

type Context = ObjectContext<BackUp>;

/** Executes a plan; false if it changed nothing. Each step may be repeated. */
export async function execute(context: Context, plan: Plan): Promise<boolean> {
  let hasChanged = await adoptAll(context, plan.adopt);
  hasChanged = (await reconcileCronJob(context, plan.cronJob)) || hasChanged;
  for (const job of plan.create) hasChanged = (await createJob(context, job)) || hasChanged;
  for (const removal of plan.remove) hasChanged = (await removeJob(context, removal)) || hasChanged;
  for (const job of plan.keep) hasChanged = (await updateJob(context, job)) || hasChanged;
  return hasChanged;
}

async function createJob(
  { object: backup, applyWithResult, events }: Context,
  job: JobToCreate,
): Promise<boolean> {
  const { result } = await applyWithResult(Job, makeJob(backup, job));
  if (result === "created")
    events.record(backup, {
      type: "Normal",
      reason: "CreatedJob",
      action: "Create",
      message: `Created Job ${job.name} with image ${backup.spec.image}`,
    });
  return result !== "unchanged";
}

async function removeJob(
  { object: backup, client, events }: Context,
  { run, propagation }: JobToRemove,
): Promise<boolean> {
  const { namespace } = backup.metadata;
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
      message: `Ended Job ${name} with image ${run.image}, which is no longer desired`,
    });
  return true;
}

/** A Job is applied only once: its template is immutable, and another version of the operator may make another one. */
async function updateJob({ object: backup, client }: Context, { run, suspend }: JobToKeep): Promise<boolean> {
  const { namespace } = backup.metadata;
  const { name, uid, job } = run;
  const desired = { ...changeableSpec(backup), suspend };
  const {
    parallelism,
    completions,
    backoffLimit,
    activeDeadlineSeconds,
    suspend: isSuspended,
  } = job.spec ?? {};
  const spec = mergePatchBetween(
    { parallelism, completions, backoffLimit, activeDeadlineSeconds, suspend: isSuspended ?? false },
    desired,
  );
  const labels = { ...job.metadata.labels };
  const labelPatch = mergePatchBetween(labels, { ...labels, ...makeLabels(backup.metadata.name) });
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

async function reconcileCronJob(context: Context, step: CronJobStep): Promise<boolean> {
  const { object: backup, applyWithResult, remove } = context;
  switch (step.kind) {
    case "none":
      return false;
    case "remove":
      return remove(CronJob, jobName(backup.metadata.name));
    case "suspend":
      return suspendCronJob(context);
    case "apply": {
      const { result } = await applyWithResult(CronJob, makeCronJob(backup, step));
      return result !== "unchanged";
    }
  }
}

async function suspendCronJob({ object: backup, client }: Context): Promise<boolean> {
  const { namespace, name } = backup.metadata;
  const key = { namespace, name: jobName(name) };
  const { metadata, spec } = await client.get(CronJob, key);
  if (spec?.suspend === true) return false;
  await client.patch(CronJob, key, mergePatch({ metadata: { uid: metadata.uid }, spec: { suspend: true } }), {
    fieldOwner,
  });
  return true;
}
