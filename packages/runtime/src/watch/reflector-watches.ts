import type { FailureKind } from "./watch-failure.ts";

/** How a watch ended: `closed` by the server in its time, `abandoned` by this side, or by a failure. */
export type WatchOutcome = "closed" | "abandoned" | FailureKind;

/** How many watches have ended, by how: none yet. */
export function noWatches(): Record<WatchOutcome, number> {
  return {
    closed: 0,
    abandoned: 0,
    expired: 0,
    versionTooLarge: 0,
    tooManyRequests: 0,
    internal: 0,
    unreachable: 0,
    timeout: 0,
    garbled: 0,
    other: 0,
  };
}
