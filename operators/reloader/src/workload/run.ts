import type { Client, ReconcileContext, ReconcileResult, Stored } from "keelson";
import { withFieldOwner } from "keelson/client";
import type { ReloadRecord, ReloadRecordStatus } from "../api/reload-record.ts";
import { policyOf } from "../decision/policy.ts";
import type { ReloadPolicy } from "../decision/reload-policy.ts";
import { createRecord, fieldOwner, saveRecord } from "../record/reload-records.ts";
import type { ReloadContext, ResourceChange } from "../reload/reload-request.ts";
import { formatRef } from "../resource/watched-resource.ts";
import type { Scope } from "./gather.ts";
import type { ReloaderParts } from "./parts.ts";
import type { Reporter } from "./report.ts";
import type { WorkloadRef } from "./workload-kind.ts";

export type Context = ReconcileContext<WorkloadRef>;

/** A timer that is due later is set again in between. */
export const longestWaitMs = 3_600_000;
/** The workload has changed since it was read; the cache will have it soon. */
export const staleWaitMs = 100;

/** One reconcile of a workload that resources count for. */
export interface Run {
  readonly context: Context;
  readonly parts: ReloaderParts;
  readonly scope: Scope;
  readonly reporter: Reporter;
  readonly nowMs: number;
}

/** What holds for a reload of these changes. */
export function policyFor({ scope, parts, nowMs }: Run, changes: readonly ResourceChange[]): ReloadPolicy {
  const { keys, settings } = parts;
  const changed = new Set(changes.map(({ resource }) => formatRef(resource)));
  const matches = scope.matches.filter(({ resource }) => changed.has(formatRef(resource)));
  return policyOf(scope.workload, { matches, settings, keys, nowMs });
}

/** What reloads need, with the field owner of the operator. */
export function reloadContext({ context, parts }: Pick<Run, "context" | "parts">): ReloadContext {
  const { client, liveClient, clock } = context;
  const as = (each: Client): Client => withFieldOwner(each, fieldOwner);
  return { client: as(client), liveClient: as(liveClient), clock, keys: parts.keys };
}

/** Writes the status of the record, which is created first if there is none. */
export async function save(run: Run, status: ReloadRecordStatus): Promise<Stored<ReloadRecord>> {
  const { context, scope, parts, reporter } = run;
  const { client, key } = context;
  const record = scope.record ?? (await createRecord(client, scope.workload, scope.earlierRecord));
  await saveRecord(client, record, status);
  parts.firstSights.forget(key, scope.workload.metadata.uid);
  reporter.shown(status);
  return record;
}

/** To reconcile again after this time; undefined: when something changes. */
export function requeueAfter(ms: number | undefined): ReconcileResult {
  return ms === undefined ? undefined : { requeueAfterMs: Math.max(1, Math.min(ms, longestWaitMs)) };
}
