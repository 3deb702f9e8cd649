import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isRecord } from "@keelson/core";
import { type Journal, type JournalEntry, replay, type StoreSnapshot } from "@keelson/sandbox";
import { UnreadableDataError } from "./errors.ts";
import { makeFolder, releaseLock, takeLock } from "./folder-lock.ts";

const lockFile = "lock";
const snapshotFile = "snapshot.json";
const journalFile = "journal.jsonl";

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
const emptyAndAppend = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;

/**
 * Keeps a store in a folder: a snapshot, and every write since as a line. Only one process at a time may have it. A line
 * that a crash cut short is left out: its response was never sent.
 */
export class FolderJournal implements Journal, Disposable {
  readonly snapshot: StoreSnapshot | undefined;
  readonly #folder: string;
  readonly #journal: number;
  /** How many bytes are written to the end of a line. */
  #length = 0;

  constructor(folder: string) {
    makeFolder(folder);
    this.#folder = folder;
    takeLock(join(folder, lockFile));
    try {
      this.snapshot = replay(
        readSnapshot(join(folder, snapshotFile)),
        readEntries(join(folder, journalFile)),
      );
      // What is replayed once need not be replayed again; the new snapshot is whole before the old journal goes.
      if (this.snapshot !== undefined) replaceFile(join(folder, snapshotFile), JSON.stringify(this.snapshot));
      this.#journal = openSync(join(folder, journalFile), emptyAndAppend, 0o600);
    } catch (error) {
      releaseLock(join(folder, lockFile));
      throw error;
    }
  }

  append(entry: JournalEntry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    try {
      writeFileSync(this.#journal, line);
    } catch (error) {
      // What a full disk took of it would spoil the next line.
      ftruncateSync(this.#journal, this.#length);
      throw error;
    }
    this.#length += line.length;
  }

  [Symbol.dispose](): void {
    fsyncSync(this.#journal);
    closeSync(this.#journal);
    releaseLock(join(this.#folder, lockFile));
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

/** Writes a file that only its owner may read. A reader, after a crash too, finds the old text or the new one. */
export function replaceFile(path: string, text: string | Uint8Array): void {
  const written = openSync(`${path}.new`, "w", 0o600);
  try {
    writeFileSync(written, text);
    fsyncSync(written);
  } finally {
    closeSync(written);
  }
  renameSync(`${path}.new`, path);
}
