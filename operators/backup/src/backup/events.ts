import type { EventRecorder } from "keelson";
import type { BackUp } from "../api/back-up.ts";
import type { HistoryEntry } from "../api/status.ts";
import type { Problem } from "./problem.ts";

/** Tells how runs ended that were not known of before. */
export function recordRuns(events: EventRecorder, backup: BackUp, entries: readonly HistoryEntry[]): void {
  for (const { job, duration, result, reason = "" } of entries) {
    const isSuccess = result === "Succeeded";
    events.record(backup, {
      type: isSuccess ? "Normal" : "Warning",
      reason: isSuccess ? "JobSucceeded" : "JobFailed",
      action: "Run",
      message: isSuccess
        ? `Job ${job} succeeded after ${duration}`
        : `Job ${job} failed after ${duration}: ${reason}`,
    });
  }
}

export function recordProblem(events: EventRecorder, backup: BackUp, { reason, message }: Problem): void {
  events.record(backup, { type: "Warning", reason, action: "Apply", message });
}
