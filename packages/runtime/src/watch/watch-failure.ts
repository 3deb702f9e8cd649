import {
  ApiError,
  ConnectionError,
  ForbiddenError,
  GoneError,
  MalformedResponseError,
  NotFoundError,
  RequestTimeoutError,
  TooManyRequestsError,
} from "@keelson/client";

/**
 * The kinds of failure that the watch machine distinguishes. `expired`: the server no longer has the resource version.
 * `versionTooLarge`: it has not reached that version. `tooManyRequests`: it throttles. `internal`: it ended a stream by an
 * internal error. `unreachable`: no server accepts the connection, or the connection broke. `timeout`: no response in
 * time. `garbled`: bytes that are no response. `other`: all else, such as a refusal.
 */
export type FailureKind =
  | "expired"
  | "versionTooLarge"
  | "tooManyRequests"
  | "internal"
  | "unreachable"
  | "timeout"
  | "garbled"
  | "other";

/** Why a list or a watch ended before its time. */
export interface WatchFailure {
  readonly kind: FailureKind;
  readonly error: Error;
  /** The server's Retry-After, if it sent one. */
  readonly retryAfterMs?: number;
  /** The kind or the permission is missing, and an administrator may be about to add it. */
  readonly isMissing?: boolean;
  /** The refusal is one that a resource version in the request can have caused [RF22]. */
  readonly isVersionSuspect?: boolean;
}

/** Servers refuse a version that they cannot parse with any of these. */
const versionSuspectCodes: ReadonlySet<number | undefined> = new Set([400, 410, 422, 500]);

/** A failure of a list, or of opening or reading a stream. */
export function watchFailure(error: Error): WatchFailure {
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  const isMissing = error instanceof NotFoundError || error instanceof ForbiddenError;
  const isVersionSuspect = error instanceof ApiError && versionSuspectCodes.has(error.status.code);
  return {
    kind: kindOfFailure(error),
    error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(isMissing && { isMissing }),
    ...(isVersionSuspect && { isVersionSuspect }),
  };
}

/** The failure in an ERROR event, which ends its stream. */
export function errorEventFailure(error: ApiError): WatchFailure {
  const { reason, code } = error.status;
  const isInternal = reason === "InternalError" || (reason === undefined && code === 500);
  return isInternal ? { kind: "internal", error } : watchFailure(error);
}

function kindOfFailure(error: Error): FailureKind {
  if (error instanceof ConnectionError) return "unreachable";
  if (error instanceof RequestTimeoutError) return "timeout";
  if (error instanceof MalformedResponseError) return "garbled";
  if (error instanceof GoneError) return "expired";
  if (error instanceof TooManyRequestsError) return "tooManyRequests";
  return error instanceof ApiError && isVersionTooLarge(error) ? "versionTooLarge" : "other";
}

function isVersionTooLarge({ status }: ApiError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") ?? false;
}
