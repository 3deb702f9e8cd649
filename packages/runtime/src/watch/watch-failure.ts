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
 * What the watch machine tells failures apart by. `expired`: the server has forgotten the resource version.
 * `versionTooLarge`: it has not got that far. `tooManyRequests`: it wants fewer requests. `internal`: it ended a stream
 * by a mistake of its own. `unreachable`: there is no server, or the connection broke. `timeout`: no answer in time.
 * `garbled`: bytes that are no answer. `other`: all else, such as a refusal.
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
  /** How long the server asks to wait, if it does. */
  readonly retryAfterMs?: number;
  /** The kind or the permission is not there, which an administrator may be about to mend. */
  readonly isMissing?: boolean;
}

/** A failure of a list, or of opening or reading a stream. */
export function watchFailure(error: Error): WatchFailure {
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  const isMissing = error instanceof NotFoundError || error instanceof ForbiddenError;
  return {
    kind: kindOfFailure(error),
    error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(isMissing && { isMissing }),
  };
}

/** What the server says by an ERROR event, which ends the stream it comes on. */
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
