import type { Random } from "@keelson/core";

const firstDelayMs = 800;
const longestDelayMs = 30_000;
const growth = 2;
/** After this long without a failure the server counts as healthy again. */
const forgetAfterMs = 120_000;

/** The state of a back-off: how long the next wait is at least, and when the last failure was. */
export interface Backoff {
  readonly nextDelayMs: number;
  /** Undefined until the first failure. */
  readonly lastFailureMs: number | undefined;
}

export const freshBackoff: Backoff = { nextDelayMs: firstDelayMs, lastFailureMs: undefined };

/**
 * How long to wait after a failure, and the back-off for the failure after it [RF13]: 800 ms, doubled each time up to
 * 30 s, and back to 800 ms after two minutes without one. Each wait is drawn from [d, 2d), so that clients that lost
 * the same server do not come back together.
 */
export function afterFailure(
  backoff: Backoff,
  { nowMs, random }: { readonly nowMs: number; readonly random: Random },
): { readonly delayMs: number; readonly backoff: Backoff } {
  const { lastFailureMs } = backoff;
  const isForgotten = lastFailureMs === undefined || nowMs - lastFailureMs >= forgetAfterMs;
  const baseMs = isForgotten ? firstDelayMs : backoff.nextDelayMs;
  return {
    delayMs: baseMs + random.next() * baseMs,
    backoff: { nextDelayMs: Math.min(baseMs * growth, longestDelayMs), lastFailureMs: nowMs },
  };
}
