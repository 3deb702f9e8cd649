/** Calls `action` when the signal aborts, at once if it has; the result takes the listener away again. */
export function onAbort(signal: AbortSignal | undefined, action: () => void): Disposable {
  if (signal?.aborted) action();
  else signal?.addEventListener("abort", action, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", action) };
}
