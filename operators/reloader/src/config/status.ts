import { mergeConditions, type Stored } from "keelson";
import type { ReloadRecord } from "../api/reload-record.ts";
import type { ReloaderConfigStatus, TargetStatus } from "../api/status.ts";
import { formatRef } from "../resource/watched-resource.ts";
import { conditionsOf } from "./conditions.ts";
import type { Observation, ObservedTarget } from "./observation.ts";

/** More would not fit into an object. */
const mostHashes = 1000;

/** Of the records that a target had. */
const mostRecords = 4;

/** The status of a ReloaderConfig after a reconcile. */
export function statusOf(observation: Observation): ReloaderConfigStatus {
  const { config, targets, resources, settings, nowMs } = observation;
  const { metadata, spec, status: before = {} } = config;
  const counted = targets.map((target) => countTarget(observation, target));
  const newReloads = counted.reduce((sum, { added }) => sum + added, 0);
  const lastReloadTime = latest([
    before.lastReloadTime,
    ...counted.map(({ status }) => status.lastReloadTime),
  ]);
  const hashes = resources
    .map((resource) => [formatRef(resource), resource.hash] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, mostHashes);
  const isRestart = (spec.rolloutStrategy ?? settings.rolloutStrategy) === "restart";
  return {
    observedGeneration: metadata.generation ?? 0,
    strategy: isRestart ? "restart" : (spec.reloadStrategy ?? settings.reloadStrategy),
    targets: targets.length,
    reloadCount: (before.reloadCount ?? 0) + newReloads,
    ...(lastReloadTime !== undefined && { lastReloadTime }),
    watchedResourceHashes: Object.fromEntries(hashes),
    targetStatus: counted.map(({ status }) => status),
    conditions: [...mergeConditions(before.conditions, conditionsOf(observation), nowMs)],
  };
}

interface CountedTarget {
  readonly status: TargetStatus;
  /** How many reloads the status did not include before. */
  readonly added: number;
}

/**
 * The status of a target. Its count continues after its record was deleted with the workload: the record of the next
 * workload of that name counts from 0.
 */
function countTarget({ config }: Observation, { workload, records }: ObservedTarget): CountedTarget {
  const { kind, namespace, name } = workload;
  const before = config.status?.targetStatus?.find(
    (each) => each.kind === kind && each.namespace === namespace && each.name === name,
  );
  const counts = records.map((record) => countOf(config, record));
  const added = counts.reduce((sum, { uid, reloadCount }) => {
    const known = before?.records?.find((each) => each.uid === uid)?.reloadCount ?? 0;
    return sum + Math.max(0, reloadCount - known);
  }, 0);
  const seen = new Set(counts.map(({ uid }) => uid));
  // A record is not seen while the target does not exist, such as a Job that is being replaced.
  const included = [
    ...counts.flatMap(({ uid, reloadCount }) => (reloadCount > 0 ? [{ uid, reloadCount }] : [])),
    ...(before?.records ?? []).filter(({ uid }) => !seen.has(uid)),
  ].slice(0, mostRecords);
  const lastReloadTime = latest([before?.lastReloadTime, ...counts.map((each) => each.lastReloadTime)]);
  const states = records.flatMap(({ status }) => status ?? []);
  const pausedUntil = latest(states.map((state) => state.pausedUntil));
  const [pending] = states.flatMap((state) => state.pending ?? []);
  const [lastError] = states.flatMap((state) => state.lastError ?? []);
  return {
    added,
    status: {
      ...{ kind, name, namespace, reloadCount: (before?.reloadCount ?? 0) + added },
      ...(lastReloadTime !== undefined && { lastReloadTime }),
      ...(pausedUntil !== undefined && { pausedUntil }),
      ...(pending !== undefined && pending.reason !== "Collecting" && { pending: pending.reason }),
      ...(included.length > 0 && { records: included }),
      ...(lastError !== undefined && { lastError }),
    },
  };
}

/** The reloads of a record that were for the ReloaderConfig. */
function countOf(
  { metadata }: Observation["config"],
  record: Stored<ReloadRecord>,
): { readonly uid: string; readonly reloadCount: number; readonly lastReloadTime: string | undefined } {
  const own = record.status?.configs?.find(
    ({ namespace, name }) => namespace === metadata.namespace && name === metadata.name,
  );
  const { reloadCount = 0, lastReloadTime } = own ?? {};
  return { uid: record.metadata.uid, reloadCount, lastReloadTime };
}

/** Times of the API are in UTC, so their texts have their order. */
function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}
