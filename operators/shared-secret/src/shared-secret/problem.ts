import { ApiError, ConflictError, ForeignObjectError } from "keelson";
import { Reason } from "../api/reasons.ts";
import { PolicyError, type PolicyProblem } from "../policy/policy.ts";

/** Why a SharedSecret is not as its policy says. */
export interface Problem {
  readonly reason: PolicyProblem | typeof Reason.NameTaken | typeof Reason.Retrying;
  readonly message: string;
}

/** What an error of a reconcile means to users; undefined if the next attempt is expected to succeed. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof PolicyError)
    return {
      reason: error.reason,
      message: `${error.message}; the last known decisions stay in force, and nothing is restarted`,
    };
  if (error instanceof ForeignObjectError) return { reason: Reason.NameTaken, message: error.message };
  if (error instanceof ApiError && !(error instanceof ConflictError))
    return { reason: Reason.Retrying, message: error.message };
  return undefined;
}
