import { ApiError } from "../status/api-error.ts";

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
