/** Returns when the signal aborts. Nothing else keeps the process alive. */
export async function until(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return;
  signal.addEventListener("abort", () => resolve(), { once: true });
  const keepAlive = setInterval(() => undefined, 60_000);
  await promise;
  clearInterval(keepAlive);
}
