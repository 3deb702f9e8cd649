import { formatTime } from "keelson";
import { formatDurationMs } from "keelson/low-level";
import type { BackUp } from "../api/back-up.ts";
import type { Retain } from "../api/spec.ts";
import type { HistoryEntry, Result, RunningEntry } from "../api/status.ts";
import { revisionOf } from "./resources/revision.ts";
import { isFinished, type Run } from "./run.ts";

/** Runs that have ended and that the status does not tell of yet. */
export function newlyFinished({ status }: BackUp, runs: readonly Run[]): readonly Run[] {
  const known = new Set(status?.history?.map(({ uid }) => uid));
  return runs.filter((run) => isFinished(run) && !known.has(run.uid));
}

/** Runs that the status tells of as under way, and whose Jobs are not there. */
export function vanishedFrom({ status }: BackUp, runs: readonly Run[]): readonly RunningEntry[] {
  const known = new Set([...runs, ...(status?.history ?? [])].map(({ uid }) => uid));
  return (status?.running ?? []).filter(({ uid }) => !known.has(uid));
}

/** What the status tells of runs whose workers have started. */
export function runningOf(runs: readonly Run[]): readonly RunningEntry[] {
  return runs
    .filter(({ state }) => state === "running")
    .map(({ name, uid, start, image, type, revision = "" }) => ({
      ...{ job: name, uid, start, image, type, revision },
    }));
}

/** Of a run that came to its end. */
export interface Verdict extends HistoryEntry {
  readonly result: "Succeeded" | "Failed";
}

export function lastVerdict(history: readonly HistoryEntry[]): Verdict | undefined {
  return history.find(isVerdict);
}

function isVerdict(entry: HistoryEntry): entry is Verdict {
  return entry.result === "Succeeded" || entry.result === "Failed";
}

export interface Ended {
  readonly runs: readonly Run[];
  /** Runs that were under way, and whose Jobs are gone for certain. */
  readonly gone: readonly RunningEntry[];
  readonly nowMs: number;
}

/**
 * The history with those that were not in it, newest first: so many of each result as are to be retained, and every one
 * whose Job is still there. So a run whose Job is there and that is not in the history has not been counted yet.
 */
export function historyWith(backup: BackUp, { runs, gone, nowMs }: Ended): readonly HistoryEntry[] {
  const entries = [
    ...newlyFinished(backup, runs).map(entryOf),
    ...gone.map((entry) => entryOfGone(backup, entry, nowMs)),
    ...(backup.status?.history ?? []),
  ];
  const present = new Set(runs.map(({ uid }) => uid));
  const newestFirst = entries.toSorted((a, b) => (a.end === b.end ? 0 : a.end < b.end ? 1 : -1));
  const retained = retainedOf(newestFirst, backup.spec.retain);
  return newestFirst.filter((entry) => present.has(entry.uid) || retained.has(entry));
}

/** Of runs that did not come to their end as many are kept as of those that failed. */
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

/** What is under way is ended by the operator only where updatePolicy says so; else it was somebody else. */
function entryOfGone(backup: BackUp, { revision, ...entry }: RunningEntry, nowMs: number): HistoryEntry {
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
