import { KeelsonError, type Stored } from "keelson";
import type { SharedSecret } from "../api/shared-secret.ts";
import { nextRotationMs, retryDelayMs } from "./schedule.ts";

/** Why a value is not rotated now. */
export type NotDueReason =
  | "BeingDeleted"
  /** The spec has no rotator. */
  | "NoRotator"
  /** The policy does not let the secret be shared, or nothing is known of it yet. */
  | "NotApproved"
  /** The approved rotation period is never. */
  | "NoPeriod"
  /** Its time has not come. */
  | "NotDue"
  /** It is due, but not all consumers have the current value. */
  | "WaitingForConsumers"
  /** It is due, and the last attempt failed a short time ago. */
  | "BackingOff"
  /** The Secret does not exist yet, or the SharedSecret does not control it. */
  | "NoSecret"
  /** The Secret was changed while a new value was made. */
  | "SecretChanged";

/** Whether a value is to be rotated now. */
export type RotationDue = { readonly due: true } | NotDue;

/** That a value is not to be rotated now. */
export interface NotDue {
  readonly due: false;
  readonly reason: NotDueReason;
  /** When the time may have come; undefined if only a change of an object leads to a rotation. */
  readonly retryAtMs?: number;
}

/**
 * Decides whether a value is to be rotated. What counts is when the Secret was rotated, since the status may not show it yet.
 *
 * A rotation waits for the consumers: the value before the current one ends to work with it, and pods that have not been
 * restarted still use that.
 */
export function rotationDue(
  { metadata, spec, status = {}, podsRestartRequired }: Stored<SharedSecret>,
  /** Of the Secret; undefined if it was never rotated. */
  rotatedAtMs: number | undefined,
  nowMs: number,
): RotationDue {
  const { approved = false, rotateSeconds = 0, rotation = {} } = status;
  if (metadata.deletionTimestamp !== undefined) return notDue("BeingDeleted");
  if (spec.rotator === undefined) return notDue("NoRotator");
  if (!approved) return notDue("NotApproved");
  if (rotateSeconds <= 0) return notDue("NoPeriod");
  const { uid } = metadata;
  const isPlausible = rotatedAtMs !== undefined && rotatedAtMs <= nowMs + rotateSeconds * 1000;
  // A time further in the future was written with a wrong clock, and would end the rotations.
  const dueMs = isPlausible ? nextRotationMs({ lastMs: rotatedAtMs, rotateSeconds, uid }) : nowMs;
  if (dueMs > nowMs) return notDue("NotDue", dueMs);
  if (podsRestartRequired || status.podsRestartRequired === true || status.restart !== undefined)
    return notDue("WaitingForConsumers");
  const { failures = 0, lastAttempt } = rotation;
  if (failures === 0 || lastAttempt === undefined) return { due: true };
  const attemptMs = Math.min(Date.parse(lastAttempt), nowMs);
  const retryMs = attemptMs + retryDelayMs(failures);
  return retryMs > nowMs ? notDue("BackingOff", retryMs) : { due: true };
}

function notDue(reason: NotDueReason, retryAtMs?: number): NotDue {
  return { due: false, reason, ...(retryAtMs !== undefined && { retryAtMs }) };
}

/** A value is not to be rotated any more, such as because another rotator was faster. Nothing failed. */
export class NotDueError extends KeelsonError {
  static override readonly brand: string = "keelson.shared-secret.NotDueError";
  readonly code = "NOT_DUE";
  readonly notDue: NotDue;

  constructor(notDue: NotDue) {
    super(`rotate: it is not due any more (${notDue.reason}); do nothing`);
    this.notDue = notDue;
  }
}
