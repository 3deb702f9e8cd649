import { formatTime, mergeConditions } from "keelson";
import type { CronJob } from "keelson/kinds/batch/v1";
import type { BackUp } from "../api/back-up.ts";
import type { BackUpStatus, RunningEntry } from "../api/status.ts";
import { conditionsOf } from "./conditions.ts";
import { historyWith, lastVerdict, newlyFinished, runningOf, vanishedFrom } from "./history.ts";
import { nextRunMs } from "./next-run.ts";
import { currentRun, phaseOf } from "./phase.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { jobName } from "./resources/names.ts";
import { isFinished, type Run } from "./run.ts";

export interface Findings {
  /** After what was done. */
  readonly runs: readonly Run[];
  readonly cronJob: CronJob | undefined;
  /** Runs that were under way, and whose Jobs are gone for certain. */
  readonly gone: readonly RunningEntry[];
  readonly plan: Plan;
  readonly problem: Problem | undefined;
  readonly nowMs: number;
}

/** The status that follows from what was found; the only place that makes one. */
export function statusOf(
  backup: BackUp,
  { runs, cronJob, gone, plan, problem, nowMs }: Findings,
): BackUpStatus {
  const { metadata, spec, status: before = {} } = backup;
  const history = historyWith(backup, { runs, gone, nowMs });
  const situation = { backup, runs, plan, problem, history };
  const finished = newlyFinished(backup, runs);
  const nextMs = nextRunMs(spec, cronJob, nowMs);
  const shown = currentRun(runs) ?? runs[0];
  const lastDuration = finished.length > 0 ? lastVerdict(history)?.duration : before.lastDuration;
  const running = [...runningOf(runs), ...vanishedFrom(backup, runs).filter((run) => !gone.includes(run))];
  const finishedRevision = finishedRevisionOf(backup, runs) ?? before.finishedRevision;
  return {
    observedGeneration: metadata.generation ?? 0,
    phase: phaseOf(situation),
    active: runs.reduce((sum, { job }) => sum + (job.status?.active ?? 0), 0),
    completed: shown === undefined ? (before.completed ?? 0) : (shown.job.status?.succeeded ?? 0),
    ...lastTimes(before, runs, finished),
    ...(nextMs !== undefined && { nextRunTime: formatTime(nextMs) }),
    ...(lastDuration !== undefined && { lastDuration }),
    successes: (before.successes ?? 0) + finished.filter(({ state }) => state === "succeeded").length,
    failures: (before.failures ?? 0) + finished.filter(({ state }) => state === "failed").length,
    ...(finishedRevision !== undefined && { finishedRevision }),
    running,
    history,
    conditions: mergeConditions(before.conditions, conditionsOf(situation), nowMs),
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

/** Times of the API sort as texts. */
function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}

/** Which revision the Job of a BackUp without a schedule has come to an end with. */
function finishedRevisionOf({ metadata: { name = "" } }: BackUp, runs: readonly Run[]): string | undefined {
  return runs.find((run) => run.isOwn && run.name === jobName(name) && isFinished(run))?.revision;
}
