import type { Status } from "@keelson/core";
import { ApiError } from "../status/api-error.ts";
import type { RequestMatch } from "./request-match.ts";

/** The faults that the embedded control plane and the faulty transport of @keelson/testkit have in common. */
export type CommonFault =
  /** The server refuses the request with a Status; the request has no effect. */
  | { readonly kind: "refuse"; readonly status: RefusedStatus }
  /** The connection breaks before the server has seen the request. */
  | { readonly kind: "reset" }
  /** The server executes the request, and the connection breaks before the response. */
  | { readonly kind: "loseResponse" }
  /** The body of the response breaks off after this many lines, such as the events of a watch. */
  | { readonly kind: "cut"; readonly afterLines: number };

/** A failure that the embedded control plane injects into a request. */
export type Fault =
  | CommonFault
  /** The request reaches the server this much later. */
  | { readonly kind: "delay"; readonly delayMs: number }
  /** The response leaves the server this much later. */
  | { readonly kind: "delayResponse"; readonly delayMs: number };

/** The Status with which a request is refused. */
export interface RefusedStatus {
  readonly code: number;
  /** Default: the usual one for the code, such as `TooManyRequests` for 429. */
  readonly reason?: string;
  /** Default: a message which says that the refusal was injected. */
  readonly message?: string;
  /** In the details of the Status and in the header `retry-after`. Default: absent. */
  readonly retryAfterSeconds?: number;
}

/** The HTTP status codes of the reasons of the API server; of several reasons with one code, the usual one first. */
export const reasonCodes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Conflict: 409,
  AlreadyExists: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export interface RefusedResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response of a server that refuses a request. */
export function refusedResponse(refused: RefusedStatus): RefusedResponse {
  const { status, headers } = refusal(refused);
  return {
    status: status.code,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(status),
  };
}

/** The Status in the response of a server that refuses a request. */
export function refusedStatus(refused: RefusedStatus): Status & { readonly code: number } {
  return refusal(refused).status;
}

function refusal({ code, message, retryAfterSeconds, ...given }: RefusedStatus): ApiError {
  const [usualReason] = Object.entries(reasonCodes).find(([, usualCode]) => usualCode === code) ?? [];
  const reason = given.reason ?? usualReason;
  return new ApiError({
    httpCode: code,
    message: message ?? `injected: ${reason ?? code}`,
    ...(reason !== undefined && { reason }),
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
  });
}

/** A fault, and the requests into which it is injected. */
export interface FaultRule {
  /** Default: every request. */
  readonly match?: RequestMatch;
  readonly fault: Fault;
  /** The number of requests into which it is injected. Default: all, until the rule is removed. */
  readonly times?: number;
}

/** Injects faults into the requests of the embedded control plane. */
export interface Faults {
  /** The first rule that matches a request applies. Returns a function that removes the rule. */
  add(rule: FaultRule): () => void;
  /** Removes every rule, and ends `freezeReads`. */
  clear(): void;
  /** Breaks the open watches that match; returns their number. */
  cutWatches(match?: RequestMatch): number;
  /**
   * Breaks every connection, and refuses new ones for `downMs`. Stored objects remain; the history does not, so that a
   * watch from an earlier revision gets 410.
   */
  restart(downMs: number): Promise<void>;
  /** Drops the history, so that a watch from an earlier revision gets 410. */
  compact(): void;
  /**
   * Lists and gets that allow old data (resourceVersion "0", or one that is not newer) return the current state until
   * `clear` or the returned function is called, like those of an API server whose watch cache is stale.
   */
  freezeReads(): () => void;
}
