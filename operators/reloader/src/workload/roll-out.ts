import { ConflictError, type ReconcileResult } from "keelson";
import { toError } from "keelson/low-level";
import { StaleObjectError } from "keelson/object";
import type { ReloadRecordStatus } from "../api/reload-record.ts";
import type { ReloadPolicy } from "../decision/reload-policy.ts";
import { beginRecreation } from "../reload/job.ts";
import { methodOf, reload } from "../reload/reload.ts";
import type { ReloadRequest, ResourceChange } from "../reload/reload-request.ts";
import { combinedHash } from "../resource/content-hash.ts";
import { formatRef } from "../resource/watched-resource.ts";
import type { AccumulateStep } from "../timing/accumulate.ts";
import { type Gate, gateOf } from "../timing/gate.ts";
import { continuePause, continueRestart, continueWork, pauseStepOf } from "./continue-work.ts";
import {
  configsOf,
  failedStatus,
  notifiedStatus,
  type RecordInput,
  reloadedStatus,
  settledStatus,
  waitingStatus,
} from "./record-status.ts";
import { longestWaitMs, policyFor, type Run, reloadContext, requeueAfter, save, staleWaitMs } from "./run.ts";

/** A wait that is shorter is not recorded: it would cost a write for each reload. */
const recordedWaitMs = 5_000;

/** Rolls out changes, or lets them wait. */
export async function rollOut(
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
  return recordReload(run, input, policy, request, pause.action !== "collect");
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

/** Records a reload, and reports it. */
export async function recordReload(
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

/** One reload for all of these changes. */
export function requestOf(
  { scope }: Run,
  { strategy }: ReloadPolicy,
  changes: readonly ResourceChange[],
  time: string,
): ReloadRequest {
  const previousReloads = scope.record?.status?.reloadCount ?? 0;
  return { workload: scope.workload, strategy, changes, time, hash: hashOf(changes), previousReloads };
}

/** The hash that a reload for these changes writes. */
export function hashOf(changes: readonly ResourceChange[]): string {
  return combinedHash(new Map(changes.map(({ resource, to }) => [formatRef(resource), to])));
}
