import type { Clock } from "@keelson/core";
import type { InformerStatus } from "../../cache/informer.ts";
import { type Labelled, labelled } from "../informer-labels.ts";
import { CacheNotSyncedError, StaleInformersError } from "./errors.ts";
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
