import type { Job, JobCondition } from "@keelson/core/kinds/batch/v1";

/** The condition that says how a Job ended; undefined as long as it has not. */
export function terminalCondition({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(
    (condition) =>
      (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True",
  );
}

export function isJobFinished(job: Job): boolean {
  return terminalCondition(job) !== undefined;
}
