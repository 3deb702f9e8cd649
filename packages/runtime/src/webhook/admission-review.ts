import { freeze, isRecord, type JsonPatchOperation, type Status, type StatusCause } from "@keelson/core";
import { type AdmissionDeniedError, type DenialReason, InvalidWebhookError } from "./errors.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What the API server asks, as it is on the wire (admission.k8s.io). */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly requestKind?: AdmissionRequest["kind"];
  readonly requestResource?: AdmissionRequest["resource"];
  readonly requestSubResource?: string;
  /** Empty or missing while the server is to make the name. */
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

/** What is answered. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status?: Omit<Status, "apiVersion" | "kind">;
  readonly warnings?: readonly string[];
  readonly patch?: readonly JsonPatchOperation[];
}

/** A review of a version that is known. */
export interface AdmissionReview {
  /** The answer has the same [WH2]. */
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

export const latestReviewVersion = "admission.k8s.io/v1";
const knownVersions: readonly unknown[] = [latestReviewVersion, "admission.k8s.io/v1beta1"];
const operations: readonly unknown[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"] satisfies Operation[];

/** Throws an InvalidWebhookError if the body is something else. */
export function parseAdmissionReview(body: Uint8Array): AdmissionReview {
  const review = parseJson(body);
  if (!isRecord(review) || review.kind !== "AdmissionReview") throw unreadable("it is no AdmissionReview");
  const { apiVersion, request } = review;
  if (!isKnownVersion(apiVersion)) throw unreadable(`its version ${String(apiVersion)} is not known`);
  if (!isAdmissionRequest(request)) throw unreadable("it has no request with a uid, a kind and an operation");
  // Handlers share it, so none of them may change it.
  freeze(request);
  return { apiVersion, request };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    // biome-ignore lint/style/useErrorCause: the text of the error would repeat part of the body, which may hold a secret
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

/** The text of the answer. The code is 200 unless the response has another [WH2]. */
export function formatAdmissionReview(apiVersion: string, uid: string, response: AdmissionResponse): string {
  const { allowed, status, warnings = [], patch = [] } = response;
  return JSON.stringify({
    apiVersion,
    kind: "AdmissionReview",
    response: {
      uid,
      allowed,
      status: { ...status, metadata: {}, code: status?.code ?? 200 },
      ...(warnings.length > 0 && { warnings }),
      ...(patch.length > 0 && {
        patchType: "JSONPatch",
        patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
      }),
    },
  });
}

/** A failure, of the request or of the webhook. */
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

/** A no of a handler. */
export function denial({ message, reason, causes }: AdmissionDeniedError): AdmissionResponse {
  return {
    allowed: false,
    status: { status: "Failure", code: codes[reason], reason, message, ...withCauses(causes) },
  };
}

function withCauses(causes: readonly StatusCause[]): Pick<Status, "details"> {
  return causes.length === 0 ? {} : { details: { causes } };
}
