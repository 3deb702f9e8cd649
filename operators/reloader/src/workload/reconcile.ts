import {
  type Client,
  ConflictError,
  jsonPatch,
  type ReconcileContext,
  type ReconcileResult,
  type Stored,
} from "keelson";
import { withFieldOwner } from "keelson/client";
import { toError } from "keelson/low-level";
import { isRefusedPatch, StaleObjectError } from "keelson/object";
import type { ReloadRecord, ReloadRecordStatus } from "../api/reload-record.ts";
import { workloadConcerns } from "../decision/concerned.ts";
import { policyOf, reloadsOnCreate, reloadsOnDelete } from "../decision/policy.ts";
import type { ReloadPolicy } from "../decision/reload-policy.ts";
import { createRecord, fieldOwner, findRecord, removeRecord, saveRecord } from "../record/reload-records.ts";
import { beginRecreation, continueRecreation } from "../reload/job.ts";
import { unrecordedReload } from "../reload/patch.ts";
import { methodOf, reload } from "../reload/reload.ts";
import type { ReloadContext } from "../reload/reload-context.ts";
import type { ReloadRequest, ResourceChange } from "../reload/reload-request.ts";
import { restartStep } from "../reload/restart.ts";
import { upstreamBaselines } from "../reload/upstream-marks.ts";
import { combinedHash } from "../resource/content-hash.ts";
import { formatRef } from "../resource/watched-resource.ts";
import { type AccumulateStep, accumulateStep } from "../timing/accumulate.ts";
import { type Gate, gateOf } from "../timing/gate.ts";
import { compareBaselines } from "./baselines.ts";
import { gather, type Scope } from "./gather.ts";
import type { ReloaderParts } from "./parts.ts";
import { pausableDeployment } from "./pausable-deployment.ts";
import {
  configsOf,
  currentCounts,
  failedStatus,
  notifiedStatus,
  type RecordInput,
  reloadedStatus,
  settledStatus,
  waitingStatus,
} from "./record-status.ts";
import { Reporter } from "./report.ts";
import type { WorkloadRef } from "./workload-kind.ts";

type Context = ReconcileContext<WorkloadRef>;

/** A wait that is shorter is not recorded: it would cost a write for each reload. */
const recordedWaitMs = 5_000;
/** A timer that is due later is set again in between. */
const longestWaitMs = 3_600_000;
/** The workload has changed since it was read; the cache will have it soon. */
const staleWaitMs = 100;
/** Between two steps of the recreation of a Job. */
const recreationStepMs = 1_000;

/** One reconcile of a workload that resources count for. */
interface Run {
  readonly context: Context;
  readonly parts: ReloaderParts;
  readonly scope: Scope;
  readonly reporter: Reporter;
  readonly nowMs: number;
}

/**
 * Reloads a workload if resources that count for it have other content than its pods were started with: gather, compare,
 * decide, and then one patch of the workload for all changes, and one write of its record.
 *
 * The record survives: after a restart of the operator, a change of the leader or missed events, the difference between the
 * record and the content decides, as it does after an event.
 */
export async function reconcileWorkload(context: Context, parts: ReloaderParts): Promise<ReconcileResult> {
  const { key, client, clock } = context;
  const recreated = await continueJob(context, parts);
  if (recreated !== undefined) return recreated;
  const scope = await gather(client, key, parts);
  if (scope === undefined) {
    parts.shownProblems.forget(key);
    return forget(key, parts);
  }
  const reporter = new Reporter(context, parts, scope);
  reporter.problems(scope.problems);
  const run: Run = { context, parts, scope, reporter, nowMs: clock.now() };
  const isRestarting = scope.record?.status?.restart !== undefined;
  if (scope.matches.length > 0 || isRestarting || awaitsCreation(scope, parts)) return reconcileMatches(run);
  if (scope.record !== undefined) await removeRecord(client, scope.record);
  forget(key, parts);
  // A Deployment that was paused must not stay so because it has lost its annotations.
  return requeueAfter(await continuePause(run));
}

function forget(key: WorkloadRef, { coalescing, metrics }: ReloaderParts): undefined {
  coalescing.forget(key);
  metrics.forget(key);
}

/** Whether the creation of a resource may reload the workload: then it has a record, which shows what is new. */
function awaitsCreation({ workload, configs }: Scope, { settings, keys }: ReloaderParts): boolean {
  if (configs.some(({ spec }) => spec.reloadOnCreate)) return true;
  return (
    settings.reloadOnCreate && (configs.length > 0 || workloadConcerns(workload, keys, settings).length > 0)
  );
}

async function reconcileMatches(run: Run): Promise<ReconcileResult> {
  const { scope, parts, nowMs } = run;
  run.reporter.problems(policyFor(run, []).problems);
  const { workload, record, matches, resources } = scope;
  const { keys, settings } = parts;
  const before = { ...record?.status, configs: [...currentCounts(record?.status?.configs, scope.configs)] };
  const shown = unrecordedReload(workload, before, keys);
  const { kept, changes } = compareBaselines({
    ...{ matches, resources },
    recorded: before.baselines ?? {},
    adoptedAtMs: before.adoptedAt === undefined ? undefined : Date.parse(before.adoptedAt),
    upstreamHashes: upstreamBaselines(workload, [...resources.values()], keys),
    isUpstreams: before.lastReload === undefined && shown === undefined,
    reloadsOnCreate: (match) => reloadsOnCreate(match, settings),
    reloadsOnDelete: (match) => reloadsOnDelete(match, settings),
  });
  const input: RecordInput = { before, kept, nowMs };
  if (shown !== undefined) {
    if (changes.length > 0 && hashOf(changes) === shown.hash) {
      const policy = policyFor(run, changes);
      return finish(run, input, policy, requestOf(run, policy, changes, shown.time));
    }
    // The pods were started with content that the record does not know: all of it counts as changed.
    const all = changes.length > 0 ? changes : allChanged(scope, shown.hash);
    if (all.length > 0) return roll(run, input, all);
  }
  return changes.length > 0 ? roll(run, input, changes) : settle(run, input);
}

/** Nothing differs, or what differed was rolled out. */
async function settle(run: Run, input: RecordInput): Promise<ReconcileResult> {
  const { parts, context } = run;
  parts.coalescing.forget(context.key);
  const status = settledStatus(input);
  const record = await save(run, status);
  return continueWork(run, record, status);
}

/** Rolls out changes, or lets them wait. */
async function roll(
  run: Run,
  input: RecordInput,
  changes: readonly ResourceChange[],
): Promise<ReconcileResult> {
  const { context, parts, reporter, nowMs } = run;
  const policy = policyFor(run, changes);
  const request = requestOf(run, policy, changes, new Date(nowMs).toISOString());
  if (policy.mode === "notify" || parts.callWebhook !== undefined) {
    const collectMs = parts.coalescing.dueAt(context.key, nowMs) - nowMs;
    if (collectMs > 0) return requeueAfter(collectMs);
    try {
      await parts.callWebhook?.(request, context.signal);
    } catch (error) {
      if (context.signal.aborted) throw error;
      throw await failed(run, input, request, toError(error));
    }
    const status = notifiedStatus(input, changes);
    const record = await save(run, status);
    parts.coalescing.forget(context.key);
    reporter.notified(request);
    return continueWork(run, record, status);
  }
  const pause = pauseStepOf(run, policy, request);
  const gate = gateFor(run, policy, input.before, pause);
  if (!gate.open) return wait(run, input, changes, gate);
  reporter.changed(changes);
  if (input.before.pending?.reason === "CircuitOpen") reporter.circuitClosed();
  try {
    await begin(run, input, policy, { ...request, operations: pause.operations });
  } catch (error) {
    if (error instanceof StaleObjectError || error instanceof ConflictError)
      return { requeueAfterMs: staleWaitMs };
    throw await failed(run, input, request, toError(error));
  }
  reporter.paused(pause, changes);
  return finish(run, input, policy, request, pause.action !== "collect");
}

/** What comes before the record of the reload, by its method. */
async function begin(
  run: Run,
  input: RecordInput,
  policy: ReloadPolicy,
  request: ReloadRequest,
): Promise<void> {
  switch (methodOf(request.workload, request.strategy)) {
    case "write":
      return reload(reloadContext(run), request);
    case "recreate": {
      const record = run.scope.record ?? (await save(run, settledStatus(input)));
      // The Job and its record are replaced, so the reload is recorded with its beginning.
      return beginRecreation(reloadContext(run), request, record, reloadedOf(run, input, policy, request));
    }
    case "evict":
      return undefined;
  }
}

/** Goes on with the recreation of a Job, which may not exist in between; undefined if none is under way. */
async function continueJob(context: Context, parts: ReloaderParts): Promise<ReconcileResult> {
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

/** Records a reload, and reports it. */
async function finish(
  run: Run,
  input: RecordInput,
  policy: ReloadPolicy,
  request: ReloadRequest,
  isRollout = true,
): Promise<ReconcileResult> {
  const { parts, reporter, context } = run;
  const { coalescing } = parts;
  if (methodOf(request.workload, request.strategy) === "recreate") {
    reporter.reloaded(request);
    return { requeueAfterMs: 1 };
  }
  const status = reloadedOf(run, input, policy, request, isRollout);
  const record = await save(run, status);
  reporter.reloaded(request);
  coalescing.forget(context.key);
  return continueWork(run, record, status);
}

/** The status of the record after the reload. */
function reloadedOf(
  { parts, scope }: Run,
  input: RecordInput,
  { pausePeriodMs }: ReloadPolicy,
  request: ReloadRequest,
  isRollout = true,
): ReloadRecordStatus {
  const breaker = isRollout ? parts.breaker : undefined;
  const configs = configsOf(scope.matches, request.changes);
  const method = methodOf(request.workload, request.strategy);
  return reloadedStatus(input, request, { configs, breaker, pausePeriodMs, method });
}

/** Records a failure, and returns the error, which is thrown so that the reload is retried after a back-off. */
async function failed(run: Run, input: RecordInput, request: ReloadRequest, error: Error): Promise<Error> {
  const { context, reporter } = run;
  try {
    await save(run, failedStatus(input, request.changes, error));
  } catch (second) {
    context.log.warn("the record could not be written either", { error: toError(second) });
  }
  reporter.failed(request, error);
  return error;
}

async function wait(
  run: Run,
  input: RecordInput,
  changes: readonly ResourceChange[],
  gate: ClosedGate,
): Promise<ReconcileResult> {
  const { nowMs, reporter } = run;
  const waitMs = gate.untilMs === undefined ? longestWaitMs : gate.untilMs - nowMs;
  let stepMs: number | undefined;
  if (waitMs > recordedWaitMs) {
    const status = waitingStatus(input, changes, gate);
    const record = await save(run, status);
    if (!isSameWait(input.before.pending, status.pending)) reporter.waits(changes, gate);
    // A restart for earlier changes goes on: half of its pods would have other content than the rest.
    stepMs = await continueRestart(run, record, status, (before) =>
      waitingStatus({ ...input, before }, changes, gate),
    );
  }
  const pausedMs = (await continuePause(run)) ?? longestWaitMs;
  return requeueAfter(Math.min(waitMs, pausedMs, stepMs ?? longestWaitMs));
}

type ClosedGate = Extract<Gate, { readonly open: false }>;
type Pending = ReloadRecordStatus["pending"];

function isSameWait(before: Pending, after: Pending): boolean {
  return (
    before?.reason === after?.reason &&
    before?.until === after?.until &&
    before?.resources.join() === after?.resources.join()
  );
}

/** Goes on with what takes longer than one reconcile: the evictions of a restart, and a pause of a Deployment. */
async function continueWork(
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
async function continueRestart(
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

function requeueAfter(ms: number | undefined): ReconcileResult {
  return ms === undefined ? undefined : { requeueAfterMs: Math.max(1, Math.min(ms, longestWaitMs)) };
}

/** Ends the pause of a Deployment that is due; undefined if it has none, or after how long to look again. */
async function continuePause(run: Run): Promise<number | undefined> {
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
function pauseStepOf(
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

function policyFor({ scope, parts, nowMs }: Run, changes: readonly ResourceChange[]): ReloadPolicy {
  const { keys, settings } = parts;
  const changed = new Set(changes.map(({ resource }) => formatRef(resource)));
  const matches = scope.matches.filter(({ resource }) => changed.has(formatRef(resource)));
  return policyOf(scope.workload, { matches, settings, keys, nowMs });
}

function gateFor(
  { context, parts, nowMs }: Run,
  policy: ReloadPolicy,
  status: ReloadRecordStatus,
  pause: AccumulateStep,
): Gate {
  const { breaker, coalescing, rateLimits } = parts;
  const { key } = context;
  const collectUntilMs = coalescing.dueAt(key, nowMs);
  // Nothing is rolled out while the Deployment is paused, so nothing is limited.
  if (pause.action === "collect")
    return collectUntilMs > nowMs
      ? { open: false, reason: "Collecting", untilMs: collectUntilMs }
      : { open: true };
  return gateOf({
    ...{ policy, status, breaker, nowMs, collectUntilMs },
    takeTurn: () => rateLimits.take(key, nowMs),
  });
}

function requestOf(
  { scope }: Run,
  { strategy }: ReloadPolicy,
  changes: readonly ResourceChange[],
  time: string,
): ReloadRequest {
  const previousReloads = scope.record?.status?.reloadCount ?? 0;
  return { workload: scope.workload, strategy, changes, time, hash: hashOf(changes), previousReloads };
}

function hashOf(changes: readonly ResourceChange[]): string {
  return combinedHash(new Map(changes.map(({ resource, to }) => [formatRef(resource), to])));
}

/** Everything that counts and exists, as if it had changed from an unknown content. */
function allChanged({ matches, resources }: Scope, from: string): readonly ResourceChange[] {
  const refs = new Map(matches.map((match) => [formatRef(match.resource), match]));
  return [...refs].flatMap(([ref, { resource, isExplicit }]) => {
    const now = resources.get(ref);
    return now === undefined
      ? []
      : [{ resource, from, to: now.hash, upstreamHash: now.upstreamHash, isExplicit }];
  });
}

function reloadContext({ context, parts }: Pick<Run, "context" | "parts">): ReloadContext {
  const { client, liveClient, clock } = context;
  const as = (each: Client): Client => withFieldOwner(each, fieldOwner);
  return { client: as(client), liveClient: as(liveClient), clock, keys: parts.keys };
}

/** Writes the status of the record, which is created first if there is none. */
async function save(run: Run, status: ReloadRecordStatus): Promise<Stored<ReloadRecord>> {
  const { context, scope, reporter } = run;
  const { client } = context;
  const record = scope.record ?? (await createRecord(client, scope.workload, scope.earlierRecord));
  await saveRecord(client, record, status);
  reporter.shown(status);
  return record;
}
