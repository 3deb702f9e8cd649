import { type Condition, conditions, z } from "keelson";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed" | "Updating" | "Suspended";

/** A run that has ended. */
export interface HistoryEntry {
  readonly job: string;
  /** Of the Job, which tells it from others of the same name. */
  readonly uid: string;
  readonly start: string;
  readonly end: string;
  /** Such as `1h2m3s`. */
  readonly duration: string;
  readonly result: "Succeeded" | "Failed";
  /** Why it failed. */
  readonly reason?: string;
  readonly image: string;
  readonly type: string;
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
  /** Newest first. */
  readonly history?: readonly HistoryEntry[];
  readonly conditions?: readonly Condition[];
}

const time = z.iso.datetime({ offset: true });
const count = z.int32().min(0);

const entry: z.ZodType<HistoryEntry, HistoryEntry> = z.object({
  job: z.string(),
  uid: z.string(),
  start: time,
  end: time,
  duration: z.string(),
  result: z.enum(["Succeeded", "Failed"]),
  reason: z.string().exactOptional(),
  image: z.string(),
  type: z.string(),
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
  history: z.array(entry).exactOptional().describe("Runs that have ended, newest first"),
  conditions: conditions().exactOptional(),
});
