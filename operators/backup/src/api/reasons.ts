/** The conditions of a BackUp. */
export const ConditionType = {
  /** A run is under way, or is being prepared. */
  Progressing: "Progressing",
  /** The last run that finished has succeeded. */
  Succeeded: "Succeeded",
  /** The desired Job or CronJob has been applied, and no run of an earlier spec is under way. */
  UpToDate: "UpToDate",
  /** A problem keeps the BackUp from running that a user or an administrator has to solve. */
  Degraded: "Degraded",
} as const;

/** Why a condition has its status. */
export const Reason = {
  /** The Job is about to be created, or its controller has not observed it yet. */
  CreatingJob: "CreatingJob",
  /** The Job exists, and none of its workers has started. */
  WaitingForWorkers: "WaitingForWorkers",
  /** Workers of the Job have started. */
  JobRunning: "JobRunning",
  /** A scheduled BackUp waits for its next run. */
  WaitingForSchedule: "WaitingForSchedule",
  /** `spec.suspend` is true, and nothing runs. */
  Suspended: "Suspended",
  /** The one run of a BackUp without a schedule has finished. */
  JobFinished: "JobFinished",
  /** All workers of the last run have succeeded. */
  JobSucceeded: "JobSucceeded",
  /** The last run exceeded its timeout, or too many of its workers failed. */
  JobFailed: "JobFailed",
  /** No run has finished so far. */
  NoRunYet: "NoRunYet",
  /** No run of an earlier spec is under way. */
  UpToDate: "UpToDate",
  /** The image has changed, and with it the desired Job. */
  ImageUpdated: "ImageUpdated",
  /** Another field has changed that a Job cannot take over once it exists. */
  SpecUpdated: "SpecUpdated",
  /** A foreign object has the name of the Job or CronJob. */
  NameTaken: "NameTaken",
  /** The API server refuses the Job or CronJob. */
  Rejected: "Rejected",
  /** The Job or CronJob could not be applied, and the operator retries. */
  Retrying: "Retrying",
  /** The schedule is never due, such as on the 30th of February. */
  NeverDue: "NeverDue",
  /** There is no problem. */
  AsExpected: "AsExpected",
} as const;
