import { createHash } from "node:crypto";

/** What the time of the next rotation depends on. */
export interface LastRotation {
  /** When the value was last rotated. */
  readonly lastMs: number;
  readonly rotateSeconds: number;
  /** Of the SharedSecret. */
  readonly uid: string;
}

/**
 * When the next rotation is due: after nine to ten tenths of the period, so that the rotations of many SharedSecrets spread.
 * The part is not drawn but computed, so that every rotator comes to the same time, also after a restart.
 */
export function nextRotationMs({ lastMs, rotateSeconds, uid }: LastRotation): number {
  const digest = createHash("sha256").update(`${uid}/${lastMs}`).digest();
  const part = digest.readUInt32BE() / 2 ** 32;
  return lastMs + Math.round(rotateSeconds * 1000 * (0.9 + 0.1 * part));
}

const firstDelayMs = 1_000;
const longestDelayMs = 300_000;

/** How long to wait after so many failures in a row: 1 s, 2 s, 4 s, and 5 min at most. */
export function retryDelayMs(failures: number): number {
  return Math.min(firstDelayMs * 2 ** Math.min(Math.max(failures - 1, 0), 30), longestDelayMs);
}
