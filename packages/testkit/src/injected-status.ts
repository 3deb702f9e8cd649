import type { Status } from "@keelson/core";

/** The HTTP status codes that the API server gives for its reasons. */
const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type StatusReason = keyof typeof codes;

export interface InjectedStatusOptions {
  /** Default: says that the answer was injected. */
  readonly message?: string;
  /** In the details, and for an answer also as the header `retry-after`. Absent by default. */
  readonly retryAfterSeconds?: number;
}

/** A failure as the API server words it, with the code that belongs to the reason. */
export function failureStatus(
  reason: StatusReason,
  { message = `injected: ${reason}`, retryAfterSeconds }: InjectedStatusOptions = {},
): Status & { readonly code: number } {
  return {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
    code: codes[reason],
  };
}

/**
 * The line by which a watch says that it is over, such as `errorEvent("Expired")` for a version that is too
 * old.
 */
export function errorEvent(reason: StatusReason, options: InjectedStatusOptions = {}): string {
  return JSON.stringify({ type: "ERROR", object: failureStatus(reason, options) });
}
