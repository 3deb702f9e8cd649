import { abortable } from "./abortable.ts";

/** Takes back what was scheduled; calling it late or twice does no harm. */
export type CancelTimer = () => void;

/**
 * Time, passed in from outside, so that a test can own it. Nothing in Keelson's libraries reads the machine's clock.
 */
export interface Clock {
  /** Milliseconds since 1970, for timestamps that leave the process. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since some fixed moment, for measuring durations. Never goes back. */
  monotonicNow(): number;
  /** Calls `callback` once, no earlier than `delayMs` from now. */
  schedule(delayMs: number, callback: () => void): CancelTimer;
  /**
   * Milliseconds of CPU time that this thread has used, for measuring work. Advances less than `monotonicNow` while the
   * thread waits, or while the machine does not let it run. Default: the clock does not measure it.
   */
  cpuNow?(): number;
}

/** Waits; throws the signal's reason as soon as it aborts. */
export async function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(delayMs, resolve);
  try {
    await abortable(promise, signal);
  } finally {
    cancel();
  }
}

const milliseconds = ".000Z";

/** The second that was last written, and how: objects of one moment are many. */
let lastSecond = Number.NaN;
let lastText = "";

/** The timestamp format of Kubernetes objects: RFC 3339, in UTC, whole seconds. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, -milliseconds.length)}Z`;
    lastSecond = second;
  }
  return lastText;
}
