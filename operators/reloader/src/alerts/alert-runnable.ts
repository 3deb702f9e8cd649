import { type Client, find, type Manager } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import type { Runnable } from "keelson/manager";
import type { ReloaderSettings } from "../settings.ts";
import type { AlertQueue } from "./alert-queue.ts";
import type { ReadSecret } from "./alert-url.ts";
import type { SendPost } from "./timed-post.ts";

/** Sends the alerts of a queue for as long as a manager leads. */
export function alertRunnable(
  queue: AlertQueue,
  { liveClient, clock, random, log, events }: Manager,
  settings: Pick<
    ReloaderSettings,
    "alertWebhookProxy" | "alertAdditionalInfo" | "alertTimeout" | "alertAttempts"
  >,
  sendPost: SendPost,
): Runnable {
  return {
    name: "alerts",
    run: (signal) =>
      queue.run(signal, {
        ...{ sendPost, clock, random, log, events },
        readSecret: secretReader(liveClient),
        proxyUrl: settings.alertWebhookProxy,
        additionalInfo: settings.alertAdditionalInfo?.trim(),
        timeoutMs: settings.alertTimeout,
        attempts: settings.alertAttempts,
      }),
  };
}

/** Reads one Secret when it is needed, from the server: the cache keeps hashes only. */
export function secretReader(client: Client): ReadSecret {
  return async (key, signal) => {
    const secret = await find(client, Secret, key, { signal });
    return secret === undefined ? undefined : (secret.data ?? {});
  };
}
