import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isRecord } from "@keelson/core";
import { type Journal, type JournalEntry, replay, type StoreSnapshot } from "@keelson/sandbox";
import { FolderInUseError, UnreadableDataError } from "./errors.ts";

const lockFile = "lock";
const snapshotFile = "snapshot.json";
const journalFile = "journal.jsonl";

/** The locks that this process has. */
const ownLocks = new Set<string>();

/**
 * Keeps a store in a folder: a snapshot, and every write since as a line. Only one process at a time may have it. A line
 * that a crash cut short is left out: it was never answered.
 */
export class FolderJournal implements Journal, Disposable {
  readonly snapshot: StoreSnapshot | undefined;
  readonly #folder: string;
  readonly #journal: number;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    takeLock(join(folder, lockFile));
    try {
      this.snapshot = replay(
        readSnapshot(join(folder, snapshotFile)),
        readEntries(join(folder, journalFile)),
      );
      // What is replayed once need not be replayed again; the new snapshot is whole before the old journal goes.
      if (this.snapshot !== undefined) replaceFile(join(folder, snapshotFile), JSON.stringify(this.snapshot));
      this.#journal = openSync(join(folder, journalFile), "w", 0o600);
    } catch (error) {
      releaseLock(join(folder, lockFile));
      throw error;
    }
  }

  append(entry: JournalEntry): void {
    writeSync(this.#journal, `${JSON.stringify(entry)}\n`);
  }

  [Symbol.dispose](): void {
    fsyncSync(this.#journal);
    closeSync(this.#journal);
    releaseLock(join(this.#folder, lockFile));
  }
}

/** The lock holds the id of its process; one whose process is gone counts for nothing. */
function takeLock(path: string): void {
  for (;;) {
    try {
      const lock = openSync(path, "wx", 0o600);
      writeSync(lock, String(process.pid));
      closeSync(lock);
      ownLocks.add(path);
      return;
    } catch (error) {
      if (!(isRecord(error) && error.code === "EEXIST")) throw error;
    }
    const owner = Number(readFileSync(path, "utf8"));
    // In a container the next process often has the id of the last one.
    const isGone = owner === process.pid ? !ownLocks.has(path) : !isAlive(owner);
    if (!isGone) throw new FolderInUseError(path, owner);
    rmSync(path, { force: true });
  }
}

function releaseLock(path: string): void {
  rmSync(path, { force: true });
  ownLocks.delete(path);
}

function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // It is there, and somebody else's.
    return isRecord(error) && error.code === "EPERM";
  }
}

function readSnapshot(path: string): StoreSnapshot | undefined {
  if (!existsSync(path)) return undefined;
  const snapshot = parse(path, readFileSync(path, "utf8"));
  if (!isSnapshot(snapshot)) throw new UnreadableDataError(path, "it is not a snapshot");
  return snapshot;
}

function readEntries(path: string): readonly JournalEntry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  // What follows on the last line break was never written to its end.
  lines.pop();
  return lines.map((line, index) => {
    const entry = parse(`${path}:${index + 1}`, line);
    if (!isEntry(entry)) throw new UnreadableDataError(`${path}:${index + 1}`, "it is not a write");
    return entry;
  });
}

function parse(place: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(place, error);
  }
}

function notJson(place: string, cause: unknown): UnreadableDataError {
  return new UnreadableDataError(place, "it is not JSON", { cause });
}

function isSnapshot(value: unknown): value is StoreSnapshot {
  return isRecord(value) && typeof value.revision === "number" && Array.isArray(value.objects);
}

function isEntry(value: unknown): value is JournalEntry {
  return isRecord(value) && typeof value.revision === "number" && typeof value.key === "string";
}

function replaceFile(path: string, text: string): void {
  const written = openSync(`${path}.new`, "w", 0o600);
  writeSync(written, text);
  fsyncSync(written);
  closeSync(written);
  renameSync(`${path}.new`, path);
}
