import { createClient } from "@keelson/client";
import { systemClock } from "@keelson/core";
import { silentLogger } from "../../src/logger.ts";
import type { WebhookCall } from "../../src/webhook/webhook-call.ts";
import { WebhookServer, type WebhookServerOptions } from "../../src/webhook/webhook-server.ts";
import { silentTransport } from "./controller-world.ts";

/** A client for functions that do not use it: its calls wait until they are aborted. */
const unusedClient = createClient({ transport: silentTransport });

/** A server of webhooks that make no calls. */
export function webhookServer(options: Partial<WebhookServerOptions> = {}): WebhookServer {
  return new WebhookServer({ client: unusedClient, ...options });
}

/** What a function of a webhook is given, for a test without a server. */
export function webhookCall(given: Partial<WebhookCall> = {}): WebhookCall {
  return {
    client: unusedClient,
    liveClient: unusedClient,
    clock: systemClock,
    log: silentLogger,
    signal: new AbortController().signal,
    ...given,
  };
}
