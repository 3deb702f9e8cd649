import type { Clock } from "@keelson/core";
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
  const askedMs = parseDuration(new URLSearchParams(path.split("?")[1]).get("timeout"));
  const timeoutMs = Math.min(askedMs ?? fallbackMs, maxTimeoutMs);
  const marginMs = Math.min(1_000, Math.max(100, timeoutMs / 10));
  return Math.max(1, timeoutMs - marginMs);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration as Go writes it, such as `1m30s`; undefined for anything else. */
function parseDuration(text: string | null): number | undefined {
  if (text === null || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit = ""] of text.matchAll(/([\d.]+)([a-z]+)/g)) {
    totalMs += Number(amount) * (unitMs[unit] ?? 0);
  }
  return totalMs > 0 ? totalMs : undefined;
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
