import type { BackUp } from "../api/back-up.ts";
import type { HistoryEntry, Phase } from "../api/status.ts";
import { lastFinished } from "./history.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { isFinished, type Run } from "./run.ts";

/** What decides on the phase and the conditions of a BackUp. */
export interface StatusFacts {
  readonly backup: BackUp;
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly plan: Plan;
  readonly problem: Problem | undefined;
  readonly history: readonly HistoryEntry[];
}

/** The run under way, if there is one; a run whose workers have started comes first. */
export function currentRun(runs: readonly Run[]): Run | undefined {
  const unfinished = runs.filter((run) => !isFinished(run) && !run.isDeleting);
  return unfinished.find(({ state }) => state === "running") ?? unfinished[0];
}

/**
 * The phase of a BackUp. An update of a run to a changed spec comes first, then a run under way, then a problem (Pending
 * while a retry is expected to succeed, otherwise Failed), then
 * `spec.suspend`, then the result of the last run.
 */
export function phaseOf(facts: StatusFacts): Phase {
  const { backup, runs, plan, problem, history } = facts;
  if (plan.update?.waits === false) return "Updating";
  const run = currentRun(runs);
  if (run?.state === "running") return "Running";
  if (problem !== undefined) return problem.severity === "passing" ? "Pending" : "Failed";
  if (run?.state === "waiting") return "Pending";
  const isDone = isIdle(facts);
  if (backup.spec.suspend && !(isDone && backup.spec.schedule === undefined)) return "Suspended";
  return isDone ? (lastFinished(history)?.result ?? "Pending") : "Pending";
}

/** No run is under way, and none is about to start. */
export function isIdle({ runs, plan }: StatusFacts): boolean {
  return runs.every(isFinished) && plan.create.length === 0 && !plan.holds;
}
