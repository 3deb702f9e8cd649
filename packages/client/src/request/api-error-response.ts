import { isStatus, type Status, type TransportResponse } from "@keelson/core";
import { type ApiError, apiErrorFrom } from "../errors.ts";
import type { PreparedRequest } from "./prepared-request.ts";

/** Anything that is not a success: also a redirect, which an API server does not send. */
export function isErrorResponse({ status }: TransportResponse): boolean {
  return status < 200 || status >= 300;
}

/** The error for a response that is a refusal. */
export function errorFromResponse(
  operation: string,
  request: PreparedRequest,
  response: TransportResponse,
  text: string,
): ApiError {
  const status = statusIn(text) ?? bareStatus(request, response, text);
  const seconds = status.details?.retryAfterSeconds ?? retryAfterSeconds(response);
  const details = seconds === undefined ? status.details : { ...status.details, retryAfterSeconds: seconds };
  const code = status.code ?? response.status;
  return apiErrorFrom(operation, { ...status, code, ...(details !== undefined && { details }) });
}

/** The seconds to wait before the next try, as the response says. */
export function retryAfterSeconds({ headers }: Pick<TransportResponse, "headers">): number | undefined {
  const header = headers["retry-after"];
  const seconds = Number(header);
  return header === undefined || header === "" || !Number.isFinite(seconds) || seconds < 0
    ? undefined
    : seconds;
}

function statusIn(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    // Not JSON: a proxy responded, not the API server, and its text is the best message available.
    return undefined;
  }
}

/** What can be said of a refusal that did not come with a Status, such as a proxy's page. */
function bareStatus({ method }: PreparedRequest, { status: code }: TransportResponse, text: string): Status {
  const reason = code === 409 && method === "POST" ? { reason: "AlreadyExists" } : {};
  return {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code,
    ...reason,
    message: text.trim().slice(0, 500),
  };
}
