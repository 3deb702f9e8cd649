import { conditions, type Immutable, z } from "keelson";

const time = z.iso.datetime({ offset: true });
const count = z.int32().min(0);

const run = z.object({
  job: z.string(),
  uid: z.string().describe("The uid of the Job; another Job of the same name has another one"),
  start: time,
  image: z.string(),
  type: z.string(),
});

const runningEntry = run.extend({ revision: z.string() });

const historyEntry = run.extend({
  end: time.describe("If the Job was deleted before it finished: when the operator noticed that"),
  duration: z.string().describe("Such as 1h2m3s"),
  result: z
    .enum(["Succeeded", "Failed", "Replaced", "Deleted"])
    .describe(
      "Replaced: the Job was deleted because of another spec, with updatePolicy Replace. Deleted: another client deleted the Job before it finished, or removed its controller reference",
    ),
  reason: z.string().exactOptional().describe("Why it failed"),
});

export const status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that this status describes"),
  phase: z.enum(["Pending", "Running", "Succeeded", "Failed", "Updating", "Suspended"]).exactOptional(),
  active: count.exactOptional().describe("Workers that run now"),
  completed: count
    .exactOptional()
    .describe("Workers that have succeeded, of the run under way or else of the last run"),
  lastRunTime: time.exactOptional().describe("When the last run started"),
  lastSuccessTime: time.exactOptional().describe("When the last successful run finished"),
  nextRunTime: time.exactOptional().describe("When the schedule is due next"),
  lastDuration: z.string().exactOptional().describe("How long the last run took that finished"),
  successes: count.exactOptional().describe("How many runs have succeeded since the BackUp was created"),
  failures: count.exactOptional().describe("How many runs have failed since the BackUp was created"),
  finishedRevision: z
    .string()
    .exactOptional()
    .describe("Without a schedule: the revision that has run, which does not run again without its Job"),
  runAgain: z
    .string()
    .exactOptional()
    .describe("The last value of the annotation run-again, which counts after the annotation was removed"),
  running: z
    .array(runningEntry)
    .exactOptional()
    .describe("Runs whose workers have started; they remain known when their Jobs are deleted"),
  history: z.array(historyEntry).exactOptional().describe("Runs that have ended, newest first"),
  conditions: conditions().exactOptional(),
});

/** What the operator has observed of a BackUp. */
export type BackUpStatus = Immutable<z.output<typeof status>>;

export type Phase = NonNullable<BackUpStatus["phase"]>;

/** A run whose workers have started. */
export type RunningEntry = NonNullable<BackUpStatus["running"]>[number];

/** A run that has ended. */
export type HistoryEntry = NonNullable<BackUpStatus["history"]>[number];

/** How a run ended. */
export type Result = HistoryEntry["result"];
