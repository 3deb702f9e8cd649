import { type Clock, KeelsonError } from "keelson";
import { absent, type ResourceChange } from "../reload/reload-request.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import { attemptWithin, post, type SendPost } from "./timed-post.ts";

/** Upstream's. */
const timeoutMs = 30_000;
const userAgent = "Reloader/2.0";
const resourceTypes = {
  ConfigMap: "configmap",
  Secret: "secret",
  SecretProviderClass: "secretproviderclass",
};

/** Changes of a workload that an endpoint of the administrator handles instead of the operator. */
export interface WebhookReload {
  readonly url: string;
  readonly workload: WorkloadRef;
  readonly changes: readonly ResourceChange[];
  /** RFC 3339. */
  readonly time: string;
}

/** The endpoint did not accept a change, which is to be sent again. The message does not contain the URL. */
export class ReloadWebhookError extends KeelsonError {
  static override readonly brand: string = "@keelson/reloader.ReloadWebhookError";
  readonly code = "RELOAD_WEBHOOK_FAILED";
}

/**
 * Sends the changes of one workload to the endpoint of the setting `webhookUrl`, one POST for each with upstream's body.
 * The administrator has chosen the endpoint, so it may have any address. Throws a ReloadWebhookError unless every response
 * is a 2xx, or the signal's reason.
 */
export async function callReloadWebhook(
  reload: WebhookReload,
  { sendPost, clock }: { readonly sendPost: SendPost; readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  for (const change of reload.changes) {
    const body = webhookBody(reload, change);
    const attempt = await attemptWithin(timeoutMs, clock, signal, (either) =>
      post(sendPost, { url: reload.url, userAgent, body, signal: either }),
    );
    if (!attempt.isSent) throw new ReloadWebhookError(`call the webhook of reloads: ${attempt.problem}`);
  }
}

function webhookBody(
  { workload, time }: WebhookReload,
  { resource, to, upstreamHash }: ResourceChange,
): string {
  return JSON.stringify({
    kind: resourceTypes[resource.kind],
    namespace: resource.namespace,
    resourceName: resource.name,
    resourceType: resourceTypes[resource.kind],
    hash: upstreamHash ?? (to === absent ? "" : to),
    timestamp: time,
    workloads: [{ kind: workload.kind, name: workload.name, namespace: workload.namespace }],
  });
}
