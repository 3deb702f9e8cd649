/** Calls `action` when the signal aborts, at once if it has; the result takes the listener away again. */
export function onAbort(signal: AbortSignal | undefined, action: () => void): Disposable {
  if (signal?.aborted) action();
  else signal?.addEventListener("abort", action, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", action) };
}

/** Waits; throws the signal's reason as soon as it aborts. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  using _ = onAbort(signal, resolve);
  await promise;
  clearTimeout(timer);
  signal?.throwIfAborted();
}
