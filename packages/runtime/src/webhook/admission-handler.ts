import {
  abortable,
  diffJson,
  draft,
  isRecord,
  type KubeObject,
  type ServiceRequest,
  type ServiceResponse,
  toError,
} from "@keelson/core";
import type {
  Admission,
  AdmissionCall,
  Mutation,
  MutatorStep,
  Validation,
  ValidatorStep,
} from "./admission.ts";
import {
  type AdmissionRequest,
  type AdmissionResponse,
  denial,
  failure,
  formatAdmissionReview,
  latestReviewVersion,
  type Operation,
  parseAdmissionReview,
} from "./admission-review.ts";
import { AdmissionDeniedError, InvalidWebhookError, WebhookTimeoutError } from "./errors.ts";
import { type BodyProblem, type BodyShare, isJson, readBody } from "./request-body.ts";
import {
  type CallDeadline,
  defaultTimeoutMs,
  handlerLimitMs,
  makeWebhookCall,
  startCallDeadline,
  type WebhookCallDependencies,
} from "./webhook-call.ts";

/** Room for two of the largest objects that etcd stores [WH1]. */
const maxBodyBytes = 7 * 1024 * 1024;

/** Called with an error that a handler did not mean to throw. */
type OnPanic = (path: string, error: Error) => void;

/** What the handler of a path is given beside the request. */
interface HandlerDependencies extends WebhookCallDependencies {
  readonly onPanic: OnPanic;
  /** The share of the request in the memory for bodies. */
  readonly body: BodyShare;
}

/** Handles the requests of API servers to one path. */
export type WebhookHandler = (
  request: ServiceRequest,
  dependencies: HandlerDependencies,
) => Promise<ServiceResponse>;

/** Runs a chain of handlers for a request. */
type Decide = (request: AdmissionRequest, call: AdmissionCall) => Promise<Pick<AdmissionResponse, "patch">>;

/** The handler of the path that runs the mutators of a kind. */
export function mutatingHandler<T extends KubeObject>(admission: Admission<T>): WebhookHandler {
  const decide: Decide = (request, call) => runMutators(admission.mutators, request, call);
  return (request, dependencies) => review(admission, decide, request, dependencies);
}

/** The handler of the path that runs the validators of a kind. */
export function validatingHandler<T extends KubeObject>(admission: Admission<T>): WebhookHandler {
  const decide: Decide = (request, call) => runValidators(admission.validators, request, call);
  return (request, dependencies) => review(admission, decide, request, dependencies);
}

async function review<T extends KubeObject>(
  { settings }: Admission<T>,
  decide: Decide,
  request: ServiceRequest,
  dependencies: HandlerDependencies,
): Promise<ServiceResponse> {
  const fallbackMs =
    settings.timeoutSeconds === undefined ? defaultTimeoutMs : settings.timeoutSeconds * 1000;
  const path = request.path.split("?")[0] ?? request.path;
  const limitMs = handlerLimitMs(request.path, fallbackMs);
  // Starts before the body is read, since a client may never send the rest of it.
  using deadline = startCallDeadline(dependencies.clock, { path, limitMs, caller: request.signal });
  // A review with allowed: false refuses the request under either policy. Only another HTTP status lets Ignore apply.
  const statusOf = (isFailure: boolean) => (isFailure && settings.failurePolicy === "Ignore" ? 500 : 200);
  const body = await readReview(request, dependencies, deadline);
  if ("refusal" in body) {
    return reviewResponse(statusOf(body.isFailure), latestReviewVersion, "", body.refusal);
  }
  const { apiVersion, request: admissionRequest } = body.review;
  const { response, isFailure } = await decideInTime(decide, admissionRequest, {
    ...dependencies,
    path,
    deadline,
  });
  return reviewResponse(statusOf(isFailure), apiVersion, admissionRequest.uid, response);
}

type Review = { readonly review: ReturnType<typeof parseAdmissionReview> };

interface Refusal {
  readonly refusal: AdmissionResponse;
  /** The webhook could not read the request; false if the request is invalid. */
  readonly isFailure: boolean;
}

/** Reads the AdmissionReview of a request, or returns the response that refuses it [WH1]. */
async function readReview(
  request: ServiceRequest,
  { body: share }: HandlerDependencies,
  { signal }: CallDeadline,
): Promise<Review | Refusal> {
  const badRequest = (message: string) => ({
    refusal: failure(400, "BadRequest", message),
    isFailure: false,
  });
  const contentType = request.headers["content-type"];
  if (!isJson(contentType)) {
    return badRequest(
      `read the request: its content type is ${contentType ?? "missing"}, not application/json`,
    );
  }
  try {
    const { bytes, problem } = await readBody(request.body, { maxBytes: maxBodyBytes, share, signal });
    if (problem !== undefined) return unreadBody(problem);
    if (bytes.length === 0) return badRequest("read the request: its body is empty");
    return { review: parseAdmissionReview(bytes) };
  } catch (error) {
    if (error instanceof InvalidWebhookError) return badRequest(error.message);
    if (signal.aborted && !request.signal.aborted)
      return { refusal: timedOut(signal.reason), isFailure: true };
    throw error;
  }
}

function unreadBody(problem: BodyProblem): Refusal {
  if (problem === "too large") {
    const message = `read the request: its body is larger than ${maxBodyBytes} bytes`;
    return { refusal: failure(413, "RequestEntityTooLarge", message), isFailure: false };
  }
  const message = "read the request: too many requests are in flight; try again";
  return { refusal: failure(503, "ServiceUnavailable", message), isFailure: true };
}

interface Outcome {
  readonly response: AdmissionResponse;
  /** The webhook failed; false if it allowed or denied the request. */
  readonly isFailure: boolean;
}

async function decideInTime(
  decide: Decide,
  request: AdmissionRequest,
  dependencies: HandlerDependencies & { readonly path: string; readonly deadline: CallDeadline },
): Promise<Outcome> {
  const { path, onPanic } = dependencies;
  const { signal } = dependencies.deadline;
  const warnings: string[] = [];
  const call: AdmissionCall = {
    ...makeWebhookCall(dependencies, { path, uid: request.uid, signal }),
    request,
    deny: (message, details) => {
      throw new AdmissionDeniedError(message, details);
    },
    warn: (message) => void warnings.push(message),
  };
  try {
    const { patch = [] } = await abortable(decide(request, call), signal);
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
    onPanic(path, error);
    const message = `call webhook ${path}: its handler failed: ${error.name}: ${error.message}`;
    return { response: { ...failure(500, "InternalError", message), warnings }, isFailure: true };
  }
}

function timedOut(reason: unknown): AdmissionResponse {
  const message =
    reason instanceof WebhookTimeoutError
      ? reason.message
      : "call a webhook: the API server closed the request";
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

/** Runs mutators in order. One patch leads from the object that the server sent to the result of the last one [WH3, WH4]. */
async function runMutators<T extends KubeObject>(
  mutators: readonly MutatorStep<T>[],
  request: AdmissionRequest,
  call: AdmissionCall,
): Promise<Pick<AdmissionResponse, "patch">> {
  const { operation, object } = request;
  // A deletion stores no object that could be changed.
  if (operation === "DELETE") return {};
  let current: T = objectIn(object, "object");
  for (const step of stepsFor(mutators, operation)) {
    const copy = draft(current);
    const mutation: Mutation<T> =
      operation === "UPDATE"
        ? { ...call, operation, object: copy, old: objectIn(request.oldObject, "oldObject") }
        : { ...call, operation, object: copy, old: undefined };
    const returned = await step.handle(mutation);
    call.signal.throwIfAborted();
    current = objectIn(returned ?? copy, "result of a mutator");
  }
  return { patch: diffJson(object, current) };
}

/** Runs validators in order, until one denies [WH4]. */
async function runValidators<T extends KubeObject>(
  validators: readonly ValidatorStep<T>[],
  request: AdmissionRequest,
  call: AdmissionCall,
): Promise<Pick<AdmissionResponse, "patch">> {
  const validation = validationOf<T>(request, call);
  for (const step of stepsFor(validators, request.operation)) {
    await step.handle(validation);
    call.signal.throwIfAborted();
  }
  return {};
}

function validationOf<T extends KubeObject>(request: AdmissionRequest, call: AdmissionCall): Validation<T> {
  const { operation } = request;
  switch (operation) {
    case "CREATE":
    case "CONNECT":
      return { ...call, operation, object: objectIn(request.object, "object"), old: undefined };
    case "UPDATE": {
      const old: T = objectIn(request.oldObject, "oldObject");
      return { ...call, operation, object: objectIn(request.object, "object"), old };
    }
    case "DELETE": {
      const old: T = objectIn(request.oldObject, "oldObject");
      return { ...call, operation, object: old, old };
    }
  }
}

function stepsFor<Step extends { readonly operations: readonly Operation[] }>(
  steps: readonly Step[],
  operation: Operation,
): readonly Step[] {
  return steps.filter(({ operations }) => operations.includes(operation));
}

function objectIn<T extends KubeObject>(value: unknown, what: string): T {
  if (isObject<T>(value)) return value;
  throw new InvalidWebhookError("read the request", `its ${what} is not an object`);
}

/** The API server has validated it against the schema of its kind. */
function isObject<T extends KubeObject>(value: unknown): value is T {
  return isRecord(value);
}
