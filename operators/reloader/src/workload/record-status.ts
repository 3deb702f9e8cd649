import { formatTime, mergeConditions, type Stored } from "keelson";
import { RecordReason, type ReloadRecordStatus, upToDate } from "../api/reload-record.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { Match } from "../decision/match.ts";
import type { ReloadMethod } from "../reload/reload.ts";
import type { ReloadRequest, ResourceChange } from "../reload/reload-request.ts";
import { formatRef } from "../resource/watched-resource.ts";
import { type CircuitBreaker, withReload } from "../timing/circuit-breaker.ts";
import type { WaitReason } from "../timing/gate.ts";
import { type Baselines, withChanges } from "./baselines.ts";

/** What the status of a record is computed from, beside what happened. */
export interface RecordInput {
  readonly before: ReloadRecordStatus;
  readonly kept: Baselines;
  readonly nowMs: number;
}

/** The pods have the content that exists now. */
export function settledStatus({ before, kept, nowMs }: RecordInput): ReloadRecordStatus {
  const { pending: _, lastError: __, ...rest } = before;
  const adoptedAt = adoptedAtOf(before, nowMs);
  const isRestarting = before.restart !== undefined;
  return withCondition(
    { ...rest, baselines: kept, adoptedAt },
    isRestarting
      ? {
          status: "False",
          reason: RecordReason.Restarting,
          message: before.restart?.message ?? "Pods that were started before the change are evicted",
        }
      : {
          status: "True",
          reason: RecordReason.UpToDate,
          message: "The pods have the content that exists now",
        },
    nowMs,
  );
}

/** With milliseconds, as templates show reloads: one that came before the adoption is not taken for one after it. */
function adoptedAtOf({ adoptedAt }: ReloadRecordStatus, nowMs: number): string {
  return adoptedAt ?? new Date(nowMs).toISOString();
}

/** Changes wait. */
export function waitingStatus(
  input: RecordInput,
  changes: readonly ResourceChange[],
  wait: { readonly reason: WaitReason; readonly untilMs: number | undefined },
): ReloadRecordStatus {
  const { before, kept, nowMs } = input;
  const until = wait.untilMs === undefined ? undefined : formatTime(wait.untilMs);
  const resources = refsOf(changes);
  const pending = {
    since: before.pending?.since ?? formatTime(nowMs),
    resources,
    reason: wait.reason,
    ...(until !== undefined && { until }),
  };
  return withCondition(
    {
      ...before,
      baselines: kept,
      adoptedAt: adoptedAtOf(before, nowMs),
      ...(wait.reason === "Paused" && until !== undefined && { pausedUntil: until }),
      pending,
    },
    {
      status: "False",
      reason: wait.reason,
      message: `${resources.join(", ")} changed; ${waitTexts[wait.reason]}${until === undefined ? "" : ` until ${until}`}`,
    },
    nowMs,
  );
}

const waitTexts: Readonly<Record<WaitReason, string>> = {
  Paused: "the workload is paused",
  OutsideWindow: "no restart window is open",
  CircuitOpen: "the circuit breaker is open, because the workload was reloaded too often,",
  RateLimited: "the rate limit of reloads holds it back",
  Collecting: "further changes are collected",
};

/** The workload was reloaded, or its restart has begun. */
export function reloadedStatus(
  input: RecordInput,
  { changes, time, strategy, hash }: Pick<ReloadRequest, "changes" | "time" | "strategy" | "hash">,
  {
    configs,
    breaker,
    pausePeriodMs,
    method,
  }: {
    readonly configs: readonly Stored<ReloaderConfig>[];
    /** Undefined if the reload is not counted, because it is rolled out later together with others. */
    readonly breaker: CircuitBreaker | undefined;
    readonly pausePeriodMs: number | undefined;
    readonly method: ReloadMethod;
  },
): ReloadRecordStatus {
  const { before, kept, nowMs } = input;
  const { pausedUntil: _, ...rest } = before;
  const reloaded: ReloadRecordStatus = {
    ...rest,
    adoptedAt: adoptedAtOf(before, nowMs),
    reloadCount: (before.reloadCount ?? 0) + 1,
    lastReload: { time, strategy, hash, resources: [...refsOf(changes)] },
    configs: [...countsOf(before.configs ?? [], configs, time)],
    ...(breaker !== undefined && {
      recentReloads: [...withReload(before.recentReloads ?? [], time, breaker)],
    }),
    ...(pausePeriodMs !== undefined && { pausedUntil: formatTime(Date.parse(time) + pausePeriodMs) }),
    ...(method === "evict" && { restart: { startedAt: time } }),
  };
  return settledStatus({ before: reloaded, kept: withChanges(kept, changes), nowMs });
}

/** The changes were reported only. */
export function notifiedStatus(input: RecordInput, changes: readonly ResourceChange[]): ReloadRecordStatus {
  return settledStatus({ ...input, kept: withChanges(input.kept, changes) });
}

/** A reload failed and is retried. */
export function failedStatus(
  { before, kept, nowMs }: RecordInput,
  changes: readonly ResourceChange[],
  error: Error,
): ReloadRecordStatus {
  const message = error.message.slice(0, longestMessage);
  return withCondition(
    {
      ...before,
      baselines: kept,
      adoptedAt: adoptedAtOf(before, nowMs),
      pending: {
        since: before.pending?.since ?? formatTime(nowMs),
        resources: [...refsOf(changes)],
        reason: "ReloadFailed",
      },
      lastError: message,
    },
    { status: "False", reason: RecordReason.ReloadFailed, message },
    nowMs,
  );
}

const longestMessage = 1024;

/** The ReloaderConfigs among the origins of the matches of changes, each once. */
export function configsOf(
  matches: readonly Match[],
  changes: readonly ResourceChange[],
): readonly Stored<ReloaderConfig>[] {
  const changed = new Set(refsOf(changes));
  const configs = matches.flatMap(({ resource, origin }) =>
    origin.type === "config" && changed.has(formatRef(resource)) ? [origin.config] : [],
  );
  return [...new Map(configs.map((config) => [config.metadata.uid, config])).values()];
}

/** The counts of the ReloaderConfigs that still name the workload; a later config of the same name begins at 0. */
export function currentCounts(
  counts: readonly ConfigCount[] = [],
  configs: readonly Stored<ReloaderConfig>[],
): readonly ConfigCount[] {
  return counts.filter(({ namespace, name }) =>
    configs.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  );
}

type ConfigCount = NonNullable<ReloadRecordStatus["configs"]>[number];

function countsOf(
  before: readonly ConfigCount[],
  configs: readonly Stored<ReloaderConfig>[],
  time: string,
): readonly ConfigCount[] {
  const counts = new Map(before.map((each) => [`${each.namespace}/${each.name}`, each]));
  for (const { metadata } of configs) {
    const { namespace = "", name } = metadata;
    const reloadCount = (counts.get(`${namespace}/${name}`)?.reloadCount ?? 0) + 1;
    counts.set(`${namespace}/${name}`, { namespace, name, reloadCount, lastReloadTime: time });
  }
  return [...counts.values()];
}

function refsOf(changes: readonly ResourceChange[]): string[] {
  return changes.map(({ resource }) => formatRef(resource));
}

function withCondition(
  status: ReloadRecordStatus,
  condition: { readonly status: "True" | "False"; readonly reason: string; readonly message: string },
  nowMs: number,
): ReloadRecordStatus {
  const update = { type: upToDate, ...condition };
  return { ...status, conditions: [...mergeConditions(status.conditions, [update], nowMs)] };
}
