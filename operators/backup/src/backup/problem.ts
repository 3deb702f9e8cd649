import { type ApiError, BadRequestError, ForbiddenError, ForeignObjectError, InvalidError } from "keelson";
import { cutText } from "keelson/low-level";
import { Reason } from "../api/reasons.ts";
import type { BackUpSpec } from "../api/spec.ts";
import { isNeverDue } from "./next-run.ts";

/** A problem that the conditions show, and that in most cases a user has to solve. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  /** A retry does not help until the BackUp or the other object changes. */
  readonly isTerminal: boolean;
}

/** In bytes. The message of a server may be long, and conditions are for people to read. */
const longestMessage = 1024;

/** The problem that an error means for the user; undefined if the operator only has to retry. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof ForeignObjectError) return nameTaken(error);
  if (error instanceof InvalidError || error instanceof BadRequestError) return rejected(error, true);
  // A quota or a policy may allow later what it forbids now, without a change of the BackUp or its objects.
  if (error instanceof ForbiddenError) return rejected(error, false);
  return undefined;
}

/** The problem with a schedule that the API server accepts and that never starts a run. */
export function problemOfSchedule({ schedule }: BackUpSpec, nowMs: number): Problem | undefined {
  if (schedule === undefined || !isNeverDue(schedule, nowMs)) return undefined;
  const message = `the schedule ${schedule} is not due within five years; give it a day that exists, such as 0 3 1 * *`;
  return { reason: Reason.NeverDue, message, isTerminal: true };
}

function nameTaken({ message }: ForeignObjectError): Problem {
  return { reason: Reason.NameTaken, message, isTerminal: true };
}

function rejected(error: ApiError, isTerminal: boolean): Problem {
  const message = cutText(error.status.message ?? error.message, longestMessage);
  return { reason: Reason.Rejected, message, isTerminal };
}
