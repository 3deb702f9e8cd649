import type { EventRecorder } from "keelson";
import type { BackUp } from "../api/back-up.ts";
import type { HistoryEntry } from "../api/status.ts";
import type { Problem } from "./problem.ts";

interface News {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Tells how runs ended that were not known of before. */
export function recordRuns(events: EventRecorder, backup: BackUp, entries: readonly HistoryEntry[]): void {
  for (const entry of entries) {
    const told = newsOf(entry);
    if (told !== undefined) events.record(backup, { action: "Run", ...told });
  }
}

function newsOf({ job, duration, result, reason = "" }: HistoryEntry): News | undefined {
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
        message: `Job ${job} was deleted, or taken from the BackUp, after ${duration}, before its end was seen`,
      };
    case "Replaced":
      // Told when it was ended.
      return undefined;
  }
}

export function recordProblem(events: EventRecorder, backup: BackUp, { reason, message }: Problem): void {
  events.record(backup, { type: "Warning", reason, action: "Apply", message });
}
