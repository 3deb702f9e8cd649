import { KeelsonError, type Status } from "@keelson/core";

/** The base of everything that a call to an API server can fail with. Aborting is not among them: it throws the signal's reason. */
export abstract class ClientError extends KeelsonError {
  static override readonly brand: string = "@keelson/client.ClientError";
}

/**
 * The API server refused a request. Carries the Status of the response; each refusal that programs handle has a
 * class of its own below.
 */
export class ApiError extends ClientError {
  static override readonly brand: string = "@keelson/client.ApiError";
  readonly code: string = "API_ERROR";
  readonly status: Status;
  /** The call, such as `update deployments.apps shop/web`. */
  readonly operation: string;

  constructor(operation: string, status: Status) {
    super(`${operation}: the API server responded with ${describeStatus(status)}`);
    this.operation = operation;
    this.status = status;
  }

  /** How long to wait before another try, if the server says so. What is not a number of seconds is not considered. */
  get retryAfterMs(): number | undefined {
    const seconds = this.status.details?.retryAfterSeconds;
    return Number.isFinite(seconds) && seconds !== undefined && seconds >= 0 ? seconds * 1000 : undefined;
  }
}

/** 400: the request itself makes no sense to the server. */
export class BadRequestError extends ApiError {
  static override readonly brand: string = "@keelson/client.BadRequestError";
  override readonly code = "BAD_REQUEST";
}

/** 401: the server does not know who is asking. */
export class UnauthorizedError extends ApiError {
  static override readonly brand: string = "@keelson/client.UnauthorizedError";
  override readonly code = "UNAUTHORIZED";
}

/** 403: who is asking may not do this; RBAC or an admission plugin says no. */
export class ForbiddenError extends ApiError {
  static override readonly brand: string = "@keelson/client.ForbiddenError";
  override readonly code = "FORBIDDEN";
}

/** 404: the object, or the kind, is not there. */
export class NotFoundError extends ApiError {
  static override readonly brand: string = "@keelson/client.NotFoundError";
  override readonly code = "NOT_FOUND";
}

/** 409 on a create: an object of that name exists. */
export class AlreadyExistsError extends ApiError {
  static override readonly brand: string = "@keelson/client.AlreadyExistsError";
  override readonly code = "ALREADY_EXISTS";
}

/** 409: the object has changed since it was read, or another manager owns a field. Read it again. */
export class ConflictError extends ApiError {
  static override readonly brand: string = "@keelson/client.ConflictError";
  override readonly code = "CONFLICT";
}

/** 410: the resource version is too old, or the continue token has expired. List again. */
export class GoneError extends ApiError {
  static override readonly brand: string = "@keelson/client.GoneError";
  override readonly code = "GONE";
}

/** 413: the object is larger than the server takes. */
export class TooLargeError extends ApiError {
  static override readonly brand: string = "@keelson/client.TooLargeError";
  override readonly code = "TOO_LARGE";
}

/** 422: the object breaks its schema or a rule; `status.details.causes` names the fields. */
export class InvalidError extends ApiError {
  static override readonly brand: string = "@keelson/client.InvalidError";
  override readonly code = "INVALID";
}

/** 429: the server wants fewer requests, or a PodDisruptionBudget does not allow an eviction now. */
export class TooManyRequestsError extends ApiError {
  static override readonly brand: string = "@keelson/client.TooManyRequestsError";
  override readonly code = "TOO_MANY_REQUESTS";
}

/** 504, or a Status that says Timeout: the server gave up on the request; it may or may not have been carried out. */
export class ServerTimeoutError extends ApiError {
  static override readonly brand: string = "@keelson/client.ServerTimeoutError";
  override readonly code = "SERVER_TIMEOUT";
}

/** No response arrived, or only part of one. Whether a write was executed is not known. */
export class ConnectionError extends ClientError {
  static override readonly brand: string = "@keelson/client.ConnectionError";
  readonly code = "CONNECTION";
  readonly operation: string;

  constructor(operation: string, cause: Error) {
    super(`${operation}: ${rootMessage(cause)}; is the API server reachable?`, { cause });
    this.operation = operation;
  }
}

/** The response did not arrive in time. Whether a write was executed is not known. */
export class RequestTimeoutError extends ClientError {
  static override readonly brand: string = "@keelson/client.RequestTimeoutError";
  readonly code = "REQUEST_TIMEOUT";
  readonly operation: string;
  readonly timeoutMs: number;

  constructor(
    operation: string,
    { timeoutMs, cause }: { readonly timeoutMs: number; readonly cause: unknown },
  ) {
    super(`${operation}: no complete response in ${timeoutMs / 1000} s; is the API server overloaded?`, {
      cause,
    });
    this.operation = operation;
    this.timeoutMs = timeoutMs;
  }
}

/** What was waited for did not come true in time. */
export class WaitTimeoutError extends ClientError {
  static override readonly brand: string = "@keelson/client.WaitTimeoutError";
  readonly code = "WAIT_TIMEOUT";
  readonly operation: string;
  readonly timeoutMs: number;

  constructor(
    operation: string,
    { timeoutMs, cause }: { readonly timeoutMs: number; readonly cause: unknown },
  ) {
    super(`${operation}: what was waited for was not so after ${timeoutMs / 1000} s`, { cause });
    this.operation = operation;
    this.timeoutMs = timeoutMs;
  }
}

/** The response is not what the Kubernetes API promises, such as half a JSON document. */
export class MalformedResponseError extends ClientError {
  static override readonly brand: string = "@keelson/client.MalformedResponseError";
  readonly code = "MALFORMED_RESPONSE";
  readonly operation: string;

  constructor(operation: string, { problem, cause }: { readonly problem: string; readonly cause?: unknown }) {
    super(`${operation}: ${problem}; is there something between us and the API server?`, { cause });
    this.operation = operation;
  }
}

/** The transport was closed and sends no more requests. */
export class TransportClosedError extends ClientError {
  static override readonly brand: string = "@keelson/client.TransportClosedError";
  readonly code = "TRANSPORT_CLOSED";

  constructor(server: string) {
    super(`send a request to ${server}: the transport is closed; make a new one`);
  }
}

/** A call cannot be made as it was written; nothing was sent. */
export class InvalidCallError extends ClientError {
  static override readonly brand: string = "@keelson/client.InvalidCallError";
  readonly code = "INVALID_CALL";
  readonly operation: string;

  constructor(operation: string, problem: string) {
    super(`${operation}: ${problem}`);
    this.operation = operation;
  }
}

/** The server serves no such kind, also after another discovery. */
export class NoKindMatchError extends ClientError {
  static override readonly brand: string = "@keelson/client.NoKindMatchError";
  readonly code = "NO_KIND_MATCH";
  readonly group: string;
  readonly version: string | undefined;
  readonly kind: string;

  constructor(group: string, version: string | undefined, kind: string) {
    const name = [group || "core", version].filter(Boolean).join("/");
    super(`find kind ${kind} in ${name}: the API server does not serve it; is its CRD installed?`);
    this.group = group;
    this.version = version;
    this.kind = kind;
  }
}

type ApiErrorClass = new (operation: string, status: Status) => ApiError;

/** A Status names its reason; one that does not, such as a proxy's, is classified by its HTTP code. */
const classes: ReadonlyMap<string | number, ApiErrorClass> = new Map<string | number, ApiErrorClass>([
  ["BadRequest", BadRequestError],
  ["Unauthorized", UnauthorizedError],
  ["Forbidden", ForbiddenError],
  ["NotFound", NotFoundError],
  ["AlreadyExists", AlreadyExistsError],
  ["Conflict", ConflictError],
  ["Gone", GoneError],
  ["Expired", GoneError],
  ["RequestEntityTooLarge", TooLargeError],
  ["Invalid", InvalidError],
  ["TooManyRequests", TooManyRequestsError],
  ["Timeout", ServerTimeoutError],
  ["ServerTimeout", ServerTimeoutError],
  [400, BadRequestError],
  [401, UnauthorizedError],
  [403, ForbiddenError],
  [404, NotFoundError],
  [409, ConflictError],
  [410, GoneError],
  [413, TooLargeError],
  [422, InvalidError],
  [429, TooManyRequestsError],
  [504, ServerTimeoutError],
]);

/** The error for a refusal, of the class for the reason of its Status. */
export function apiErrorFrom(operation: string, status: Status): ApiError {
  const ErrorClass = classes.get(status.reason ?? "") ?? classes.get(status.code ?? 0) ?? ApiError;
  return new ErrorClass(operation, status);
}

function describeStatus({ code, reason, message }: Status): string {
  const head = [code, reason].filter(Boolean).join(" ");
  return message === undefined || message === "" ? head : `${head}: ${message}`;
}

function rootMessage(error: Error): string {
  if (error.message !== "") return error.message;
  // An AggregateError of several refused addresses has no message of its own.
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : error.name;
}
