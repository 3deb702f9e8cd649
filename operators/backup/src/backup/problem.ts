import { type ApiError, BadRequestError, ForbiddenError, ForeignObjectError, InvalidError } from "keelson";
import { cutText } from "keelson/low-level";
import { Reason } from "../api/reasons.ts";
import type { BackUpSpec } from "../api/spec.ts";
import { isNeverDue } from "./next-run.ts";

/** Something that users have to know of, and mostly to do something about. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
  /** Trying again is of no use until something changes. */
  readonly isTerminal: boolean;
}

/** Texts of servers may be long, and conditions are for reading. */
const longestMessage = 1024;

/** What users are told of an error; undefined if it concerns the operator alone and is simply tried again. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof ForeignObjectError) return nameTaken(error);
  if (error instanceof InvalidError || error instanceof BadRequestError) return rejected(error, true);
  // A quota, or a policy: what it forbids now it may allow later, without anything of ours changing.
  if (error instanceof ForbiddenError) return rejected(error, false);
  return undefined;
}

/** What users are told of a schedule that the API server takes, and that starts nothing. */
export function problemOfSchedule({ schedule }: BackUpSpec, nowMs: number): Problem | undefined {
  if (schedule === undefined || !isNeverDue(schedule, nowMs)) return undefined;
  const message = `the schedule ${schedule} is not due within five years; give it a day that comes, as 0 3 1 * * does`;
  return { reason: Reason.NeverDue, message, isTerminal: true };
}

function nameTaken({ message }: ForeignObjectError): Problem {
  return { reason: Reason.NameTaken, message, isTerminal: true };
}

function rejected(error: ApiError, isTerminal: boolean): Problem {
  const message = cutText(error.status.message ?? error.message, longestMessage);
  return { reason: Reason.Rejected, message, isTerminal };
}
