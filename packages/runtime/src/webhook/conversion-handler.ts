import {
  abortable,
  formatJson,
  freeze,
  isRecord,
  type KubeObject,
  parseApiVersion,
  parseJson,
  type ServiceRequest,
  type ServiceResponse,
  toError,
} from "@keelson/core";
import type { WebhookHandler } from "./admission-handler.ts";
import type { Conversion } from "./conversion.ts";
import { ConversionError, InvalidWebhookError, WebhookError } from "./errors.ts";
import { type BodyLimits, type BodyProblem, isJson, readBody } from "./request-body.ts";
import { handlerLimitMs, makeWebhookCall, startCallDeadline, type WebhookCall } from "./webhook-call.ts";

/** How long the API server waits for a conversion; the request does not name it. */
const conversionTimeoutMs = 30_000;
/** Larger than for admission, since a list comes as one request. */
const maxBodyBytes = 64 * 1024 * 1024;
const reviewVersion = "apiextensions.k8s.io/v1";

/** The request of the API server, as it is on the wire (apiextensions.k8s.io). */
interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly unknown[];
}

/** The handler of the one path for all kinds. A list is converted as a whole or not at all, and in order [WH8]. */
export function conversionHandler(conversions: readonly Conversion[]): WebhookHandler {
  const byKind = new Map<string, Conversion>();
  for (const conversion of conversions) {
    const { group, kind } = conversion.hub;
    const name = `${kind} of ${group}`;
    if (byKind.has(name))
      throw new InvalidWebhookError(`serve conversions of ${name}`, "there are two; combine them into one");
    byKind.set(name, conversion);
  }
  return async (request, dependencies) => {
    const { clock, onPanic, body: share } = dependencies;
    if (!isJson(request.headers["content-type"]))
      return refusal(415, "its content type is not application/json");
    const path = request.path.split("?")[0] ?? request.path;
    const limitMs = handlerLimitMs(request.path, conversionTimeoutMs);
    // Starts before the body is read, since a client may never send the rest of it.
    using deadline = startCallDeadline(clock, { path, limitMs, caller: request.signal });
    const { signal } = deadline;
    const conversionRequest = await readRequest(request, { maxBytes: maxBodyBytes, share, signal });
    if ("status" in conversionRequest) return conversionRequest;
    const call = makeWebhookCall(dependencies, { path, uid: conversionRequest.uid, signal });
    try {
      return reviewResponse(conversionRequest, {
        convertedObjects: await abortable(convertAll(byKind, conversionRequest, call), signal),
      });
    } catch (caught) {
      const error = toError(caught);
      if (!(error instanceof WebhookError || signal.aborted)) onPanic(path, error);
      return reviewResponse(conversionRequest, { problem: messageOf(error) });
    }
  };
}

async function convertAll(
  byKind: ReadonlyMap<string, Conversion>,
  { desiredAPIVersion, objects }: ConversionRequest,
  call: WebhookCall,
): Promise<readonly KubeObject[]> {
  const { group } = parseApiVersion(desiredAPIVersion);
  const converted: KubeObject[] = [];
  for (const object of objects) {
    if (!isObject(object))
      throw new InvalidWebhookError(
        "read the request",
        "one of its objects has no apiVersion, kind or metadata",
      );
    const from = `${object.kind} of ${object.apiVersion}`;
    const fail = (problem: string) => new ConversionError(from, desiredAPIVersion, problem);
    if (parseApiVersion(object.apiVersion).group !== group) throw fail("they are of different groups");
    const conversion = byKind.get(`${object.kind} of ${group}`);
    if (conversion === undefined) throw fail("the kind has no conversion; add one with conversion()");
    converted.push(await conversion.convert(freezeInPlace(object), desiredAPIVersion, call));
  }
  return converted;
}

function freezeInPlace(object: KubeObject): KubeObject {
  freeze(object);
  return object;
}

/** Quotes the error of an author's function, since the user of kubectl sees only this message. */
function messageOf(error: Error): string {
  return error instanceof WebhookError
    ? error.message
    : `convert: its function failed: ${error.name}: ${error.message}`;
}

/** The conversion that is requested, or the response for an invalid request. */
async function readRequest(
  { body, signal: caller }: ServiceRequest,
  limits: BodyLimits,
): Promise<ConversionRequest | ServiceResponse> {
  const { signal } = limits;
  try {
    const { bytes, problem } = await readBody(body, limits);
    if (problem !== undefined) return unreadBody(problem);
    return (
      parseRequest(bytes) ??
      refusal(400, `it is no ConversionReview of ${reviewVersion}; is the caller an API server?`)
    );
  } catch (error) {
    if (!signal.aborted || caller.aborted) throw error;
    return refusal(504, toError(signal.reason).message);
  }
}

function unreadBody(problem: BodyProblem): ServiceResponse {
  return problem === "too large"
    ? refusal(413, `its body is larger than ${maxBodyBytes} bytes`)
    : refusal(503, "too many requests are in flight; try again");
}

function parseRequest(bytes: Buffer): ConversionRequest | undefined {
  try {
    const review: unknown = parseJson(bytes.toString("utf8"));
    const isReview =
      isRecord(review) && review.kind === "ConversionReview" && review.apiVersion === reviewVersion;
    return isReview && isConversionRequest(review.request) ? review.request : undefined;
  } catch {
    // Not JSON. The message of the error would quote the body.
    return undefined;
  }
}

function isConversionRequest(request: unknown): request is ConversionRequest {
  return (
    isRecord(request) &&
    typeof request.uid === "string" &&
    typeof request.desiredAPIVersion === "string" &&
    Array.isArray(request.objects)
  );
}

function isObject(value: unknown): value is KubeObject {
  return (
    isRecord(value) &&
    typeof value.apiVersion === "string" &&
    typeof value.kind === "string" &&
    isRecord(value.metadata)
  );
}

function refusal(status: number, problem: string): ServiceResponse {
  return { status, headers: { "content-type": "text/plain" }, body: `read the request: ${problem}\n` };
}

function reviewResponse(
  { uid }: ConversionRequest,
  outcome: { readonly convertedObjects: readonly KubeObject[] } | { readonly problem: string },
): ServiceResponse {
  const response =
    "problem" in outcome
      ? { uid, convertedObjects: [], result: { status: "Failure", message: outcome.problem } }
      : { uid, convertedObjects: outcome.convertedObjects, result: { status: "Success" } };
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: formatJson({ apiVersion: reviewVersion, kind: "ConversionReview", response }),
  };
}
