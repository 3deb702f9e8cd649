import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@keelson/core";
import { type JournalEntry, replay, type StoredEntry, type StoreSnapshot } from "@keelson/sandbox";
import type { Damage } from "./errors.ts";
import { formatRecord, type ReadRecord, readRecords } from "./record-file.ts";

/** Every object at one revision: record 0 has the revision and the number of objects, which follow as records 1, 2, … */
export const snapshotFile = "snapshot.jsonl";
/** Every write after the snapshot: record N has the write that made revision N; the first record has only the format. */
export const journalFile = "journal.jsonl";

const snapshotFormat = "keelson snapshot 1";
const journalFormat = "keelson journal 1";

/** The revision of a store without writes. */
const firstRevision = 1;

/** What a data folder holds. */
export interface FolderContent {
  /** The state after the last write that can be trusted; undefined for a new folder. */
  readonly snapshot: StoreSnapshot | undefined;
  /** Whether the snapshot's file has that state already. */
  readonly isSaved: boolean;
  /** The line of the journal that a process did not write to its end. Its response was never sent. */
  readonly tornLine: number | undefined;
  /** What cannot be trusted. The state is without it. */
  readonly damages: readonly Damage[];
}

export function readDataFolder(folder: string): FolderContent {
  const saved = readSnapshot(join(folder, snapshotFile));
  const journal = readJournal(join(folder, journalFile), saved);
  const snapshot = replay(saved?.snapshot, journal.entries);
  return {
    snapshot,
    isSaved: snapshot?.revision === saved?.snapshot.revision,
    tornLine: journal.tornLine,
    damages: [...(saved?.damages ?? []), ...journal.damages],
  };
}

export function* formatSnapshot({ revision, objects }: StoreSnapshot): Generator<string> {
  yield formatRecord(0, { format: snapshotFormat, revision, objects: objects.length });
  for (const [index, object] of objects.entries()) yield formatRecord(index + 1, object);
}

/** The first line of a journal that continues a snapshot. */
export function formatJournalStart(snapshot: StoreSnapshot | undefined): string {
  return formatRecord(snapshot?.revision ?? firstRevision, { format: journalFormat });
}

export function formatJournalEntry(entry: JournalEntry): string {
  return formatRecord(entry.revision, entry);
}

interface SavedSnapshot {
  readonly snapshot: StoreSnapshot;
  readonly damages: readonly Damage[];
}

/** The objects of a snapshot's intact records: each is whole, whatever the others are. Undefined if there is no file. */
function readSnapshot(path: string): SavedSnapshot | undefined {
  if (!existsSync(path)) return undefined;
  const [start, ...records] = readRecords(readFileSync(path));
  const damages: Damage[] = [];
  const header = start?.state === "intact" && isSnapshotHeader(start.value) ? start.value : undefined;
  if (header === undefined) damages.push({ path, line: 1, problem: problemOf(start, "a snapshot") });
  const objects: StoredEntry[] = [];
  for (const record of records) {
    if (record.state === "intact" && isStoredEntry(record.value)) objects.push(record.value);
    else damages.push({ path, line: record.line, problem: problemOf(record, "an object") });
  }
  if (header !== undefined && damages.length === 0 && objects.length !== header.objects) {
    const problem = `it ends after ${objects.length} of ${header.objects} objects`;
    damages.push({ path, line: records.length + 1, problem });
  }
  const revisions = objects.map(({ object }) => Number(object.metadata.resourceVersion));
  const revision = header?.revision ?? revisions.reduce((one, other) => Math.max(one, other), firstRevision);
  return { snapshot: { revision, objects }, damages };
}

interface SavedJournal {
  readonly entries: readonly JournalEntry[];
  readonly tornLine: number | undefined;
  readonly damages: readonly Damage[];
}

/** The writes up to the first record that is damaged. */
function readJournal(path: string, saved: SavedSnapshot | undefined): SavedJournal {
  const entries: JournalEntry[] = [];
  const unreadable = (line: number | undefined, problem: string): SavedJournal => {
    const damage = line === undefined ? { path, problem } : { path, line, problem };
    return { entries, tornLine: undefined, damages: [damage] };
  };
  if (!existsSync(path)) {
    if (saved === undefined) return { entries, tornLine: undefined, damages: [] };
    return unreadable(undefined, "it is missing");
  }
  const [start, ...records] = readRecords(readFileSync(path));
  if (start?.state !== "intact" || !isJournalHeader(start.value))
    return unreadable(1, problemOf(start, "the start of a journal"));
  let tornLine: number | undefined;
  for (const record of records) {
    if (record.state === "torn") tornLine = record.line;
    else if (record.state === "intact" && isJournalEntry(record.value)) entries.push(record.value);
    else return unreadable(record.line, problemOf(record, "a write"));
  }
  const problem = mismatch(start.sequence, entries.at(-1)?.revision ?? start.sequence, saved);
  return problem === undefined ? { entries, tornLine, damages: [] } : unreadable(undefined, problem);
}

/** Why the writes do not continue the snapshot. It may be newer than their start: a crash came before the next journal. */
function mismatch(first: number, last: number, saved: SavedSnapshot | undefined): string | undefined {
  const revision = saved?.snapshot.revision ?? firstRevision;
  if (first > revision) {
    const found = saved === undefined ? "is missing" : `ends with revision ${revision}`;
    return `it continues revision ${first}, but ${snapshotFile} ${found}`;
  }
  return last < revision ? `it ends with revision ${last}, ${snapshotFile} with ${revision}` : undefined;
}

function problemOf(record: ReadRecord | undefined, expected: string): string {
  if (record?.state === "damaged") return record.problem;
  return record?.state === "torn" ? "it is incomplete" : `it is not ${expected}`;
}

function isSnapshotHeader(value: unknown): value is { readonly revision: number; readonly objects: number } {
  if (!isRecord(value) || value.format !== snapshotFormat) return false;
  return typeof value.revision === "number" && typeof value.objects === "number";
}

function isJournalHeader(value: unknown): boolean {
  return isRecord(value) && value.format === journalFormat;
}

function isStoredEntry(value: unknown): value is StoredEntry {
  if (!isRecord(value) || typeof value.collection !== "string") return false;
  return typeof value.key === "string" && isRecord(value.object) && isRecord(value.object.metadata);
}

function isJournalEntry(value: unknown): value is JournalEntry {
  if (!isRecord(value) || typeof value.revision !== "number" || typeof value.key !== "string") return false;
  return typeof value.collection === "string" && (value.object === null || isRecord(value.object));
}
