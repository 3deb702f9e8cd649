import { existsSync, mkdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "@keelson/core";
import { FolderInUseError, UnreadableDataError } from "./errors.ts";

/** The locks that this process has. */
const ownLocks = new Set<string>();

/**
 * Takes the lock, or throws a FolderInUseError. It is a link that leads to the id of its process: so it names its owner as
 * soon as it exists. One whose process has ended does not count.
 */
export function takeLock(path: string): void {
  while (!tryMake(path, String(process.pid))) {
    const owner = ownerOf(path);
    if (owner === undefined) continue;
    if (!isGone(path, Number(owner))) throw new FolderInUseError(path, owner);
    removeLeftLock(path, owner);
  }
  ownLocks.add(path);
}

export function releaseLock(path: string): void {
  rmSync(path, { force: true });
  ownLocks.delete(path);
}

/** Removes the lock of a process that has ended; a lock that another process has taken since is put back. */
export function removeLeftLock(path: string, owner: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  const moved = ownerOf(aside);
  rmSync(aside, { force: true });
  if (moved !== undefined && moved !== owner) tryMake(path, moved);
}

/** False if there is one already. */
function tryMake(path: string, owner: string): boolean {
  try {
    symlinkSync(owner, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Undefined if there is no lock. */
function ownerOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw errorCode(error) === "EINVAL" ? notALock(path, error) : error;
  }
}

function notALock(path: string, cause: unknown): UnreadableDataError {
  return new UnreadableDataError(path, "it is not a lock of ours", { cause });
}

function isGone(path: string, owner: number): boolean {
  // In a container the next process often has the id of the last one.
  return owner === process.pid ? !ownLocks.has(path) : !isAlive(owner);
}

function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // It exists, and another process holds it.
    return errorCode(error) === "EPERM";
  }
}

/**
 * Makes a folder that only its owner may use, and those above it that are missing. Node's own way to do so tries for ever
 * where a folder takes no other, such as /proc.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === "EEXIST" && statSync(path).isDirectory()) return;
    if (errorCode(error) !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}
