/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** Waits for the promise; throws the signal's reason as soon as it aborts, and ignores how the promise settles then. */
export async function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    // It has no waiter any more, so its failure would be an unhandled rejection.
    promise.catch(() => undefined);
    throw signal.reason;
  }
  const { promise: onAborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, onAborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
