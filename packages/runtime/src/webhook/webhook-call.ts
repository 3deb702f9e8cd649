import type { Caller, Client } from "@keelson/client";
import type { Clock } from "@keelson/core";
import { CacheNotStartedError, CacheStoppedError } from "../cache/errors.ts";
import { withSignal } from "../controller/run-client.ts";
import type { Logger } from "../logger.ts";

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
