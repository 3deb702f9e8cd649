import type { Clock } from "@keelson/core";

/**
 * Whether the promise settles within the time and before the signal aborts: 0 does not wait, a negative time is for ever
 * [MG3].
 */
export async function endsWithin(
  clock: Clock,
  ms: number,
  promise: Promise<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  if (ms === 0 || signal.aborted) return false;
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  const giveUp = (): void => resolve(false);
  const cancel = ms < 0 ? () => undefined : clock.schedule(ms, giveUp);
  signal.addEventListener("abort", giveUp, { once: true });
  promise.then(
    () => resolve(true),
    () => resolve(true),
  );
  try {
    return await ended;
  } finally {
    cancel();
    signal.removeEventListener("abort", giveUp);
  }
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
