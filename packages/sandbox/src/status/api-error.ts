import { type GroupVersionKind, KeelsonError, type Status, type StatusDetails } from "@keelson/core";
import { type FieldProblem, formatProblem, problemBody } from "./field-problem.ts";
import { goQuote } from "./go-quote.ts";

/** A refused request, with the Status of the response. */
export class ApiError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.ApiError";
  readonly code = "API_ERROR";
  readonly status: Status & { readonly code: number };
  /** Headers of the response, such as `retry-after`. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(refusal: Refusal) {
    super(refusal.message);
    const { httpCode, reason, message, details, continueToken } = refusal;
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: "Failure",
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code: httpCode,
    };
    const retryAfter = details?.retryAfterSeconds;
    this.headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  }
}

interface Refusal {
  readonly httpCode: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
  /** Where a list whose continue token has expired can continue. */
  readonly continueToken?: string;
}

/** A resource in messages: `deployments.apps`, or `pods` of the core group. */
export interface NamedResource {
  readonly group: string;
  readonly plural: string;
}

export function notFound(resource: NamedResource, name: string): ApiError {
  return new ApiError({
    httpCode: 404,
    reason: "NotFound",
    message: `${qualified(resource)} ${goQuote(name)} not found`,
    details: details(resource, name),
  });
}

/** The response to unknown paths, groups and resources. */
export function pageNotFound(): ApiError {
  return new ApiError({
    httpCode: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });
}

export function alreadyExists(resource: NamedResource, name: string): ApiError {
  return new ApiError({
    httpCode: 409,
    reason: "AlreadyExists",
    message: `${qualified(resource)} ${goQuote(name)} already exists`,
    details: details(resource, name),
  });
}

export function conflict(resource: NamedResource, name: string, why: string): ApiError {
  return new ApiError({
    httpCode: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualified(resource)} ${goQuote(name)}: ${why}`,
    details: details(resource, name),
  });
}

export const staleVersion =
  "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(resource: NamedResource, name: string, why: string): ApiError {
  const subject = name === "" ? qualified(resource) : `${qualified(resource)} ${goQuote(name)}`;
  return new ApiError({
    httpCode: 403,
    reason: "Forbidden",
    message: `${subject} is forbidden: ${why}`,
    details: details(resource, name),
  });
}

export function invalid(
  { group, kind }: Pick<GroupVersionKind, "group" | "kind">,
  name: string,
  problems: readonly FieldProblem[],
): ApiError {
  const texts = [...new Set(problems.map(formatProblem))];
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const qualifiedKind = group === "" ? kind : `${kind}.${group}`;
  return new ApiError({
    httpCode: 422,
    reason: "Invalid",
    message: `${qualifiedKind} ${goQuote(name)} is invalid: ${joined}`,
    details: {
      ...(name === "" ? {} : { name }),
      ...(group === "" ? {} : { group }),
      ...(kind === "" ? {} : { kind }),
      causes: problems.map((problem) => ({
        reason: problem.type,
        message: problemBody(problem),
        field: problem.field,
      })),
    },
  });
}

export function badRequest(message: string): ApiError {
  return new ApiError({ httpCode: 400, reason: "BadRequest", message });
}

export function unauthorized(): ApiError {
  return new ApiError({ httpCode: 401, reason: "Unauthorized", message: "Unauthorized" });
}

export function methodNotAllowed(resource: NamedResource, verb: string): ApiError {
  return new ApiError({
    httpCode: 405,
    reason: "MethodNotAllowed",
    message: `${verb} is not supported on resources of kind "${qualified(resource)}"`,
    details: details(resource, ""),
  });
}

export function expired(message: string): ApiError {
  return new ApiError({ httpCode: 410, reason: "Expired", message });
}

export function internalError(message: string): ApiError {
  return new ApiError({
    httpCode: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

/** An error that the real server does not classify: the message of a Go error, without a reason. */
export function plainError(message: string): ApiError {
  return new ApiError({ httpCode: 500, message });
}

function qualified({ group, plural }: NamedResource): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function details({ group, plural }: NamedResource, name: string): StatusDetails {
  return {
    // JSON has no invalid UTF-8.
    ...(name === "" ? {} : { name: name.toWellFormed() }),
    ...(group === "" ? {} : { group }),
    kind: plural,
  };
}
