import { type Clock, parseDurationMs } from "@keelson/core";
import { WebhookTimeoutError } from "./errors.ts";

/** What the API server waits if it does not say so. */
export const defaultTimeoutMs = 10_000;
/** The API server waits no longer for any webhook; whoever asks for more is somebody else. */
const maxTimeoutMs = 30_000;

/**
 * How long a handler may take: what the API server waits, as it says in the query (`timeout=10s`), less a tenth, at
 * least 100 ms and at most 1 s, so that the answer which says that time is up still arrives. Never more than 29 s.
 */
export function handlerLimitMs(path: string, fallbackMs: number): number {
  const askedMs = parseDurationMs(new URLSearchParams(path.split("?")[1]).get("timeout") ?? "") ?? 0;
  const timeoutMs = Math.min(askedMs > 0 ? askedMs : fallbackMs, maxTimeoutMs);
  const marginMs = Math.min(1_000, Math.max(100, timeoutMs / 10));
  return Math.max(1, timeoutMs - marginMs);
}

/** A signal that aborts when the time is up or the caller has gone. Must be disposed of. */
export interface CallDeadline extends Disposable {
  readonly signal: AbortSignal;
}

export function startCallDeadline(
  clock: Clock,
  {
    path,
    limitMs,
    caller,
  }: { readonly path: string; readonly limitMs: number; readonly caller: AbortSignal },
): CallDeadline {
  const controller = new AbortController();
  const cancel = clock.schedule(limitMs, () => controller.abort(new WebhookTimeoutError(path, limitMs)));
  return { signal: AbortSignal.any([controller.signal, caller]), [Symbol.dispose]: cancel };
}
