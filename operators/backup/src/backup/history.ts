import { formatTime } from "keelson";
import { formatDurationMs } from "keelson/low-level";
import type { BackUp } from "../api/back-up.ts";
import type { Retain } from "../api/spec.ts";
import type { HistoryEntry, Result, RunningEntry } from "../api/status.ts";
import { revisionOf } from "./resources/revision.ts";
import { isFinished, type Run } from "./run.ts";

/** Runs that have finished and that the status does not record yet. */
export function newlyFinished({ status }: BackUp, runs: readonly Run[]): readonly Run[] {
  const known = new Set(status?.history?.map(({ uid }) => uid));
  return runs.filter((run) => isFinished(run) && !known.has(run.uid));
}

/** The entries of the status for runs whose workers have started. */
export function runningOf(runs: readonly Run[]): readonly RunningEntry[] {
  return runs
    .filter(({ state }) => state === "running")
    .map(({ name, uid, start, image, type, revision = "" }) => ({
      ...{ job: name, uid, start, image, type, revision },
    }));
}

/** A run that was neither replaced nor deleted before it finished. */
export type FinishedEntry = HistoryEntry & { readonly result: "Succeeded" | "Failed" };

export function lastFinished(history: readonly HistoryEntry[]): FinishedEntry | undefined {
  return history.find(isFinishedEntry);
}

function isFinishedEntry(entry: HistoryEntry): entry is FinishedEntry {
  return entry.result === "Succeeded" || entry.result === "Failed";
}

/** What may add entries to the history. */
export interface EndedRuns {
  readonly runs: readonly Run[];
  /** Runs that were under way, and whose Jobs do not exist on the server. */
  readonly vanished: readonly RunningEntry[];
  readonly nowMs: number;
}

/**
 * The history with the runs that have ended since, newest first. It keeps as many entries of each result as `retain`
 * allows, and every entry whose Job still exists: so a run whose Job exists and that is not in the history has not been
 * counted yet.
 */
export function historyWith(backup: BackUp, { runs, vanished, nowMs }: EndedRuns): readonly HistoryEntry[] {
  const entries = [
    ...newlyFinished(backup, runs).map(entryOf),
    ...vanished.map((entry) => vanishedEntry(backup, entry, nowMs)),
    ...(backup.status?.history ?? []),
  ];
  const existing = new Set(runs.map(({ uid }) => uid));
  const newestFirst = entries.toSorted((a, b) => (a.end === b.end ? 0 : a.end < b.end ? 1 : -1));
  const retained = retainedOf(newestFirst, backup.spec.retain);
  return newestFirst.filter((entry) => existing.has(entry.uid) || retained.has(entry));
}

/** `retain.failed` also limits the number of runs that were replaced or deleted. */
function retainedOf(entries: readonly HistoryEntry[], retain: Retain): ReadonlySet<HistoryEntry> {
  const first = (count: number, ...results: readonly Result[]): readonly HistoryEntry[] =>
    entries.filter(({ result }) => results.includes(result)).slice(0, count);
  return new Set([
    ...first(retain.successful, "Succeeded"),
    ...first(retain.failed, "Failed"),
    ...first(retain.failed, "Replaced", "Deleted"),
  ]);
}

function entryOf({ name, uid, state, start, end = start, reason, image, type }: Run): HistoryEntry {
  return {
    ...{ job: name, uid, start, end },
    duration: durationOf(start, end),
    result: state === "failed" ? "Failed" : "Succeeded",
    ...(reason !== undefined && { reason }),
    ...{ image, type },
  };
}

/** The operator deletes a run that has started only with updatePolicy Replace; otherwise another client deleted it. */
function vanishedEntry(backup: BackUp, { revision, ...entry }: RunningEntry, nowMs: number): HistoryEntry {
  const isReplaced = backup.spec.updatePolicy === "Replace" && revision !== revisionOf(backup);
  const end = formatTime(nowMs);
  return {
    ...entry,
    end,
    duration: durationOf(entry.start, end),
    result: isReplaced ? "Replaced" : "Deleted",
  };
}

function durationOf(start: string, end: string): string {
  return formatDurationMs(Math.max(0, Date.parse(end) - Date.parse(start)));
}
