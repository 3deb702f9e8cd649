import { type ConditionUpdate, formatTime, mergeConditions, type Stored } from "keelson";
import { secretNameOf } from "../api/names.ts";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { ConsumerStatus, RestartRound, RotationStatus, SharedSecretStatus } from "../api/status.ts";
import type { SecretPolicy } from "../policy/policy.ts";
import type { Rotator } from "../rotation/rotator.ts";
import { nextRotationMs } from "../rotation/schedule.ts";
import {
  approvedCondition,
  restartedCondition,
  rotatedCondition,
  syncedCondition,
  typed,
} from "./conditions.ts";
import type { Problem } from "./problem.ts";
import type { NextRound } from "./restart-round.ts";

/** What a reconcile knows of a SharedSecret. */
export interface Observation {
  readonly policy: SecretPolicy;
  /** The approved consumers. */
  readonly consumers: readonly ConsumerStatus[];
  readonly next: NextRound;
  /** The version of the value. */
  readonly version: string;
  readonly rotators: readonly Rotator[];
  readonly nowMs: number;
}

/** The status of a SharedSecret after a reconcile. */
export function statusOf(sharedSecret: Stored<SharedSecret>, observation: Observation): SharedSecretStatus {
  const { policy, consumers, next, version, nowMs } = observation;
  const round = next.type === "round" ? next.round : undefined;
  const { metadata, spec, status: before } = sharedSecret;
  const { generation = 1, name } = metadata;
  const hasEnded = before?.restart !== undefined && round === undefined;
  const rotation = rotationOf(sharedSecret, policy);
  const updates: readonly ConditionUpdate[] = [
    typed("Approved", approvedCondition(policy, spec), generation),
    typed("Synced", syncedCondition(undefined), generation),
    typed("ConsumersRestarted", restartedCondition(round, consumers), generation),
    typed(
      "Rotated",
      rotatedCondition({ ...observation, spec, rotation, isRestarting: round !== undefined }),
      generation,
    ),
  ];
  const { lastUpdated, lastRestart = undefined } = before ?? {};
  const ended = hasEnded ? new Date(nowMs).toISOString() : lastRestart;
  const restartedVersion = next.type === "none" ? version : before?.restartedVersion;
  return {
    observedGeneration: generation,
    conditions: [...mergeConditions(before?.conditions, updates, nowMs)],
    approved: policy.approval !== undefined,
    ...(policy.approval !== undefined && { rotateSeconds: policy.approval.rotateSeconds }),
    secret: secretNameOf(name),
    ...(lastUpdated !== undefined && { lastUpdated }),
    podsRestartRequired: round !== undefined,
    ...(round !== undefined && { restart: round }),
    ...(restartedVersion !== undefined && { restartedVersion }),
    ...(ended !== undefined && { lastRestart: ended }),
    ...(rotation !== undefined && { rotation }),
    consumers: [...consumers],
    consumerCount: countOf(consumers, round),
    pendingRequests: pendingOf(policy),
  };
}

/** The status after a reconcile that failed, such as because the policy is not known: all decisions stay as they are. */
export function statusWithProblem(
  { metadata, status: before }: Stored<SharedSecret>,
  problem: Problem,
  nowMs: number,
): SharedSecretStatus {
  const synced = typed("Synced", syncedCondition(problem), metadata.generation ?? 1);
  return {
    ...before,
    conditions: [...mergeConditions(before?.conditions, [synced], nowMs)],
  };
}

/** What the rotator wrote, and when it is due next by the approved period. */
function rotationOf(
  { metadata, status }: Stored<SharedSecret>,
  { approval }: SecretPolicy,
): RotationStatus | undefined {
  const { rotation } = status ?? {};
  if (rotation?.lastTime === undefined) return rotation;
  const { nextTime: _, ...rest } = rotation;
  const rotateSeconds = approval?.rotateSeconds ?? 0;
  if (rotateSeconds === 0) return rest;
  const nextMs = nextRotationMs({ lastMs: Date.parse(rotation.lastTime), rotateSeconds, uid: metadata.uid });
  return { ...rest, nextTime: formatTime(nextMs) };
}

/** How many consumers have the current value, of how many. */
function countOf(consumers: readonly ConsumerStatus[], round: RestartRound | undefined): string {
  const current = consumers.filter(
    ({ permission, restartedAt, problem }) =>
      problem === undefined &&
      (round === undefined ||
        permission === "ReadWrite" ||
        (restartedAt !== undefined && Date.parse(restartedAt) >= Date.parse(round.startedAt))),
  );
  return `${current.length}/${consumers.length}`;
}

function pendingOf({ consumers, pendingRotateSeconds }: SecretPolicy): number {
  const pending = consumers.filter(({ state }) => state === "Pending").length;
  return pending + (pendingRotateSeconds === undefined ? 0 : 1);
}
