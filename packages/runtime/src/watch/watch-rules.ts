import type { Random } from "@keelson/core";

/** How a watch machine behaves; the same for all its life. */
export interface WatchRules {
  /** What it watches, for messages, such as `watch pods in shop`. */
  readonly operation: string;
  /** Whether a sync first tries a watch-list. */
  readonly usesWatchList: boolean;
  /** Watches last between so long and twice as long; less than 300 s counts as 300 s [RF8]. */
  readonly watchTimeoutSeconds: number;
  /** How often the server sends bookmarks. */
  readonly bookmarkIntervalMs: number;
  /** For how long a watch that ends with an internal error is only opened again. 0: everything is read again [RF11]. */
  readonly internalErrorGraceMs: number;
}

/** What a step of the machine may depend on beside its state and input. */
export interface Moment {
  /** Of a clock that never goes back. */
  readonly nowMs: number;
  readonly random: Random;
  readonly rules: WatchRules;
}

const leastTimeoutSeconds = 300;

/** How long the server is asked to keep a watch open: whole seconds, drawn anew for each, so that they spread [RF8]. */
export function pickTimeoutSeconds({ random, rules }: Moment): number {
  const least = Math.max(rules.watchTimeoutSeconds, leastTimeoutSeconds);
  return Math.floor(least + random.next() * least);
}
