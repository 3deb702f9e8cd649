/** The conditions of a BackUp. */
export const ConditionType = {
  /** A run is under way, or being prepared. */
  Progressing: "Progressing",
  /** The last run that ended has succeeded. */
  Succeeded: "Succeeded",
  /** What runs, or ran last, is what the spec asks for. */
  UpToDate: "UpToDate",
  /** Something is in the way that does not go away by itself. */
  Degraded: "Degraded",
} as const;

/** Why the conditions are as they are. */
export const Reason = {
  /** The Job is about to be there, or nobody has looked at it yet. */
  CreatingJob: "CreatingJob",
  /** The Job is there, and none of its workers has started. */
  WaitingForWorkers: "WaitingForWorkers",
  /** Workers of the Job have started. */
  JobRunning: "JobRunning",
  /** A scheduled BackUp waits for its next run. */
  WaitingForSchedule: "WaitingForSchedule",
  /** The spec says so, and nothing runs. */
  Suspended: "Suspended",
  /** The one run of a BackUp without a schedule is over. */
  JobFinished: "JobFinished",
  /** All workers of the last run have succeeded. */
  JobSucceeded: "JobSucceeded",
  /** The last run took too long, or too many of its workers failed. */
  JobFailed: "JobFailed",
  /** No run has ended so far. */
  NoRunYet: "NoRunYet",
  /** No run of an earlier spec is under way. */
  UpToDate: "UpToDate",
  /** The image has changed, and with it the Job that is wanted. */
  ImageUpdated: "ImageUpdated",
  /** Something else has changed that a Job cannot take over once it is there. */
  SpecUpdated: "SpecUpdated",
  /** The name of the Job or CronJob is taken by one that is somebody else's. */
  NameTaken: "NameTaken",
  /** The API server refuses the Job or CronJob. */
  Rejected: "Rejected",
  /** The schedule has no time that ever comes, such as the 30th of February. */
  NeverDue: "NeverDue",
  /** Nothing is in the way. */
  AsExpected: "AsExpected",
} as const;
