import { isRecord, KeelsonError, type StatusDetails } from "@keelson/core";
import { ApiError } from "../status/api-error.ts";

/** A webhook gave no answer that counts. Whether that is a refusal is for its failurePolicy to say. */
export class WebhookCallError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.WebhookCallError";
  readonly code = "WEBHOOK_CALL";
}

/** The message of a WebhookCallError. */
export function callFailure(webhook: string, reason: string): string {
  return `failed calling webhook ${JSON.stringify(webhook)}: ${reason}`;
}

/** What a webhook sent is no answer; the message is in the words of the API server. */
export class InvalidReviewError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.InvalidReviewError";
  readonly code = "INVALID_REVIEW";
}

/** The refusal of a webhook, with what it says about it. */
export function denial(webhook: string, status: unknown): ApiError {
  const { code, reason, message, details } = isRecord(status) ? status : {};
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = [message, reason].find((text) => typeof text === "string" && text !== "");
  return new ApiError({
    // A refusal never looks like a success.
    httpCode: typeof code === "number" && code >= 400 ? code : 400,
    ...(typeof reason === "string" && reason !== "" && { reason }),
    message: why === undefined ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(isDetails(details) && { details }),
  });
}

/** What the webhook says is passed on as it is. */
function isDetails(value: unknown): value is StatusDetails {
  return isRecord(value);
}
