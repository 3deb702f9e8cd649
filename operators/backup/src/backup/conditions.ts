import type { ConditionUpdate } from "keelson";
import { ConditionType, Reason } from "../api/reasons.ts";
import { lastVerdict } from "./history.ts";
import { currentRun, isAtRest, phaseOf, type Situation } from "./phase.ts";
import type { Update } from "./plan.ts";

type Finding = Pick<ConditionUpdate, "status" | "reason" | "message">;

/** All conditions of a BackUp; each is found from the world alone. */
export function conditionsOf(situation: Situation): readonly ConditionUpdate[] {
  const observedGeneration = situation.backup.metadata.generation ?? 0;
  const findings: readonly (readonly [string, Finding])[] = [
    [ConditionType.Progressing, progressing(situation)],
    [ConditionType.Succeeded, succeeded(situation)],
    [ConditionType.UpToDate, upToDate(situation)],
    [ConditionType.Degraded, degraded(situation)],
  ];
  return findings.map(([type, finding]) => ({ type, ...finding, observedGeneration }));
}

function progressing(situation: Situation): Finding {
  const { backup, runs, plan, problem } = situation;
  const phase = phaseOf(situation);
  const run = currentRun(runs);
  if (phase === "Updating" && plan.update !== undefined)
    return { status: "True", reason: reasonOf(plan.update), message: messageOf(plan.update) };
  if (phase === "Running")
    return { status: "True", reason: Reason.JobRunning, message: `Job ${run?.name} is running` };
  if (problem !== undefined) return { status: "False", reason: problem.reason, message: problem.message };
  if (phase === "Suspended")
    return { status: "False", reason: Reason.Suspended, message: "spec.suspend is set" };
  if (run?.state === "waiting" && run.job.status?.startTime !== undefined)
    return {
      ...{ status: "True", reason: Reason.WaitingForWorkers },
      message: `no worker of Job ${run.name} has started yet; kubectl describe tells why, of the Job and its pods`,
    };
  if (!isAtRest(situation)) return { status: "True", reason: Reason.CreatingJob, message: "Creating Job" };
  if (backup.spec.schedule !== undefined)
    return { status: "False", reason: Reason.WaitingForSchedule, message: "waiting for the next run" };
  return { status: "False", reason: Reason.JobFinished, message: "the run has ended" };
}

function succeeded({ history }: Situation): Finding {
  const last = lastVerdict(history);
  if (last === undefined)
    return { status: "Unknown", reason: Reason.NoRunYet, message: "no run has ended yet" };
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

function upToDate({ plan: { update }, runs, problem }: Situation): Finding {
  if (update === undefined && problem !== undefined && problem.reason !== Reason.NeverDue)
    return { status: "False", reason: problem.reason, message: "what is wanted could not be made" };
  if (update === undefined)
    return { status: "True", reason: Reason.UpToDate, message: "what runs is what is wanted" };
  const message = messageOf(update);
  if (!update.waits) return { status: "False", reason: reasonOf(update), message };
  const run = currentRun(runs);
  return {
    status: "False",
    reason: reasonOf(update),
    message: `${message}; Job ${run?.name} of the earlier spec may end first`,
  };
}

function degraded({ problem }: Situation): Finding {
  if (problem === undefined) return { status: "False", reason: Reason.AsExpected, message: "" };
  return { status: "True", reason: problem.reason, message: problem.message };
}

function reasonOf({ isOfImage }: Update): string {
  return isOfImage ? Reason.ImageUpdated : Reason.SpecUpdated;
}

function messageOf({ isOfImage }: Update): string {
  return isOfImage ? "Image Updated" : "Spec Updated";
}
