import {
  abortable,
  type Clock,
  isRecord,
  type OutgoingPost,
  PostError,
  type PostResponse,
} from "@keelson/core";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { WebhookCaller, WebhookClientConfig, WebhookService } from "../resource/webhook-caller.ts";
import { networkProblem } from "./network-problem.ts";

const defaultPort = 443;

/** What calling webhooks works with. */
export interface CallerDependencies {
  readonly sendPost: SendPost;
  readonly read: StoredObjects;
  readonly clock: Clock;
}

/**
 * Calls webhooks at their URL, or at the endpoints of their Service. Services have no network here, so a Service with a
 * selector is called at its first ready endpoint.
 */
export function webhookCaller({ sendPost, read, clock }: CallerDependencies): WebhookCaller {
  return async ({ clientConfig, body, timeoutSeconds, signal }) => {
    const url = urlOf(clientConfig, timeoutSeconds);
    const deadline = new AbortController();
    const cancel = clock.schedule(timeoutSeconds * 1_000, () => deadline.abort());
    const either = AbortSignal.any([signal, deadline.signal]);
    try {
      const post = { url, ...routeOf(clientConfig, read), body, signal: either };
      return await abortable(sendPost(post), either);
    } catch (error) {
      signal.throwIfAborted();
      const why = deadline.signal.aborted
        ? "context deadline exceeded"
        : networkProblem(error instanceof PostError ? error.cause : error);
      const called = error instanceof PostError ? error.url : url;
      throw new Error(`Post ${JSON.stringify(called)}: ${why}`, { cause: error });
    } finally {
      cancel();
    }
  };
}

/** The real server cleans the path of a webhook, and tells it the time that it has. */
function urlOf({ url = "", service }: WebhookClientConfig, timeoutSeconds: number): string {
  const [host, path] = service === undefined ? splitUrl(url) : [serviceHost(service), service.path ?? ""];
  return `${host}${cleanPath(path)}?timeout=${timeoutSeconds}s`;
}

function serviceHost({ namespace, name, port = defaultPort }: WebhookService): string {
  return `https://${name}.${namespace}.svc:${port}`;
}

/** Scheme and host, and the path. */
function splitUrl(url: string): readonly [host: string, path: string] {
  const { host = "", path = "" } = /^(?<host>[^:/]*:\/\/[^/]*)(?<path>.*)$/.exec(url)?.groups ?? {};
  return [host, path];
}

/** Without empty segments, dots and a slash at its end. */
function cleanPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** How the webhook server is reached and what it is trusted by. */
function routeOf(
  { service, caBundle = "" }: WebhookClientConfig,
  read: StoredObjects,
): Pick<OutgoingPost, "address" | "serverName" | "certificateAuthority"> {
  const certificateAuthority = Buffer.from(caBundle, "base64").toString();
  return {
    ...(service !== undefined && {
      address: addressOf(service, read),
      serverName: `${service.name}.${service.namespace}.svc`,
    }),
    ...(certificateAuthority.trim() !== "" && { certificateAuthority }),
  };
}

function addressOf({ namespace, name, port = defaultPort }: WebhookService, read: StoredObjects): string {
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

/** Sends a JSON body over HTTPS, following redirects; rejects with PostError if there is no response. */
export type SendPost = (post: OutgoingPost) => Promise<PostResponse>;
