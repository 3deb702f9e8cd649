import type { ServiceResponse } from "@keelson/core";
import { ApiError } from "../status/api-error.ts";
import type { RefusedStatus } from "./fault.ts";

const usualReasons: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [409, "Conflict"],
  [410, "Expired"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

/** The answer of a server that refuses a request for no fault of the client. */
export function refusal(refused: RefusedStatus): ServiceResponse {
  const { code, message = "refused on request", retryAfterSeconds } = refused;
  const reason = refused.reason ?? usualReasons.get(code);
  const error = new ApiError({
    httpCode: code,
    ...(reason !== undefined && { reason }),
    message,
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
  });
  const headers = { "content-type": "application/json", ...error.headers };
  return { status: code, headers, body: JSON.stringify(error.status) };
}
