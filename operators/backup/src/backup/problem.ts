import { ApiError, BadRequestError, ForbiddenError, ForeignObjectError, InvalidError } from "keelson";
import { TooLargeError } from "keelson/client";
import { cutText } from "keelson/low-level";
import { Reason } from "../api/reasons.ts";
import type { BackUpSpec } from "../api/spec.ts";
import { isNeverDue } from "./next-run.ts";

/** Why the desired state has not been reached. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  /**
   * - `terminal`: a retry does not help until the BackUp or the other object changes;
   * - `lasting`: retries may go on for long, and in most cases an administrator has to act;
   * - `passing`: the next retry is expected to succeed, as after a conflict or without a connection.
   */
  readonly severity: "terminal" | "lasting" | "passing";
}

/** In bytes. The message of a server may be long, and conditions are for people to read. */
const longestMessage = 1024;

/** Does not contain the error, whose text may differ each time. */
const retrying: Problem = {
  reason: Reason.Retrying,
  message:
    "the desired Job or CronJob could not be applied; the operator retries, and its log contains the error",
  severity: "passing",
};

/** The problem that an error means for the user. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ForeignObjectError) return nameTaken(error);
  if (error instanceof InvalidError || error instanceof BadRequestError) return rejected(error, "terminal");
  return isLasting(error) ? rejected(error, "lasting") : retrying;
}

/** A quota, a policy or a webhook may allow later what it refuses now, without a change of the BackUp or its objects. */
function isLasting(error: unknown): error is ApiError {
  if (error instanceof ForbiddenError || error instanceof TooLargeError) return true;
  return error instanceof ApiError && error.status.code === 500;
}

/** The problem with a schedule that the API server accepts and that never starts a run. */
export function problemOfSchedule({ schedule }: BackUpSpec, nowMs: number): Problem | undefined {
  if (schedule === undefined || !isNeverDue(schedule, nowMs)) return undefined;
  const message = `the schedule ${schedule} is not due within five years; give it a day that exists, such as 0 3 1 * *`;
  return { reason: Reason.NeverDue, message, severity: "terminal" };
}

function nameTaken({ message }: ForeignObjectError): Problem {
  return { reason: Reason.NameTaken, message, severity: "terminal" };
}

function rejected(error: ApiError, severity: Problem["severity"]): Problem {
  const message = cutText(error.status.message ?? error.message, longestMessage);
  return { reason: Reason.Rejected, message, severity };
}
