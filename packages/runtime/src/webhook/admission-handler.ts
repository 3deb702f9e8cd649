import {
  abortable,
  type Clock,
  type KubeObject,
  type ServiceRequest,
  type ServiceResponse,
  toError,
} from "@keelson/core";
import type { Admission, AdmissionCall } from "./admission.ts";
import {
  type AdmissionRequest,
  type AdmissionResponse,
  denial,
  failure,
  formatAdmissionReview,
  latestReviewVersion,
  parseAdmissionReview,
} from "./admission-review.ts";
import { runMutators, runValidators } from "./admission-steps.ts";
import { defaultTimeoutMs, handlerLimitMs, startCallDeadline } from "./call-deadline.ts";
import { AdmissionDeniedError, InvalidWebhookError, WebhookTimeoutError } from "./errors.ts";
import { readBody } from "./request-body.ts";

/** Two of the largest objects that etcd holds, with room to spare [WH1]. */
const maxBodyBytes = 7 * 1024 * 1024;

/** Told of what a handler threw by mistake. */
export type OnPanic = (path: string, error: Error) => void;

export interface HandlerEnvironment {
  readonly clock: Clock;
  readonly onPanic: OnPanic;
}

/** Answers the requests of an API server to one path. */
export type WebhookHandler = (
  request: ServiceRequest,
  environment: HandlerEnvironment,
) => Promise<ServiceResponse>;

/** What a chain of handlers made of a request. */
type Decide = (request: AdmissionRequest, call: AdmissionCall) => Promise<Pick<AdmissionResponse, "patch">>;

/** The path that runs the mutators of a kind. */
export function mutatingHandler<T extends KubeObject>(admission: Admission<T>): WebhookHandler {
  const decide: Decide = (request, call) => runMutators(admission.mutators, request, call);
  return (request, environment) => answer(admission, decide, request, environment);
}

/** The path that runs the validators of a kind. */
export function validatingHandler<T extends KubeObject>(admission: Admission<T>): WebhookHandler {
  const decide: Decide = (request, call) => runValidators(admission.validators, request, call);
  return (request, environment) => answer(admission, decide, request, environment);
}

async function answer<T extends KubeObject>(
  { settings }: Admission<T>,
  decide: Decide,
  request: ServiceRequest,
  environment: HandlerEnvironment,
): Promise<ServiceResponse> {
  const body = await readReview(request);
  if ("refusal" in body) return reviewResponse(200, latestReviewVersion, "", body.refusal);
  const { apiVersion, request: asked } = body.review;
  const fallbackMs =
    settings.timeoutSeconds === undefined ? defaultTimeoutMs : settings.timeoutSeconds * 1000;
  const outcome = await decideInTime(decide, asked, request, fallbackMs, environment);
  // A review that refuses counts as a refusal under either policy. Only a status that is none has the request ignored.
  const status = outcome.isFailure && settings.failurePolicy === "Ignore" ? 500 : 200;
  return reviewResponse(status, apiVersion, asked.uid, outcome.response);
}

type Review = { readonly review: ReturnType<typeof parseAdmissionReview> };

/** [WH1] */
async function readReview(
  request: ServiceRequest,
): Promise<Review | { readonly refusal: AdmissionResponse }> {
  const body = await readBody(request.body, maxBodyBytes);
  if (body === undefined) {
    const message = `read the request: its body is larger than ${maxBodyBytes} bytes`;
    return { refusal: failure(413, "RequestEntityTooLarge", message) };
  }
  const badRequest = (message: string) => ({ refusal: failure(400, "BadRequest", message) });
  if (body.length === 0) return badRequest("read the request: its body is empty");
  const contentType = request.headers["content-type"];
  if (!isJson(contentType)) {
    return badRequest(
      `read the request: its content type is ${contentType ?? "missing"}, not application/json`,
    );
  }
  try {
    return { review: parseAdmissionReview(body) };
  } catch (error) {
    return badRequest(toError(error).message);
  }
}

/** Parameters such as a charset say nothing new about JSON. */
function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

interface Outcome {
  readonly response: AdmissionResponse;
  /** The webhook did not work, as opposed to: it said no. */
  readonly isFailure: boolean;
}

async function decideInTime(
  decide: Decide,
  asked: AdmissionRequest,
  { path, signal: caller }: ServiceRequest,
  fallbackMs: number,
  { clock, onPanic }: HandlerEnvironment,
): Promise<Outcome> {
  const plainPath = path.split("?")[0] ?? path;
  using deadline = startCallDeadline(clock, {
    path: plainPath,
    limitMs: handlerLimitMs(path, fallbackMs),
    caller,
  });
  const { signal } = deadline;
  const warnings: string[] = [];
  const call: AdmissionCall = {
    request: asked,
    deny: (message, details) => {
      throw new AdmissionDeniedError(message, details);
    },
    warn: (message) => void warnings.push(message),
    signal,
  };
  try {
    const { patch = [] } = await abortable(decide(asked, call), signal);
    return { response: { allowed: true, warnings, patch }, isFailure: false };
  } catch (caught) {
    const error = toError(caught);
    if (error instanceof AdmissionDeniedError) {
      return { response: { ...denial(error), warnings }, isFailure: false };
    }
    if (signal.aborted) return { response: { ...timedOut(signal.reason), warnings }, isFailure: true };
    if (error instanceof InvalidWebhookError) {
      return { response: failure(400, "BadRequest", error.message), isFailure: true };
    }
    onPanic(plainPath, error);
    const message = `call webhook ${plainPath}: its handler failed: ${error.name}: ${error.message}`;
    return { response: { ...failure(500, "InternalError", message), warnings }, isFailure: true };
  }
}

function timedOut(reason: unknown): AdmissionResponse {
  const message =
    reason instanceof WebhookTimeoutError ? reason.message : "call a webhook: the caller has gone away";
  return failure(504, "Timeout", message);
}

function reviewResponse(
  status: number,
  apiVersion: string,
  uid: string,
  response: AdmissionResponse,
): ServiceResponse {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: formatAdmissionReview(apiVersion, uid, response),
  };
}
