import { formatTime, mergeConditions, type Stored } from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import type { BackUpStatus, RunningEntry } from "../api/status.ts";
import { conditionsOf } from "./conditions.ts";
import { historyWith, lastFinished, newlyFinished, runningOf } from "./history.ts";
import { nextRunMs } from "./next-run.ts";
import { currentRun, phaseOf } from "./phase.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { jobName } from "./resources/names.ts";
import { runAgainOf } from "./resources/revision.ts";
import { isFinished, type Run } from "./run.ts";
import { missingRuns } from "./vanished-runs.ts";

/** What a reconcile observed of a BackUp. */
export interface Observation {
  /** After the plan was executed. */
  readonly runs: readonly Run[];
  readonly cronJob: CronJob | undefined;
  /** Runs that were under way, and whose Jobs do not exist on the server. */
  readonly vanished: readonly RunningEntry[];
  readonly plan: Plan;
  readonly problem: Problem | undefined;
  readonly nowMs: number;
}

/** The status of a BackUp after a reconcile. */
export function statusOf(
  backup: Stored<BackUp>,
  { runs, cronJob, vanished, plan, problem, nowMs }: Observation,
): BackUpStatus {
  const { metadata, spec, status: before = {} } = backup;
  const history = historyWith(backup, { runs, vanished, nowMs });
  const facts = { backup, runs, plan, problem, history };
  const finished = newlyFinished(backup, runs);
  const nextMs = nextRunMs(spec, cronJob, nowMs);
  const shown = currentRun(runs) ?? runs[0];
  const lastDuration = finished.length > 0 ? lastFinished(history)?.duration : before.lastDuration;
  const running = [...runningOf(runs), ...missingRuns(backup, runs).filter((run) => !vanished.includes(run))];
  const finishedRevision = finishedRevisionOf(backup, runs) ?? before.finishedRevision;
  const runAgain = runAgainOf(backup);
  return {
    observedGeneration: metadata.generation ?? 0,
    phase: phaseOf(facts),
    active: runs.reduce((sum, { job }) => sum + (job.status?.active ?? 0), 0),
    completed: shown === undefined ? (before.completed ?? 0) : (shown.job.status?.succeeded ?? 0),
    ...lastTimes(before, runs, finished),
    ...(nextMs !== undefined && { nextRunTime: formatTime(nextMs) }),
    ...(lastDuration !== undefined && { lastDuration }),
    successes: (before.successes ?? 0) + finished.filter(({ state }) => state === "succeeded").length,
    failures: (before.failures ?? 0) + finished.filter(({ state }) => state === "failed").length,
    ...(finishedRevision !== undefined && { finishedRevision }),
    ...(runAgain !== undefined && { runAgain }),
    running,
    history,
    conditions: mergeConditions(before.conditions, conditionsOf(facts), nowMs),
  };
}

function lastTimes(
  before: BackUpStatus,
  runs: readonly Run[],
  finished: readonly Run[],
): Pick<BackUpStatus, "lastRunTime" | "lastSuccessTime"> {
  const started = runs.filter(({ job }) => job.status?.startTime !== undefined);
  const lastRunTime = latest([before.lastRunTime, ...started.map(({ start }) => start)]);
  const succeeded = finished.filter(({ state }) => state === "succeeded");
  const lastSuccessTime = latest([before.lastSuccessTime, ...succeeded.map(({ end }) => end)]);
  return {
    ...(lastRunTime !== undefined && { lastRunTime }),
    ...(lastSuccessTime !== undefined && { lastSuccessTime }),
  };
}

/** Times of the API are in UTC, so their texts have their order. */
function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}

/** The revision of the finished Job of a BackUp without a schedule. */
function finishedRevisionOf(
  { metadata: { name } }: Stored<BackUp>,
  runs: readonly Run[],
): string | undefined {
  return runs.find((run) => run.isOwn && run.name === jobName(name) && isFinished(run))?.revision;
}
