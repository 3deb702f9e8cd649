import type { ConditionUpdate } from "keelson";
import { ConditionType, Reason } from "../api/reasons.ts";
import { periodText, rotateSecondsOf, type SharedSecretSpec } from "../api/spec.ts";
import type { ConsumerStatus, RestartRound, RotationStatus } from "../api/status.ts";
import type { SecretPolicy } from "../policy/policy.ts";
import { type Rotator, rotatorFor } from "../rotation/rotator.ts";
import type { Problem } from "./problem.ts";

type Condition = Omit<ConditionUpdate, "type" | "observedGeneration">;

/** Whether the policy lets the secret be shared as the spec says. */
export function approvedCondition({ approval }: SecretPolicy, spec: SharedSecretSpec): Condition {
  const wanted = rotateSecondsOf(spec);
  if (approval === undefined)
    return {
      ...{ status: "False", reason: Reason.AwaitingApproval },
      message: "the policy has not approved that the secret is shared; no consumer gets it until then",
    };
  if (approval.rotateSeconds !== wanted)
    return {
      ...{ status: "True", reason: Reason.PeriodAwaitsApproval },
      message: `rotated ${periodText(approval.rotateSeconds)} until ${periodText(wanted)} is approved`,
    };
  const by = approval.by === undefined ? "" : ` by ${approval.by}`;
  return { status: "True", reason: Reason.Approved, message: `approved${by}, rotated ${periodText(wanted)}` };
}

/** Whether what the policy says is known, and everything is as it says. */
export function syncedCondition(problem: Problem | undefined): Condition {
  if (problem !== undefined) return { status: "False", ...problem };
  return {
    status: "True",
    reason: Reason.Verified,
    message: "the decisions of the policy are known and in force",
  };
}

/** Whether all read-only consumers have the current value. */
export function restartedCondition(
  round: RestartRound | undefined,
  consumers: readonly ConsumerStatus[],
): Condition {
  const failing = consumers.filter(({ problem }) => problem !== undefined);
  if (failing.length > 0) {
    const shown = failing.slice(0, 3).map(({ consumer, problem }) => `${consumer}: ${problem}`);
    const more = failing.length > shown.length ? `; and ${failing.length - shown.length} more` : "";
    return { status: "False", reason: Reason.RestartFailed, message: `${shown.join("; ")}${more}` };
  }
  if (round !== undefined)
    return {
      ...{ status: "False", reason: Reason.Restarting },
      message: "the read-only consumers are being restarted",
    };
  return {
    status: "True",
    reason: Reason.UpToDate,
    message: "the read-only consumers have the current value",
  };
}

/** What the condition Rotated depends on. */
export interface RotationFacts {
  readonly spec: SharedSecretSpec;
  readonly rotators: readonly Rotator[];
  readonly rotation: RotationStatus | undefined;
  /** Whether a rotation would wait for consumers now. */
  readonly isRestarting: boolean;
  readonly nowMs: number;
}

/** Whether the value is rotated as the spec says. */
export function rotatedCondition({
  spec,
  rotators,
  rotation,
  isRestarting,
  nowMs,
}: RotationFacts): Condition {
  const { rotator } = spec;
  if (rotator === undefined)
    return {
      ...{ status: "True", reason: Reason.NotRotated },
      message: "there is no rotator; the value is what users write to the Secret",
    };
  if (rotator.runsIn === "Operator" && rotatorFor(rotator, rotators) === undefined)
    return {
      ...{ status: "False", reason: Reason.UnknownRotator },
      message: `there is no rotator ${rotator.custom?.name}; the operator has ${rotators.map(({ name }) => name).join(", ")}`,
    };
  const { lastTime, nextTime, problem, failures = 0 } = rotation ?? {};
  if (problem !== undefined) {
    const times = failures === 1 ? "once" : `${failures} times in a row`;
    return { status: "False", reason: Reason.RotationFailed, message: `failed ${times}: ${problem}` };
  }
  if (lastTime === undefined)
    return { status: "False", reason: Reason.RotationDue, message: "the first rotation is due" };
  const isDue = nextTime !== undefined && Date.parse(nextTime) <= nowMs;
  if (isDue && isRestarting)
    return {
      ...{ status: "False", reason: Reason.WaitingForConsumers },
      message: "a rotation is due and waits until all consumers have the current value",
    };
  return { status: "True", reason: Reason.Rotated, message: `rotated at ${lastTime}` };
}

/** The condition with its type, about the generation of the object. */
export function typed(
  type: keyof typeof ConditionType,
  condition: Condition,
  generation: number,
): ConditionUpdate {
  return { type: ConditionType[type], observedGeneration: generation, ...condition };
}
