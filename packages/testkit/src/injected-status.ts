import type { Status } from "@keelson/core";
import { type RefusedStatus, reasonCodes, refusedStatus } from "@keelson/sandbox";

export type StatusReason = keyof typeof reasonCodes;

/** Default of the message: that the Status was injected. */
export type InjectedStatusOptions = Pick<RefusedStatus, "message" | "retryAfterSeconds">;

/** A failure as the API server reports it, with the code of the reason. */
export function failureStatus(
  reason: StatusReason,
  options: InjectedStatusOptions = {},
): Status & { readonly code: number } {
  return refusedStatus(refusedFor(reason, options));
}

/** The Status of `failureStatus`, as part of a fault. */
export function refusedFor(reason: StatusReason, options: InjectedStatusOptions): RefusedStatus {
  return { ...options, reason, code: reasonCodes[reason] };
}

/** The event with which a watch ends, such as `errorEvent("Expired")` for a resource version that is too old. */
export function errorEvent(reason: StatusReason, options: InjectedStatusOptions = {}): string {
  return JSON.stringify({ type: "ERROR", object: failureStatus(reason, options) });
}
