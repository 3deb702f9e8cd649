import { isRecord, KeelsonError, type StatusDetails } from "@keelson/core";
import { ApiError } from "../status/api-error.ts";

/** A webhook returned no valid response. Its failurePolicy decides whether the request is refused. */
export class WebhookCallError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.WebhookCallError";
  readonly code = "WEBHOOK_CALL";
}

/** The message of a WebhookCallError. */
export function callFailure(webhook: string, reason: string): string {
  return `failed calling webhook ${JSON.stringify(webhook)}: ${reason}`;
}

/** The response of a webhook is not a valid review; the message is that of the API server. */
export class InvalidReviewError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.InvalidReviewError";
  readonly code = "INVALID_REVIEW";
}

/** The refusal of a request by a webhook, with its Status. */
export function denial(webhook: string, status: unknown): ApiError {
  const { code, reason, message, details } = isRecord(status) ? status : {};
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = [message, reason].find((text) => typeof text === "string" && text !== "");
  return new ApiError({
    // The code of a refusal is never that of a success.
    httpCode: typeof code === "number" && code >= 400 ? code : 400,
    ...(typeof reason === "string" && reason !== "" && { reason }),
    message: why === undefined ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(isDetails(details) && { details }),
  });
}

/** The details of the webhook are passed on unchanged. */
function isDetails(value: unknown): value is StatusDetails {
  return isRecord(value);
}
