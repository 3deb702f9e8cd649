import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Journal, JournalEntry, StoreSnapshot } from "@keelson/sandbox";
import { DamagedDataError, placeOf } from "./errors.ts";
import { makeFolder, releaseLock, takeLock } from "./folder-lock.ts";
import {
  type FolderContent,
  formatJournalEntry,
  formatJournalStart,
  formatSnapshot,
  journalFile,
  readDataFolder,
  snapshotFile,
} from "./read-data-folder.ts";

export interface FolderJournalOptions {
  /** Whether each write is on the disk when `append` returns, and survives a power loss. Default: false. */
  readonly fsync?: boolean;
  /** Whether what cannot be trusted is left out and kept aside. Default: the folder is refused. */
  readonly repair?: boolean;
}

const lockFile = "lock";

/** How many characters of a snapshot are written at once. */
const pieceLength = 1 << 20;

/**
 * Clients may have seen revisions that a repair leaves out: none of them may come again with another content.
 * etcdctl's `--bump-revision` is for the same.
 */
const revisionsLeftOut = 1_000_000;

/**
 * Persists a store in a folder, which one process at a time may use. When `append` returns, the write survives the end of
 * the process, however it ends; with `fsync` a power loss, too. A record that a crash cut short is cut off. Everything else
 * that was not written so is refused by a DamagedDataError, or left out by `repair`.
 */
export class FolderJournal implements Journal, Disposable {
  readonly snapshot: StoreSnapshot | undefined;
  /** What was cut off or left out, for the user. */
  readonly notices: readonly string[];
  readonly #folder: string;
  readonly #journal: number;
  readonly #fsync: boolean;
  /** How many bytes are written to the end of a line. */
  #length: number;

  constructor(folder: string, { fsync = false, repair = false }: FolderJournalOptions = {}) {
    makeFolder(folder);
    this.#folder = folder;
    this.#fsync = fsync;
    takeLock(join(folder, lockFile));
    try {
      const content = readDataFolder(folder);
      const [damage] = content.damages;
      if (damage !== undefined && !repair) throw new DamagedDataError(damage, content.snapshot);
      this.notices = [...tornNotices(folder, content), ...(repair ? keepAside(folder, content) : [])];
      this.snapshot = damage === undefined ? content.snapshot : repaired(content.snapshot);
      // The new snapshot is whole before the old journal goes: after a crash between them, the journal holds no more than it.
      if (this.snapshot !== undefined && !(content.isSaved && damage === undefined))
        replaceFile(join(folder, snapshotFile), formatSnapshot(this.snapshot));
      const start = formatJournalStart(this.snapshot);
      replaceFile(join(folder, journalFile), [start]);
      this.#length = Buffer.byteLength(start);
      this.#journal = openSync(join(folder, journalFile), constants.O_WRONLY | constants.O_APPEND);
    } catch (error) {
      releaseLock(join(folder, lockFile));
      throw error;
    }
  }

  append(entry: JournalEntry): void {
    const line = Buffer.from(formatJournalEntry(entry));
    try {
      writeFileSync(this.#journal, line);
      if (this.#fsync) fdatasyncSync(this.#journal);
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

function repaired(snapshot: StoreSnapshot | undefined): StoreSnapshot {
  const { revision, objects } = snapshot ?? { revision: 1, objects: [] };
  return { revision: revision + revisionsLeftOut, objects };
}

function tornNotices(folder: string, { tornLine }: FolderContent): readonly string[] {
  if (tornLine === undefined) return [];
  return [
    `${join(folder, journalFile)}:${tornLine}: cut off a write that was not completed when the process ended`,
  ];
}

/** Copies the damaged files, so that a repair destroys nothing. Returns what the user must know. */
function keepAside(folder: string, { damages, snapshot }: FolderContent): readonly string[] {
  if (damages.length === 0) return [`${folder}: nothing to repair`];
  const copies = [...new Set(damages.map(({ path }) => path))].filter((path) => existsSync(path)).map(copy);
  return [
    ...damages.map((damage) => `${placeOf(damage)}: ${damage.problem}`),
    `${folder}: repaired, with ${snapshot?.objects.length ?? 0} objects of revision ${snapshot?.revision ?? 0}` +
      (copies.length === 0 ? "" : `; what was damaged is kept in ${copies.join(" and ")}`),
  ];
}

function copy(path: string): string {
  let number = 1;
  while (existsSync(`${path}.damaged-${number}`)) number += 1;
  copyFileSync(path, `${path}.damaged-${number}`);
  return basename(`${path}.damaged-${number}`);
}

/** Writes a file that only its owner may read. A reader, after a crash too, finds the old content or the new one. */
export function replaceFile(path: string, content: Iterable<string> | Uint8Array): void {
  const written = openSync(`${path}.new`, "w", 0o600);
  try {
    if (content instanceof Uint8Array) writeFileSync(written, content);
    else for (const piece of pieces(content)) writeFileSync(written, piece);
    fsyncSync(written);
  } finally {
    closeSync(written);
  }
  renameSync(`${path}.new`, path);
  syncFolder(dirname(path));
}

/** The same text in fewer strings, none of which is too long for the engine. */
function* pieces(lines: Iterable<string>): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

/** A renamed file survives a power loss when its folder is on the disk. Windows has no such call. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const opened = openSync(folder, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
