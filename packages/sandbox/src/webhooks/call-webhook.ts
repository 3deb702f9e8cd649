import { formatJson, type Random, randomUuid, toError } from "@keelson/core";
import type { MutatingWebhook, ValidatingWebhook } from "@keelson/core/kinds/admissionregistration/v1";
import type { Authorize } from "../auth/access.ts";
import type { ResourceRegistry } from "../resource/resource-registry.ts";
import { responseProblem } from "../resource/response-problem.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { WebhookCaller, WebhookResponse } from "../resource/webhook-caller.ts";
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
  const body = formatJson(reviewJson(seen, uid, version));
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
  { callWebhook }: WebhookDependencies,
): Promise<WebhookResponse> {
  try {
    return await callWebhook({ clientConfig, body, timeoutSeconds, signal });
  } catch (error) {
    signal.throwIfAborted();
    const reason = `failed to call webhook: ${toError(error).message}`;
    throw new WebhookCallError(callFailure(name, reason), { cause: error });
  }
}

function explained<T>(webhook: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new WebhookCallError(callFailure(webhook, `${what}: ${toError(error).message}`), { cause: error });
  }
}

function decodeResponse(response: WebhookResponse, version: string): Readonly<Record<string, unknown>> {
  const { status, contentType, body } = response;
  const problem = responseProblem(response);
  if (problem !== undefined) throw new InvalidReviewError(problem);
  if (body === "") {
    throw new InvalidReviewError(
      `0-length response with status code: ${status} and content type: ${contentType}`,
    );
  }
  return decodeReview(body, version);
}

/** What calling admission webhooks works with. */
export interface WebhookDependencies {
  readonly callWebhook: WebhookCaller;
  readonly registry: ResourceRegistry;
  readonly read: StoredObjects;
  readonly authorize: Authorize;
  readonly random: Random;
}
