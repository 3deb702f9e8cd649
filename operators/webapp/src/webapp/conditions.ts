import type { ConditionUpdate } from "keelson";
import { cutText } from "keelson/low-level";
import { conditionTypes, type Reason, reasons } from "../api/reasons.ts";
import type { Rollout } from "./rollout.ts";
import type { Problem } from "./scope.ts";

/** What decides on the conditions of a WebApp. */
export interface ConditionFacts {
  readonly isDeleting: boolean;
  readonly rollout: Rollout | undefined;
  readonly problems: readonly Problem[];
  /** Every owned object has been applied. If not, and there is no problem, a retry is expected to succeed. */
  readonly isApplied: boolean;
}

/** In bytes. The message of a server may be long, and conditions are for people to read. */
const longestMessage = 1024;

/** Does not contain the error, whose text may differ each time. */
const notApplied =
  "not all desired objects could be applied; the operator retries, and its log contains the error";

type Finding = Pick<ConditionUpdate, "status" | "message"> & { readonly reason: Reason };

/** All conditions of a WebApp. */
export function conditionsOf(facts: ConditionFacts, generation: number): readonly ConditionUpdate[] {
  const findings: readonly [string, Finding][] = [
    [conditionTypes.available, available(facts)],
    [conditionTypes.progressing, progressing(facts)],
    [conditionTypes.degraded, degraded(facts)],
  ];
  return findings.map(([type, { status, reason, message }]) => ({
    ...{ type, status, reason, observedGeneration: generation },
    message: cutText(message, longestMessage),
  }));
}

function available({ rollout }: ConditionFacts): Finding {
  if (rollout === undefined)
    return {
      status: "False",
      reason: reasons.minimumReplicasUnavailable,
      message: "the Deployment does not exist",
    };
  const message = `${rollout.available} of ${rollout.desired} pods are available`;
  return rollout.isAvailable
    ? { status: "True", reason: reasons.minimumReplicasAvailable, message }
    : { status: "False", reason: reasons.minimumReplicasUnavailable, message };
}

function progressing({ isDeleting, rollout, problems, isApplied }: ConditionFacts): Finding {
  if (isDeleting)
    return { status: "False", reason: reasons.deleting, message: "the WebApp is being deleted" };
  const blocked = joined(problems);
  if (blocked !== undefined)
    return { ...blocked, status: blocked.reason === reasons.waitingForDeletion ? "True" : "False" };
  if (!isApplied) return { status: "True", reason: reasons.reconciling, message: notApplied };
  if (rollout === undefined || !rollout.isObserved)
    return { status: "True", reason: reasons.reconciling, message: "the desired objects have been applied" };
  if (rollout.isStuck) return { status: "False", ...stuck(rollout) };
  if (rollout.isComplete)
    return { status: "True", reason: reasons.newReplicaSetAvailable, message: "all pods are available" };
  if (rollout.isPaused)
    return { status: "Unknown", reason: reasons.deploymentPaused, message: "the Deployment is paused" };
  const { updated, desired, total } = rollout;
  const surplus = total > updated ? `, ${total - updated} of an earlier version remain` : "";
  const message = `${updated} of ${desired} pods are of the current version${surplus}`;
  return { status: "True", reason: reasons.replicaSetUpdated, message };
}

function degraded({ rollout, problems }: ConditionFacts): Finding {
  const lasting = joined(problems.filter(({ reason }) => reason !== reasons.waitingForDeletion));
  if (lasting !== undefined) return { status: "True", ...lasting };
  if (rollout?.failure !== undefined)
    return { status: "True", reason: reasons.replicaFailure, message: rollout.failure };
  if (rollout?.isObserved === true && rollout.isStuck) return { status: "True", ...stuck(rollout) };
  return { status: "False", reason: reasons.asExpected, message: "no problem exists" };
}

function stuck({ deadlineSeconds }: Rollout): Omit<Finding, "status"> {
  const message = `the rollout has made no progress for ${deadlineSeconds} s; look at the pods`;
  return { reason: reasons.progressDeadlineExceeded, message };
}

/** The reason of the first problem, and the messages of all. */
function joined(problems: readonly Problem[]): Omit<Finding, "status"> | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  return { reason: first.reason, message: problems.map(({ message }) => message).join("; ") };
}
