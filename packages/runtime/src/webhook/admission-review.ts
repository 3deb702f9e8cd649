import {
  formatJson,
  freeze,
  isRecord,
  type JsonPatchOperation,
  parseJson,
  type Status,
  type StatusCause,
} from "@keelson/core";
import { type AdmissionDeniedError, type DenialReason, InvalidWebhookError } from "./errors.ts";

/** What the request to the API server does with the object. */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The request of the API server, as it is on the wire (admission.k8s.io). */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly requestKind?: AdmissionRequest["kind"];
  readonly requestResource?: AdmissionRequest["resource"];
  readonly requestSubResource?: string;
  /** Empty or missing if the server generates the name. */
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

/** The response to an AdmissionRequest. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status?: Omit<Status, "apiVersion" | "kind">;
  readonly warnings?: readonly string[];
  readonly patch?: readonly JsonPatchOperation[];
}

/** A review of a supported version. */
export interface AdmissionReview {
  /** The response has the same version [WH2]. */
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

export const latestReviewVersion = "admission.k8s.io/v1";
const knownVersions: readonly unknown[] = [latestReviewVersion, "admission.k8s.io/v1beta1"];
const operations: readonly unknown[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"] satisfies Operation[];

/** Parses the body of a request. Throws an InvalidWebhookError if it is no AdmissionReview of a supported version. */
export function parseAdmissionReview(body: Uint8Array): AdmissionReview {
  const review = parseBody(body);
  if (!isRecord(review) || review.kind !== "AdmissionReview") throw unreadable("it is no AdmissionReview");
  const { apiVersion, request } = review;
  if (!isKnownVersion(apiVersion)) throw unreadable(`its version ${String(apiVersion)} is not known`);
  if (!isAdmissionRequest(request)) throw unreadable("it has no request with a uid, a kind and an operation");
  // All handlers get the same object.
  freeze(request);
  return { apiVersion, request };
}

function parseBody(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    // biome-ignore lint/style/useErrorCause: the message of the cause would quote the body, which may hold a secret
    throw unreadable("it is not JSON");
  }
}

function unreadable(problem: string): InvalidWebhookError {
  return new InvalidWebhookError("read the request", `${problem}; is the caller an API server?`);
}

function isKnownVersion(apiVersion: unknown): apiVersion is string {
  return knownVersions.includes(apiVersion);
}

function isAdmissionRequest(request: unknown): request is AdmissionRequest {
  return (
    isRecord(request) &&
    typeof request.uid === "string" &&
    isRecord(request.kind) &&
    isRecord(request.resource) &&
    operations.includes(request.operation)
  );
}

/** The body of the HTTP response. The code is 200 unless the response has another [WH2]. */
export function formatAdmissionReview(apiVersion: string, uid: string, response: AdmissionResponse): string {
  const { allowed, status, warnings = [], patch = [] } = response;
  return formatJson({
    apiVersion,
    kind: "AdmissionReview",
    response: {
      uid,
      allowed,
      status: { ...status, metadata: {}, code: status?.code ?? 200 },
      ...(warnings.length > 0 && { warnings }),
      ...(patch.length > 0 && {
        patchType: "JSONPatch",
        patch: Buffer.from(formatJson(patch)).toString("base64"),
      }),
    },
  });
}

/** The response for a request that is invalid or that the webhook failed to handle. */
export function failure(code: number, reason: string, message: string): AdmissionResponse {
  return { allowed: false, status: { status: "Failure", code, reason, message } };
}

const codes: Readonly<Record<DenialReason, number>> = {
  BadRequest: 400,
  Conflict: 409,
  Forbidden: 403,
  Gone: 410,
  Invalid: 422,
  NotAcceptable: 406,
  NotFound: 404,
  TooManyRequests: 429,
};

/** The response for a request that a handler denied. */
export function denial({ message, reason, causes }: AdmissionDeniedError): AdmissionResponse {
  return {
    allowed: false,
    status: { status: "Failure", code: codes[reason], reason, message, ...withCauses(causes) },
  };
}

function withCauses(causes: readonly StatusCause[]): Pick<Status, "details"> {
  return causes.length === 0 ? {} : { details: { causes } };
}
