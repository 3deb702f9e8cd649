import type { ReconcileResult } from "keelson";
import { workloadConcerns } from "../decision/concerned.ts";
import { reloadsOnCreate, reloadsOnDelete } from "../decision/policy.ts";
import { removeRecord } from "../record/reload-records.ts";
import { unrecordedReload } from "../reload/patch.ts";
import type { ResourceChange } from "../reload/reload-request.ts";
import { upstreamBaselines } from "../reload/upstream-marks.ts";
import { formatRef } from "../resource/watched-resource.ts";
import { compareBaselines } from "./baselines.ts";
import { continueJob, continuePause, continueWork } from "./continue-work.ts";
import { gather, type Scope } from "./gather.ts";
import type { ReloaderParts } from "./parts.ts";
import { currentCounts, type RecordInput, settledStatus } from "./record-status.ts";
import { Reporter } from "./report.ts";
import { hashOf, recordReload, requestOf, rollOut } from "./roll-out.ts";
import { type Context, policyFor, type Run, requeueAfter, save } from "./run.ts";
import type { WorkloadRef } from "./workload-kind.ts";

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
  const { context, scope, parts, nowMs } = run;
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
    hashAtFirstSight: (ref) => parts.firstSights.hashAtFirstSight(context.key, workload.metadata.uid, ref),
    reloadsOnCreate: (match) => reloadsOnCreate(match, settings),
    reloadsOnDelete: (match) => reloadsOnDelete(match, settings),
  });
  const input: RecordInput = { before, kept, nowMs };
  if (shown !== undefined) {
    if (changes.length > 0 && hashOf(changes) === shown.hash) {
      const policy = policyFor(run, changes);
      return recordReload(run, input, policy, requestOf(run, policy, changes, shown.time));
    }
    // The pods were started with content that the record does not know: all of it counts as changed.
    const all = changes.length > 0 ? changes : allChanged(scope, shown.hash);
    if (all.length > 0) return rollOut(run, input, all);
  }
  return changes.length > 0 ? rollOut(run, input, changes) : settle(run, input);
}

/** Nothing differs, or what differed was rolled out. */
async function settle(run: Run, input: RecordInput): Promise<ReconcileResult> {
  const { parts, context } = run;
  parts.coalescing.forget(context.key);
  const status = settledStatus(input);
  const record = await save(run, status);
  return continueWork(run, record, status);
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
