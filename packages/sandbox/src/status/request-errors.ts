import { ApiError, type NamedResource } from "./api-error.ts";

/** The response to a method that a path does not support. */
export function methodRefused(): ApiError {
  return new ApiError({
    httpCode: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    details: {},
  });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError({
    httpCode: 415,
    reason: "UnsupportedMediaType",
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  });
}

/** The response of the router of built-in kinds to a patch of an unknown type. */
export function unsupportedPatch(): ApiError {
  return new ApiError({
    httpCode: 415,
    reason: "UnsupportedMediaType",
    message: "415: Unsupported Media Type",
    details: {},
  });
}

export function notAcceptable(message: string, details?: Readonly<Record<string, never>>): ApiError {
  return new ApiError({
    httpCode: 406,
    reason: "NotAcceptable",
    message,
    ...(details !== undefined && { details }),
  });
}

export function tooLarge(limit: number): ApiError {
  return new ApiError({
    httpCode: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: limit is ${limit}`,
  });
}

/** The response to a read of a revision that is in the future. */
export function revisionTooLarge(requested: number, current: number): ApiError {
  return new ApiError({
    httpCode: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

export function tooOldToWatch(requested: number, compacted: number): ApiError {
  return new ApiError({
    httpCode: 410,
    reason: "Expired",
    message: `too old resource version: ${requested} (${compacted})`,
  });
}

/** `pods "x" is forbidden: …`, or without a resource `forbidden: …`. */
export function accessDenied(
  what: string,
  why: string,
  resource?: NamedResource & { name: string },
): ApiError {
  if (resource === undefined) {
    return new ApiError({ httpCode: 403, reason: "Forbidden", message: `forbidden: ${why}`, details: {} });
  }
  const { group, plural, name } = resource;
  return new ApiError({
    httpCode: 403,
    reason: "Forbidden",
    message: `${what} is forbidden: ${why}`,
    details: { ...(name !== "" && { name }), ...(group !== "" && { group }), kind: plural },
  });
}

/** A patch that does not fit the object. The server's message contains neither the operation nor the reason. */
export function rejectedPatch(): ApiError {
  return new ApiError({
    httpCode: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    details: {},
  });
}

export function tooManyOperations(limit: number, count: number): ApiError {
  const why = `The allowed maximum operations in a JSON patch is ${limit}, got ${count}`;
  return new ApiError({
    httpCode: 413,
    reason: "RequestEntityTooLarge",
    message: `Request entity too large: ${why}`,
  });
}
