import type { Clock } from "@keelson/core";
import type { InformerStatus } from "../../cache/informer/informer.ts";
import { type Labelled, labelled } from "../metrics/informer-metrics.ts";
import { CacheNotSyncedError, QueueStuckError, StaleInformersError } from "./errors.ts";
import type { HealthCheck } from "./health-checks.ts";

/** The informers that are checked. A Cache has them. */
export interface InformersToCheck {
  readonly statuses: readonly CheckedInformer[];
}

type CheckedInformer = Pick<
  InformerStatus,
  "name" | "hasSynced" | "phase" | "lastEventAtMs" | "lastBookmarkAtMs" | "lastError"
>;

/** A readiness check that fails until all informers have synced. */
export function cacheSynced(cache: InformersToCheck): HealthCheck {
  return () => {
    const missing = cache.statuses.filter(({ hasSynced }) => !hasSynced).map(({ name }) => name);
    if (missing.length > 0) throw new CacheNotSyncedError(missing);
  };
}

/** The limits of `watchFreshness`. */
export interface WatchFreshnessOptions {
  readonly clock: Clock;
  /** How long an informer may receive nothing. Servers send a bookmark about every minute. Default 5 min. */
  readonly maxSilenceMs?: number;
}

/**
 * A liveness check that fails while an informer has received neither an event nor a bookmark for too long. A short
 * interruption, such as a restart of the API server, is no failure. A watch without bookmarks, as for kinds that the
 * server does not cache, is fresh as long as it is open; so is the informer of an optional kind that is not served.
 */
export function watchFreshness(
  cache: InformersToCheck,
  { clock, maxSilenceMs = 300_000 }: WatchFreshnessOptions,
): HealthCheck {
  /** When each informer was last fresh, by its label; stopped informers are removed. */
  let freshAt: ReadonlyMap<string, number> = new Map();
  return () => {
    const nowMs = clock.now();
    const informers = labelled(cache.statuses);
    const before = freshAt;
    freshAt = new Map(informers.map((informer) => [informer.label, lastFreshMs(informer, before, nowMs)]));
    const silenceOf = ({ label }: { readonly label: string }): number =>
      nowMs - (freshAt.get(label) ?? nowMs);
    const stale = informers.filter((informer) => silenceOf(informer) > maxSilenceMs);
    if (stale.length > 0)
      throw new StaleInformersError(stale.map((informer) => describe(informer, silenceOf(informer))));
  };
}

function lastFreshMs(
  { label, status }: Labelled<CheckedInformer>,
  before: ReadonlyMap<string, number>,
  nowMs: number,
): number {
  const { phase, lastEventAtMs = 0, lastBookmarkAtMs } = status;
  if (phase === "notServed" || (phase === "watching" && lastBookmarkAtMs === undefined)) return nowMs;
  return Math.max(before.get(label) ?? nowMs, lastEventAtMs, lastBookmarkAtMs ?? 0);
}

function describe({ label, status }: Labelled<CheckedInformer>, silentMs: number): string {
  const { phase, lastError } = status;
  const why = lastError === undefined ? "" : `: ${lastError.message}`;
  return `${label}: ${phase}, silent for ${Math.round(silentMs / 1000)} s${why}`;
}

/** The ages of the work in a queue. The `UnfinishedWork` of a queue observer has them. */
export interface QueueAges {
  /** How long the longest-running reconcile has taken so far. */
  readonly longestMs: number;
  /** How long the oldest ready key has been waiting. */
  readonly oldestReadyMs: number;
}

/** The limits of `queueAge`. */
export interface QueueAgeOptions {
  /** The name of the queue in the error. */
  readonly name: string;
  /** Default 10 min. */
  readonly maxRunningMs?: number;
  /** Default 30 min: a long queue after a start is no failure. */
  readonly maxWaitingMs?: number;
}

/** A liveness check that fails if a key has been in a reconcile or ready for too long: workers hang, or there are too few. */
export function queueAge(
  read: () => QueueAges,
  { name, maxRunningMs = 600_000, maxWaitingMs = 1_800_000 }: QueueAgeOptions,
): HealthCheck {
  return () => {
    const { longestMs, oldestReadyMs } = read();
    if (longestMs > maxRunningMs)
      throw new QueueStuckError(name, `a reconcile has been running for ${seconds(longestMs)}`);
    if (oldestReadyMs > maxWaitingMs)
      throw new QueueStuckError(name, `a key has been waiting for ${seconds(oldestReadyMs)}`);
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
