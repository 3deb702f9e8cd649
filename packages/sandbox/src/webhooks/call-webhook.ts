import { abortable, type Clock, isRecord, isStatus, type Random, randomUuid, toError } from "@keelson/core";
import type {
  MutatingWebhook,
  ValidatingWebhook,
  WebhookClientConfig,
} from "@keelson/core/kinds/admissionregistration/v1";
import type { Authorize } from "../auth/access.ts";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { WebhookCaller, WebhookResponse, WebhookTarget } from "../resource/webhook-caller.ts";
import { badRequest } from "../status/api-error.ts";
import { reviewJson, type SeenWrite } from "./review-request.ts";
import { checkedResponse, decodeReview, type ReviewResponse } from "./review-response.ts";
import { callFailure, InvalidReviewError, WebhookCallError } from "./webhook-failure.ts";

const defaultTimeoutSeconds = 10;

/**
 * Sends an AdmissionReview for a write to a webhook. Throws WebhookCallError if it returns no valid response, and ApiError
 * if it must not be called for a dry run.
 */
export async function requestReview(
  hook: MutatingWebhook | ValidatingWebhook,
  seen: SeenWrite,
  isMutating: boolean,
  dependencies: WebhookDependencies,
): Promise<ReviewResponse> {
  const { name, sideEffects, admissionReviewVersions } = hook;
  if (seen.request.dryRun && sideEffects !== "None" && sideEffects !== "NoneOnDryRun") {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  const version = admissionReviewVersions.find((one) => one === "v1" || one === "v1beta1");
  if (version === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new WebhookCallError(callFailure(name, `could not create admission objects: ${why}`));
  }
  const uid = randomUuid(dependencies.random);
  const body = JSON.stringify(reviewJson(seen, uid, version));
  const response = await post(hook, body, seen.request.signal, dependencies);
  const review = explained(name, "failed to call webhook", () => decodeResponse(response, version));
  const checked = explained(name, "received invalid webhook response", () =>
    checkedResponse(review, { uid, version, isMutating }),
  );
  for (const warning of checked.warnings) seen.request.warn(warning);
  return checked;
}

/** Throws WebhookCallError, or the reason of the request's signal if the client no longer waits. */
async function post(
  { name, clientConfig, timeoutSeconds = defaultTimeoutSeconds }: MutatingWebhook | ValidatingWebhook,
  body: string,
  signal: AbortSignal,
  { callWebhook, clock }: WebhookDependencies,
): Promise<WebhookResponse> {
  const target = targetOf(clientConfig, `timeout=${timeoutSeconds}s`);
  const { caBundle } = clientConfig;
  const deadline = new AbortController();
  const timeoutMs = timeoutSeconds * 1000;
  const cancel = clock.schedule(timeoutMs, () => deadline.abort());
  const either = AbortSignal.any([signal, deadline.signal]);
  try {
    const call = callWebhook({
      target,
      body,
      timeoutMs,
      signal: either,
      ...(caBundle !== undefined && { caBundle }),
    });
    return await abortable(call, either);
  } catch (error) {
    signal.throwIfAborted();
    const why = deadline.signal.aborted ? "context deadline exceeded" : toError(error).message;
    const reason = `failed to call webhook: Post ${JSON.stringify(urlOf(target))}: ${why}`;
    throw new WebhookCallError(callFailure(name, reason), { cause: error });
  } finally {
    cancel();
  }
}

function targetOf({ url, service }: WebhookClientConfig, query: string): WebhookTarget {
  if (service === undefined) return { url: `${withPath(url ?? "")}?${query}` };
  const { namespace, name, port = 443, path = "" } = service;
  const rooted = path.startsWith("/") ? path : `/${path}`;
  return { service: { namespace, name, port }, path: `${rooted}?${query}` };
}

function withPath(url: string): string {
  return /^[a-z]+:\/\/[^/]*$/.test(url) ? `${url}/` : url;
}

function urlOf(target: WebhookTarget): string {
  if ("url" in target) return target.url;
  const { service, path } = target;
  return `https://${service.name}.${service.namespace}.svc:${service.port}${path}`;
}

function explained<T>(webhook: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new WebhookCallError(callFailure(webhook, `${what}: ${toError(error).message}`), { cause: error });
  }
}

function decodeResponse(
  { status, body }: WebhookResponse,
  version: string,
): Readonly<Record<string, unknown>> {
  if (status < 200 || status > 299) throw new InvalidReviewError(refusalText(status, body));
  if (body === "") {
    throw new InvalidReviewError(
      `0-length response with status code: ${status} and content type: application/json`,
    );
  }
  return decodeReview(body, version);
}

const refusals: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** The message of Kubernetes for an HTTP status that is not a success. */
function refusalText(status: number, body: string): string {
  const message = messageOf(body);
  if (message !== undefined) return message;
  const text = body.trim();
  if (status === 403 || status === 406 || status === 415) return text === "" ? "unknown" : text;
  const known = refusals[status];
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

/** The message of a Status, if the webhook returned one. */
function messageOf(body: string): string | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && isStatus(value) ? value.message : undefined;
  } catch {
    // Any other text is shown unchanged.
    return undefined;
  }
}

/** What calling admission webhooks works with. */
export interface WebhookDependencies {
  readonly callWebhook: WebhookCaller;
  readonly registry: ResourceRegistry;
  readonly read: StoredObjects;
  readonly authorize: Authorize;
  readonly clock: Clock;
  readonly random: Random;
}
