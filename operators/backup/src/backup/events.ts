import type { ObjectContext } from "keelson";
import type { EventToRecord } from "keelson/controller";
import type { BackUp } from "../api/back-up.ts";
import type { BackUpStatus, HistoryEntry } from "../api/status.ts";
import type { Problem } from "./problem.ts";

/** Records the end of each run that is new in the history. */
export function recordRuns(
  { object: backup, events }: ObjectContext<BackUp>,
  { history = [] }: BackUpStatus,
): void {
  const known = new Set(backup.status?.history?.map(({ uid }) => uid));
  for (const entry of history) {
    const event = known.has(entry.uid) ? undefined : eventOf(entry);
    if (event !== undefined) events.record(backup, { action: "Run", ...event });
  }
}

function eventOf({ job, duration, result, reason = "" }: HistoryEntry): EventToRecord | undefined {
  switch (result) {
    case "Succeeded":
      return { type: "Normal", reason: "JobSucceeded", message: `Job ${job} succeeded after ${duration}` };
    case "Failed":
      return {
        ...{ type: "Warning", reason: "JobFailed" },
        message: `Job ${job} failed after ${duration}: ${reason}`,
      };
    case "Deleted":
      return {
        ...{ type: "Warning", reason: "JobDeleted" },
        message: `Job ${job} was deleted, or lost its controller reference, after ${duration}, before its end was observed`,
      };
    case "Replaced":
      // The Event EndedJob was recorded when the operator deleted the Job.
      return undefined;
  }
}

export function recordProblem(
  { object: backup, events }: ObjectContext<BackUp>,
  { reason, message }: Problem,
): void {
  events.record(backup, { type: "Warning", reason, action: "Apply", message });
}
