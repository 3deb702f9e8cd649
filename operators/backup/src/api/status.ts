import { type Condition, conditions, z } from "keelson";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed" | "Updating" | "Suspended";

/** A run. */
interface Entry {
  readonly job: string;
  /** Of the Job, which tells it from others of the same name. */
  readonly uid: string;
  readonly start: string;
  readonly image: string;
  readonly type: string;
}

/** A run that is under way. */
export interface RunningEntry extends Entry {
  readonly revision: string;
}

/**
 * What came of a run. The last two are of runs whose Jobs went before they ended: with updatePolicy Replace because of
 * another spec, or because somebody deleted them or took them from the BackUp.
 */
export type Result = "Succeeded" | "Failed" | "Replaced" | "Deleted";

/** A run that has ended. */
export interface HistoryEntry extends Entry {
  /** Of a run whose Job went: when that was noticed. */
  readonly end: string;
  /** Such as `1h2m3s`. */
  readonly duration: string;
  readonly result: Result;
  /** Why it failed. */
  readonly reason?: string;
}

/** What is known of a BackUp. */
export interface BackUpStatus {
  readonly observedGeneration?: number;
  readonly phase?: Phase;
  /** Workers that run now. */
  readonly active?: number;
  /** Workers that have succeeded, of the run under way or else the last one. */
  readonly completed?: number;
  readonly lastRunTime?: string;
  readonly lastSuccessTime?: string;
  readonly nextRunTime?: string;
  /** Of the last run that ended. */
  readonly lastDuration?: string;
  /** Runs that ended well, ever. */
  readonly successes?: number;
  /** Runs that failed, ever. */
  readonly failures?: number;
  /** Which revision has run, of a BackUp without a schedule: it is not run again when its Job is gone. */
  readonly finishedRevision?: string;
  /** Runs whose workers have started. Should their Jobs vanish, it is known from here that there were runs. */
  readonly running?: readonly RunningEntry[];
  /** Newest first. */
  readonly history?: readonly HistoryEntry[];
  readonly conditions?: readonly Condition[];
}

const time = z.iso.datetime({ offset: true });
const count = z.int32().min(0);

const entry = z.object({
  job: z.string(),
  uid: z.string(),
  start: time,
  image: z.string(),
  type: z.string(),
});

const runningEntry: z.ZodType<RunningEntry, RunningEntry> = entry.extend({ revision: z.string() });

const historyEntry: z.ZodType<HistoryEntry, HistoryEntry> = entry.extend({
  end: time,
  duration: z.string(),
  result: z.enum(["Succeeded", "Failed", "Replaced", "Deleted"]),
  reason: z.string().exactOptional(),
});

export const status: z.ZodType<BackUpStatus, BackUpStatus> = z.object({
  observedGeneration: z.int().exactOptional(),
  phase: z.enum(["Pending", "Running", "Succeeded", "Failed", "Updating", "Suspended"]).exactOptional(),
  active: count.exactOptional().describe("Workers that run now"),
  completed: count
    .exactOptional()
    .describe("Workers that have succeeded, of the run under way or else the last one"),
  lastRunTime: time.exactOptional(),
  lastSuccessTime: time.exactOptional(),
  nextRunTime: time.exactOptional(),
  lastDuration: z.string().exactOptional(),
  successes: count.exactOptional(),
  failures: count.exactOptional(),
  finishedRevision: z.string().exactOptional(),
  running: z.array(runningEntry).exactOptional().describe("Runs whose workers have started"),
  history: z.array(historyEntry).exactOptional().describe("Runs that have ended, newest first"),
  conditions: conditions().exactOptional(),
});
