import type { Clock } from "@keelson/core";
import type { InformerStatus } from "../../cache/informer/informer.ts";
import { type Labelled, labelled } from "../metrics/informer-metrics.ts";
import { CacheNotSyncedError, QueueStuckError, StaleInformersError } from "./errors.ts";
import type { HealthCheck } from "./health-checks.ts";

/** What these checks look at. A Cache is one. */
export interface InformersToCheck {
  readonly statuses: readonly CheckedInformer[];
}

type CheckedInformer = Pick<
  InformerStatus,
  "name" | "hasSynced" | "phase" | "lastEventAtMs" | "lastBookmarkAtMs" | "lastError"
>;

/** Fails until all informers have read all objects. For readiness. */
export function cacheSynced(cache: InformersToCheck): HealthCheck {
  return () => {
    const missing = cache.statuses.filter(({ hasSynced }) => !hasSynced).map(({ name }) => name);
    if (missing.length > 0) throw new CacheNotSyncedError(missing);
  };
}

export interface WatchFreshnessOptions {
  readonly clock: Clock;
  /** For how long an informer may hear nothing. Servers send a bookmark about each minute. Default 5 min. */
  readonly maxSilenceMs?: number;
}

/**
 * Fails while an informer has heard nothing for too long: no event and no bookmark, or it does not watch. A short
 * interruption, such as a restart of the API server, is no failure. A watch on which the server sends no bookmarks, as
 * it does for kinds that it does not cache, counts as heard of for as long as it is open.
 */
export function watchFreshness(
  cache: InformersToCheck,
  { clock, maxSilenceMs = 300_000 }: WatchFreshnessOptions,
): HealthCheck {
  /** When each informer was last known to be well, by its label; those that are gone are forgotten. */
  let wellAt: ReadonlyMap<string, number> = new Map();
  return () => {
    const nowMs = clock.now();
    const informers = labelled(cache.statuses);
    const before = wellAt;
    wellAt = new Map(informers.map((informer) => [informer.label, lastWellMs(informer, before, nowMs)]));
    const silenceOf = ({ label }: { readonly label: string }): number => nowMs - (wellAt.get(label) ?? nowMs);
    const stale = informers.filter((informer) => silenceOf(informer) > maxSilenceMs);
    if (stale.length > 0)
      throw new StaleInformersError(stale.map((informer) => describe(informer, silenceOf(informer))));
  };
}

function lastWellMs(
  { label, status }: Labelled<CheckedInformer>,
  before: ReadonlyMap<string, number>,
  nowMs: number,
): number {
  const { phase, lastEventAtMs = 0, lastBookmarkAtMs } = status;
  if (phase === "watching" && lastBookmarkAtMs === undefined) return nowMs;
  return Math.max(before.get(label) ?? nowMs, lastEventAtMs, lastBookmarkAtMs ?? 0);
}

function describe({ label, status }: Labelled<CheckedInformer>, silentMs: number): string {
  const { phase, lastError } = status;
  const why = lastError === undefined ? "" : `: ${lastError.message}`;
  return `${label}: ${phase}, silent for ${Math.round(silentMs / 1000)} s${why}`;
}

/** How old the work of a queue is. The `UnfinishedWork` that a queue tells its observer of is one. */
export interface QueueAges {
  /** Since when the oldest item that a worker has is being worked on. */
  readonly longestMs: number;
  /** For how long the oldest ready item has been waiting. */
  readonly oldestReadyMs: number;
}

export interface QueueAgeOptions {
  /** Names the queue in the reason. */
  readonly name: string;
  /** Default 10 min. */
  readonly maxRunningMs?: number;
  /** Default 30 min: a long queue after a start is no fault. */
  readonly maxWaitingMs?: number;
}

/** Fails if an item has been worked on, or has been ready, for too long: workers hang, or there are too few. */
export function queueAge(
  read: () => QueueAges,
  { name, maxRunningMs = 600_000, maxWaitingMs = 1_800_000 }: QueueAgeOptions,
): HealthCheck {
  return () => {
    const { longestMs, oldestReadyMs } = read();
    if (longestMs > maxRunningMs)
      throw new QueueStuckError(name, `an item has been worked on for ${seconds(longestMs)}`);
    if (oldestReadyMs > maxWaitingMs)
      throw new QueueStuckError(name, `an item has been waiting for ${seconds(oldestReadyMs)}`);
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
