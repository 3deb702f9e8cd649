import { isRecord } from "./json.ts";
import type { ListMeta } from "./meta.ts";

/** What the API server returns instead of an object: the outcome of a delete, or the reason for a refusal. */
export interface Status {
  readonly apiVersion: "v1";
  readonly kind: "Status";
  readonly metadata?: ListMeta;
  readonly status?: "Success" | "Failure";
  readonly message?: string;
  /** A word for programs, such as `NotFound` or `AlreadyExists`. */
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export function isStatus(value: unknown): value is Status {
  return isRecord(value) && value.kind === "Status" && value.apiVersion === "v1";
}
