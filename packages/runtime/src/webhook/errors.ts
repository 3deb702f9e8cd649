import { KeelsonError, type StatusCause } from "@keelson/core";

/** The base of the errors of webhooks and their certificates. */
export abstract class WebhookError extends KeelsonError {
  static override readonly brand: string = "keelson.WebhookError";
}

/** Why a request is denied: the `reason` of the Status. */
export type DenialReason =
  | "BadRequest"
  | "Conflict"
  | "Forbidden"
  | "Gone"
  | "Invalid"
  | "NotAcceptable"
  | "NotFound"
  | "TooManyRequests";

/** The details of a denial, for the Status. */
export interface DenialDetails {
  /** Default Forbidden, with code 403. */
  readonly reason?: DenialReason;
  /** The invalid field, such as `spec.replicas`. */
  readonly field?: string;
  /** All invalid fields, if there are several. */
  readonly causes?: readonly StatusCause[];
}

/** A handler denies a request. The user sees the message; it is no failure of the webhook. */
export class AdmissionDeniedError extends WebhookError {
  static override readonly brand: string = "keelson.AdmissionDeniedError";
  readonly code = "ADMISSION_DENIED";
  readonly reason: DenialReason;
  readonly causes: readonly StatusCause[];

  constructor(message: string, { reason = "Forbidden", field, causes = [] }: DenialDetails = {}) {
    super(message);
    this.reason = reason;
    this.causes = field === undefined ? causes : [{ field, message }, ...causes];
  }
}

/** A handler did not finish within the timeout of the API server; the reason with which its signal aborts. */
export class WebhookTimeoutError extends WebhookError {
  static override readonly brand: string = "keelson.WebhookTimeoutError";
  readonly code = "WEBHOOK_TIMEOUT";
  readonly path: string;
  readonly limitMs: number;

  constructor(path: string, limitMs: number) {
    super(
      `call webhook ${path}: no response within ${limitMs / 1000} s; try again, or raise its timeoutSeconds`,
    );
    this.path = path;
    this.limitMs = limitMs;
  }
}

/** Two webhooks have the same path [WH6]. */
export class DuplicateWebhookPathError extends WebhookError {
  static override readonly brand: string = "keelson.DuplicateWebhookPathError";
  readonly code = "DUPLICATE_WEBHOOK_PATH";
  readonly path: string;

  constructor(path: string) {
    super(`register webhook ${path}: another one has this path; give one of them another`);
    this.path = path;
  }
}

/** A request that is no review, or a webhook or conversion whose settings are invalid. */
export class InvalidWebhookError extends WebhookError {
  static override readonly brand: string = "keelson.InvalidWebhookError";
  readonly code = "INVALID_WEBHOOK";

  constructor(what: string, problem: string) {
    super(`${what}: ${problem}`);
  }
}

/** An object could not be converted [WH8]. */
export class ConversionError extends WebhookError {
  static override readonly brand: string = "keelson.ConversionError";
  readonly code = "CONVERSION";

  constructor(from: string, to: string, problem: string, options?: ErrorOptions) {
    super(`convert ${from} to ${to}: ${problem}`, options);
  }
}

/** A certificate that cannot be served. Never contains any part of the key. */
export class InvalidCertificateError extends WebhookError {
  static override readonly brand: string = "keelson.InvalidCertificateError";
  readonly code = "INVALID_CERTIFICATE";

  constructor(what: string, problem: string) {
    super(`read ${what}: ${problem}`);
  }
}

/** A certificate was requested before `load`. */
export class NoCertificateError extends WebhookError {
  static override readonly brand: string = "keelson.NoCertificateError";
  readonly code = "NO_CERTIFICATE";

  constructor(what: string) {
    super(`serve ${what}: it is not loaded; await load() first`);
  }
}
