import { isRecord, type OutgoingPost, type PostResponse } from "@keelson/core";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { WebhookCaller, WebhookService, WebhookTarget } from "../resource/webhook-caller.ts";
import { networkProblem } from "./network-problem.ts";

interface Address {
  readonly url: string;
  readonly serverName?: string;
}

/**
 * Calls webhooks at their URL, or at the endpoints of their Service. Services have no network here, so a Service with a
 * selector is called at its first ready endpoint.
 */
export function webhookCaller(sendPost: SendPost, read: StoredObjects): WebhookCaller {
  return async ({ target, caBundle, body, signal }) => {
    const certificateAuthority =
      caBundle === undefined ? undefined : Buffer.from(caBundle, "base64").toString();
    const post: OutgoingPost = {
      ...addressOf(target, read),
      ...(certificateAuthority !== undefined && { certificateAuthority }),
      body,
      signal,
    };
    try {
      return await sendPost(post);
    } catch (error) {
      throw new Error(networkProblem(error), { cause: error });
    }
  };
}

function addressOf(target: WebhookTarget, read: StoredObjects): Address {
  if ("url" in target) return { url: target.url };
  const { service, path } = target;
  const host = hostOf(service, read);
  return { url: `https://${host}${path}`, serverName: `${service.name}.${service.namespace}.svc` };
}

function hostOf({ namespace, name, port }: WebhookService, read: StoredObjects): string {
  const service = read.get({ group: "", plural: "services" }, name, namespace);
  if (service === undefined) throw new Error(`service "${name}" not found`);
  const { spec } = service;
  if (isRecord(spec) && spec.type === "ExternalName") return `${String(spec.externalName)}:${port}`;
  const slices = read.list({ group: "discovery.k8s.io", plural: "endpointslices" }, namespace);
  for (const { metadata, endpoints, ports } of slices) {
    if (metadata.labels?.["kubernetes.io/service-name"] !== name || !Array.isArray(endpoints)) continue;
    const ready = endpoints.find((endpoint) => endpoint?.conditions?.ready !== false);
    const [address] = ready?.addresses ?? [];
    const targetPort = Array.isArray(ports) ? ports[0]?.port : undefined;
    if (address !== undefined) return `${address}:${targetPort ?? port}`;
  }
  throw new Error(`no endpoints available for service "${name}"`);
}

/** For a control plane that cannot call webhooks. */
export const sendNothing: SendPost = async ({ url }) => {
  throw new Error(`dial ${url}: this control plane was started without a way to call webhooks (sendPost)`);
};

/** Sends a JSON body over HTTPS; rejects if there is no response. */
export type SendPost = (post: OutgoingPost) => Promise<PostResponse>;
