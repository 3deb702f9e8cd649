import { jsonPatch, type ReconcileResult, type Stored } from "keelson";
import { isRefusedPatch } from "keelson/object";
import type { ReloadRecord, ReloadRecordStatus } from "../api/reload-record.ts";
import { policyOf } from "../decision/policy.ts";
import type { ReloadPolicy } from "../decision/reload-policy.ts";
import { fieldOwner, findRecord, removeRecord, saveRecord } from "../record/reload-records.ts";
import { continueRecreation } from "../reload/job.ts";
import { methodOf } from "../reload/reload.ts";
import type { ReloadRequest } from "../reload/reload-request.ts";
import { restartStep } from "../reload/restart.ts";
import { type AccumulateStep, accumulateStep, type PausableDeployment } from "../timing/accumulate.ts";
import type { ReloaderParts } from "./parts.ts";
import { settledStatus } from "./record-status.ts";
import { type Context, longestWaitMs, type Run, reloadContext, requeueAfter, staleWaitMs } from "./run.ts";
import type { Workload } from "./workload.ts";
import { valueAt } from "./workload-kinds.ts";

/** Between two steps of the recreation of a Job. */
const recreationStepMs = 1_000;

/** Goes on with what takes longer than one reconcile: the evictions of a restart, and a pause of a Deployment. */
export async function continueWork(
  run: Run,
  record: Stored<ReloadRecord>,
  status: ReloadRecordStatus,
): Promise<ReconcileResult> {
  const stepMs = await continueRestart(run, record, status, (before) =>
    settledStatus({ before, kept: status.baselines ?? {}, nowMs: run.nowMs }),
  );
  return requeueAfter(stepMs ?? (await continuePause(run)));
}

/** Takes the next step of a restart and records it; undefined if none is under way, or after how long to take another. */
export async function continueRestart(
  run: Run,
  record: Stored<ReloadRecord>,
  status: ReloadRecordStatus,
  describe: (before: ReloadRecordStatus) => ReloadRecordStatus,
): Promise<number | undefined> {
  const { restart, ...rest } = status;
  if (restart === undefined) return undefined;
  const { startedAt } = restart;
  const step = await restartStep(reloadContext(run), run.scope.workload, startedAt);
  const after = describe(step.done ? rest : { ...rest, restart: { startedAt, message: step.message } });
  await saveRecord(run.context.client, { ...record, status }, after);
  run.reporter.shown(after);
  return step.done ? undefined : step.retryAfterMs;
}

/** Ends the pause of a Deployment that is due; undefined if it has none, or after how long to look again. */
export async function continuePause(run: Run): Promise<number | undefined> {
  const { context, scope, nowMs, reporter } = run;
  const { matches } = scope;
  const { keys, settings } = run.parts;
  const policy = policyOf(scope.workload, { matches, settings, keys, nowMs });
  // A pause is a matter of the operator that reloads, such as upstream's beside this one.
  if (policy.mode === "notify" || run.parts.callWebhook !== undefined) return undefined;
  const step = pauseStepOf(run, policy);
  if (step.action === "collect") return step.untilMs === undefined ? longestWaitMs : step.untilMs - nowMs;
  if (step.operations.length === 0) return undefined;
  const { resource, metadata } = scope.workload;
  try {
    const key = { namespace: metadata.namespace, name: metadata.name };
    await context.client.patch(resource, key, jsonPatch(step.operations), { fieldOwner });
  } catch (error) {
    if (isRefusedPatch(error)) return staleWaitMs;
    throw error;
  }
  reporter.paused(step, []);
  return undefined;
}

/** What to do with the pause of a Deployment; with a request, in the patch that reloads it. */
export function pauseStepOf(
  { scope, parts, nowMs }: Run,
  policy: ReloadPolicy,
  request?: ReloadRequest,
): AccumulateStep {
  const deployment = pausableDeployment(scope.workload);
  const isPatched = request === undefined || methodOf(request.workload, request.strategy) === "write";
  if (deployment === undefined || !isPatched) return { action: "none", operations: [] };
  const hasChanges = request !== undefined;
  return accumulateStep({ deployment, policy, keys: parts.keys, hasChanges, nowMs });
}

/** Goes on with the recreation of a Job, which may not exist in between; undefined if none is under way. */
export async function continueJob(context: Context, parts: ReloaderParts): Promise<ReconcileResult> {
  const { key, client } = context;
  if (key.kind !== "Job") return undefined;
  const record = await findRecord(client, key);
  if (record?.status?.recreatedJob === undefined) return undefined;
  const isDone = await continueRecreation(reloadContext({ context, parts }), record);
  if (!isDone) return { requeueAfterMs: recreationStepMs };
  // The successor gets a record of its own.
  await removeRecord(client, record);
  return { requeueAfterMs: staleWaitMs };
}

/** The part of a Deployment that says whether its rollout is paused; undefined for other kinds, which have no such pause. */
function pausableDeployment({ kind, object, metadata }: Workload): PausableDeployment | undefined {
  if (kind !== "Deployment") return undefined;
  return { metadata, spec: { paused: valueAt(object, "spec", "paused") === true } };
}
