import type { BackUp } from "../api/back-up.ts";
import type { Retain } from "../api/spec.ts";
import type { HistoryEntry } from "../api/status.ts";
import { formatSeconds } from "./duration.ts";
import { isFinished, type Run } from "./run.ts";

/** Runs that have ended and that the status does not tell of yet. */
export function newlyFinished({ status }: BackUp, runs: readonly Run[]): readonly Run[] {
  const known = new Set(status?.history?.map(({ uid }) => uid));
  return runs.filter((run) => isFinished(run) && !known.has(run.uid));
}

/**
 * The history with those that were not in it, newest first: so many of each result as are to be retained, and every one
 * whose Job is still there. So a run whose Job is there and that is not in the history has not been counted yet.
 */
export function historyWith(backup: BackUp, runs: readonly Run[]): readonly HistoryEntry[] {
  const entries = [...newlyFinished(backup, runs).map(entryOf), ...(backup.status?.history ?? [])];
  const present = new Set(runs.map(({ uid }) => uid));
  const newestFirst = entries.toSorted((a, b) => (a.end === b.end ? 0 : a.end < b.end ? 1 : -1));
  const retained = retainedOf(newestFirst, backup.spec.retain);
  return newestFirst.filter((entry) => present.has(entry.uid) || retained.has(entry));
}

function retainedOf(entries: readonly HistoryEntry[], retain: Retain): ReadonlySet<HistoryEntry> {
  const successes = entries.filter(({ result }) => result === "Succeeded").slice(0, retain.successful);
  const failures = entries.filter(({ result }) => result === "Failed").slice(0, retain.failed);
  return new Set([...successes, ...failures]);
}

function entryOf({ name, uid, state, start, end = start, reason, image, type }: Run): HistoryEntry {
  const seconds = Math.max(0, Math.round((Date.parse(end) - Date.parse(start)) / 1000));
  return {
    ...{ job: name, uid, start, end },
    duration: formatSeconds(seconds),
    result: state === "failed" ? "Failed" : "Succeeded",
    ...(reason !== undefined && { reason }),
    ...{ image, type },
  };
}
