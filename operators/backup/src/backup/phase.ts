import type { BackUp } from "../api/back-up.ts";
import type { HistoryEntry, Phase } from "../api/status.ts";
import { lastVerdict } from "./history.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { isFinished, type Run } from "./run.ts";

export interface Situation {
  readonly backup: BackUp;
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly plan: Plan;
  readonly problem: Problem | undefined;
  readonly history: readonly HistoryEntry[];
}

/** The run under way, if there is one: rather one that works than one that waits. */
export function currentRun(runs: readonly Run[]): Run | undefined {
  const unfinished = runs.filter((run) => !isFinished(run) && !run.isDeleting);
  return unfinished.find(({ state }) => state === "running") ?? unfinished[0];
}

/**
 * In a word where a BackUp is. What is done about a changed spec comes first, then a run under way, then that nothing
 * may run, then how the last run went.
 */
export function phaseOf(situation: Situation): Phase {
  const { backup, runs, plan, problem, history } = situation;
  if (plan.update?.waits === false) return "Updating";
  const run = currentRun(runs);
  if (run?.state === "running") return "Running";
  if (problem !== undefined) return "Failed";
  if (run?.state === "waiting") return "Pending";
  const isDone = isAtRest(situation);
  if (backup.spec.suspend && !(isDone && backup.spec.schedule === undefined)) return "Suspended";
  return isDone ? (lastVerdict(history)?.result ?? "Pending") : "Pending";
}

/** Nothing runs, and nothing is being made. */
export function isAtRest({ runs, plan }: Situation): boolean {
  return runs.every(isFinished) && plan.create.length === 0 && !plan.holds;
}
