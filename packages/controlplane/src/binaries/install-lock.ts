import { mkdir, open, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, sleep, systemClock } from "@keelson/core";

const heartbeatMs = 1_000;
/** A holder that has not touched its lock for so long has ended. */
const staleMs = 10_000;

/**
 * Runs `work` while no other process runs work under the same lock file. The holder touches the file once a second;
 * one that was killed is recognised by a file that no process touches, which also holds across containers, where process
 * numbers mean nothing. Two holders are possible, after a machine has slept or when two find a dead holder's file at the
 * same time, so the work must bear it.
 */
export async function withInstallLock<T>(
  lockFile: string,
  onWait: () => void,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(lockFile), { recursive: true });
  await acquire(lockFile, onWait, signal);
  const heartbeat = setInterval(() => void touch(lockFile), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(lockFile, { force: true });
  }
}

async function acquire(lockFile: string, onWait: () => void, signal: AbortSignal | undefined): Promise<void> {
  while (!(await tryCreate(lockFile))) {
    if (await isStale(lockFile)) {
      await rm(lockFile, { force: true });
      continue;
    }
    onWait();
    await sleep(systemClock, heartbeatMs / 4, signal);
  }
}

async function tryCreate(lockFile: string): Promise<boolean> {
  try {
    await (await open(lockFile, "wx")).close();
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function isStale(lockFile: string): Promise<boolean> {
  const found = await stat(lockFile).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

async function touch(lockFile: string): Promise<void> {
  const now = new Date();
  // Another process may have taken the lock for stale and removed it; two holders do no harm.
  await utimes(lockFile, now, now).catch(() => undefined);
}
