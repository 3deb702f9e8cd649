import type { ConditionUpdate } from "keelson";
import { ConditionType, Reason } from "../api/reasons.ts";
import { lastFinished } from "./history.ts";
import { currentRun, isIdle, phaseOf, type StatusFacts } from "./phase.ts";
import type { Update } from "./plan.ts";

type Finding = Pick<ConditionUpdate, "status" | "reason" | "message">;

/** All conditions of a BackUp. None of them depends on a condition of an earlier reconcile. */
export function conditionsOf(facts: StatusFacts): readonly ConditionUpdate[] {
  const observedGeneration = facts.backup.metadata.generation ?? 0;
  const findings: readonly (readonly [string, Finding])[] = [
    [ConditionType.Progressing, progressing(facts)],
    [ConditionType.Succeeded, succeeded(facts)],
    [ConditionType.UpToDate, upToDate(facts)],
    [ConditionType.Degraded, degraded(facts)],
  ];
  return findings.map(([type, finding]) => ({ type, ...finding, observedGeneration }));
}

function progressing(facts: StatusFacts): Finding {
  const { backup, runs, plan, problem } = facts;
  const phase = phaseOf(facts);
  const run = currentRun(runs);
  if (phase === "Updating" && plan.update !== undefined)
    return { status: "True", reason: reasonOf(plan.update), message: messageOf(plan.update) };
  if (phase === "Running")
    return { status: "True", reason: Reason.JobRunning, message: `Job ${run?.name} is running` };
  if (problem !== undefined)
    return {
      status: problem.severity === "passing" ? "True" : "False",
      ...{ reason: problem.reason, message: problem.message },
    };
  if (phase === "Suspended")
    return { status: "False", reason: Reason.Suspended, message: "spec.suspend is true" };
  if (run?.state === "waiting" && run.job.status?.startTime !== undefined)
    return {
      ...{ status: "True", reason: Reason.WaitingForWorkers },
      message: `no worker of Job ${run.name} has started yet; kubectl describe shows why for the Job and its pods`,
    };
  if (!isIdle(facts)) return { status: "True", reason: Reason.CreatingJob, message: "Creating Job" };
  if (backup.spec.schedule !== undefined)
    return { status: "False", reason: Reason.WaitingForSchedule, message: "waiting for the next run" };
  return { status: "False", reason: Reason.JobFinished, message: "the run has finished" };
}

function succeeded({ history }: StatusFacts): Finding {
  const last = lastFinished(history);
  if (last === undefined)
    return { status: "Unknown", reason: Reason.NoRunYet, message: "no run has finished yet" };
  if (last.result === "Succeeded")
    return {
      status: "True",
      reason: Reason.JobSucceeded,
      message: `Job ${last.job} succeeded after ${last.duration}`,
    };
  const why = last.reason === undefined ? "" : `: ${last.reason}`;
  return {
    status: "False",
    reason: Reason.JobFailed,
    message: `Job ${last.job} failed after ${last.duration}${why}`,
  };
}

function upToDate({ plan: { update }, runs, problem }: StatusFacts): Finding {
  if (update === undefined && problem !== undefined && problem.reason !== Reason.NeverDue)
    return {
      status: "False",
      reason: problem.reason,
      message: "the desired Job or CronJob could not be applied",
    };
  if (update === undefined)
    return { status: "True", reason: Reason.UpToDate, message: "no run of an earlier spec is under way" };
  const message = messageOf(update);
  if (!update.waits) return { status: "False", reason: reasonOf(update), message };
  const run = currentRun(runs);
  return {
    status: "False",
    reason: reasonOf(update),
    message: `${message}; waiting for Job ${run?.name} of the earlier spec to finish`,
  };
}

function degraded({ problem }: StatusFacts): Finding {
  if (problem === undefined || problem.severity === "passing")
    return { status: "False", reason: Reason.AsExpected, message: "" };
  return { status: "True", reason: problem.reason, message: problem.message };
}

function reasonOf({ isOfImage }: Update): string {
  return isOfImage ? Reason.ImageUpdated : Reason.SpecUpdated;
}

function messageOf({ isOfImage }: Update): string {
  return isOfImage ? "Image Updated" : "Spec Updated";
}
