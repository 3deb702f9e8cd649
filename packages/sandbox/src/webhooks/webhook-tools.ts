import type { Clock, Random } from "@keelson/core";
import type { Authorize } from "../auth/access.ts";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import type { StoredObjects } from "../resource/strategy.ts";
import type { WebhookCaller } from "../resource/webhook-caller.ts";

/** What it takes to ask admission webhooks. */
export interface WebhookTools {
  readonly callWebhook: WebhookCaller;
  readonly registry: ResourceRegistry;
  readonly read: StoredObjects;
  readonly authorize: Authorize;
  readonly clock: Clock;
  readonly random: Random;
}
