import { type Clock, systemClock, type Transport } from "@keelson/core";
import { ApiClient } from "./api-client.ts";
import type { Client } from "./client.ts";
import { transportCaller } from "./request/caller.ts";
import type { OnServerWarning } from "./request/response.ts";
import { retryingTransport } from "./transport/retrying-transport.ts";

export interface ClientOptions {
  /** How to reach the API server; requests that are safe to repeat are repeated above it. */
  readonly transport: Transport;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Who is asking, in the API server's logs. Default `keelson`. */
  readonly userAgent?: string;
  /**
   * Is called with the server's warnings about calls that succeeded, such as a field that does not exist. What it throws
   * is ignored. Default: warnings are ignored.
   */
  readonly onWarning?: OnServerWarning;
  /** How long a call may take unless it says otherwise. Default 30 s. */
  readonly timeoutMs?: number;
}

/** Makes a client of the API server that the transport reaches. Closing the transport is its owner's work. */
export function createClient(options: ClientOptions): Client {
  const { transport, clock = systemClock, userAgent = "keelson", timeoutMs = 30_000 } = options;
  const { onWarning = () => undefined } = options;
  const retrying = retryingTransport(transport, clock);
  return new ApiClient(transportCaller({ transport: retrying, clock, userAgent, timeoutMs, onWarning }));
}
