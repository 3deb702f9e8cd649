import { mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "@keelson/core";
import { Guardian } from "../process/guardian.ts";
import type { Platform } from "./platform.ts";
import type { Release } from "./release.ts";

/** What a source of programs gets to work with. */
export interface Installation {
  readonly release: Release;
  readonly platform: Platform;
  readonly env: NodeJS.ProcessEnv;
  /** Where to put the five programs. It exists, is empty, and is deleted after a failure. */
  readonly staging: string;
  /** Watches the processes that the source starts; they die with this process. */
  readonly guardian: Guardian;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** A source cannot give the programs here; the next one is tried. */
export class SourceFailure extends Error {
  override readonly name = "SourceFailure";
}

/**
 * Lets `fill` put files into a folder beside `target` and then renames it, so `target` exists complete or not at all:
 * after an exception, an abort, or the death of this process nothing half-made is left.
 */
export async function installAtomically(
  target: string,
  fill: (staging: string, guardian: Guardian) => Promise<void>,
): Promise<void> {
  const staging = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  const guardian = new Guardian(staging);
  try {
    await fill(staging, guardian);
    await rm(target, { recursive: true, force: true });
    await rename(staging, target).catch((error: unknown) => {
      // Another holder of the lock was faster, and what it put there is as good.
      const isThere = errorCode(error) === "ENOTEMPTY" || errorCode(error) === "EEXIST";
      if (!isThere) throw error;
    });
  } finally {
    await guardian.dismiss();
  }
}
