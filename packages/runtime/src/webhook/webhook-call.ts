import { type Caller, type Client, withSignal } from "@keelson/client";
import { type Clock, parseDurationMs } from "@keelson/core";
import { CacheNotStartedError, CacheStoppedError } from "../cache/errors.ts";
import type { Logger } from "../logger.ts";
import { WebhookTimeoutError } from "./errors.ts";

/** What the functions of every webhook are given. Plain data and functions, so that a test can make one. */
export interface WebhookCall {
  /**
   * Reads from the cache and writes, whether this replica leads or not; its calls end with `signal`. What it is used for
   * must be declared by `uses`. A conversion must not read a kind that it converts: the cache waits for its own list,
   * and the list waits for the conversion.
   */
  readonly client: Client;
  /** The same, but reads from the server. */
  readonly liveClient: Client;
  readonly clock: Clock;
  /** Every line carries the path of the webhook and the uid of the request. */
  readonly log: Logger;
  /** Aborts when the API server is about to stop waiting for the response, or has. */
  readonly signal: AbortSignal;
}

/** What a server of webhooks has for the calls of all of them. */
export type WebhookCallDependencies = Omit<WebhookCall, "signal">;

/** Makes the call of one request; everything that it can be used for ends with the signal. */
export function makeWebhookCall(
  { client, liveClient, clock, log }: WebhookCallDependencies,
  { path, uid, signal }: { readonly path: string; readonly uid: string; readonly signal: AbortSignal },
): WebhookCall {
  return {
    client: withSignal(withLiveFallback(client, liveClient), () => signal),
    liveClient: withSignal(liveClient, () => signal),
    clock,
    log: log.with({ webhook: path, requestUid: uid }),
    signal,
  };
}

/**
 * While a manager stops, webhooks are served longer than the cache runs [MG2]; their reads then go to the server, so
 * that no user's request fails because a replica is replaced.
 */
function withLiveFallback(cached: Client, live: Client): Client {
  return cached.with(
    (next): Caller => ({
      ...next,
      json: async (call) => {
        try {
          return await next.json(call);
        } catch (error) {
          // Only reads fail so: a write goes to the server whether the cache runs or not.
          const isNotRunning = error instanceof CacheStoppedError || error instanceof CacheNotStartedError;
          if (!isNotRunning) throw error;
          return live.caller.json(call);
        }
      },
    }),
  );
}

/** How long the API server waits unless the request names a timeout. */
export const defaultTimeoutMs = 10_000;
/** The API server waits no longer than this for any webhook. */
const maxTimeoutMs = 30_000;

/**
 * How long a handler may take: the timeout of the API server, which is in the query (`timeout=10s`), less a tenth of it,
 * at least 100 ms and at most 1 s, so that the response about the timeout still arrives. Never more than 29 s.
 */
export function handlerLimitMs(path: string, fallbackMs: number): number {
  const requestedMs = parseDurationMs(new URLSearchParams(path.split("?")[1]).get("timeout") ?? "") ?? 0;
  const timeoutMs = Math.min(requestedMs > 0 ? requestedMs : fallbackMs, maxTimeoutMs);
  const marginMs = Math.min(1_000, Math.max(100, timeoutMs / 10));
  return Math.max(1, timeoutMs - marginMs);
}

/** A signal that aborts at the timeout or when the API server closes the request. Must be disposed of. */
export interface CallDeadline extends Disposable {
  readonly signal: AbortSignal;
}

/** Starts the deadline of one call. */
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
