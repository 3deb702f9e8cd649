import type { Deployment, ReplicaSet } from "@keelson/core/kinds/apps/v1";
import { byCreation } from "../pod-state.ts";
import { scaledCount } from "../replica-counts.ts";
import { countIn, maxReplicasAnnotation } from "./revision-annotations.ts";

const unlimited = 2 ** 31 - 1;

/** The numbers of the spec of a Deployment. */
export interface DeploymentNumbers {
  readonly replicas: number;
  readonly isRolling: boolean;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly minReadySeconds: number;
  /** Undefined: it may take forever. */
  readonly progressDeadlineSeconds: number | undefined;
  /** Undefined: all are kept. */
  readonly revisionHistoryLimit: number | undefined;
}

export function numbersOf({ spec }: Deployment): DeploymentNumbers {
  const replicas = spec?.replicas ?? 1;
  const isRolling = spec?.strategy?.type !== "Recreate";
  const { maxSurge, maxUnavailable } = spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledCount(maxSurge, replicas, "up");
  const unavailable = scaledCount(maxUnavailable, replicas, "down");
  return {
    replicas,
    isRolling,
    maxSurge: isRolling ? surge : 0,
    // With neither surge nor unavailable pods, no pod could ever be replaced.
    maxUnavailable: isRolling ? Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas) : 0,
    minReadySeconds: spec?.minReadySeconds ?? 0,
    progressDeadlineSeconds: limited(spec?.progressDeadlineSeconds),
    revisionHistoryLimit: limited(spec?.revisionHistoryLimit),
  };
}

function limited(value: number | undefined): number | undefined {
  return value === unlimited ? undefined : value;
}

export function desiredReplicasOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

export function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}

/** How large the new ReplicaSet may be, given the replicas of all ReplicaSets. */
export function newSetSize(numbers: DeploymentNumbers, all: readonly ReplicaSet[], present: number): number {
  const { replicas, isRolling, maxSurge } = numbers;
  if (!isRolling) return replicas;
  const room = replicas + maxSurge - sum(all, desiredReplicasOf);
  return room <= 0 ? present : present + Math.min(room, replicas - present);
}

export interface Resize<Set extends ReplicaSet> {
  readonly set: Set;
  readonly size: number;
}

/**
 * What a rolling update takes from old ReplicaSets: first pods that are not available, because they serve no traffic,
 * then as many available pods as may be missing.
 */
export function shrinkOldSets<Set extends ReplicaSet>(
  numbers: DeploymentNumbers,
  newSet: ReplicaSet,
  oldSets: readonly Set[],
): readonly Resize<Set>[] {
  const minAvailable = numbers.replicas - numbers.maxUnavailable;
  const newUnavailable = desiredReplicasOf(newSet) - availableOf(newSet);
  const mayGo = sum([...oldSets, newSet], desiredReplicasOf) - minAvailable - newUnavailable;
  if (mayGo <= 0) return [];
  const sizes = new Map<Set, number>();
  let unhealthyLeft = mayGo;
  const ordered = oldSets.toSorted(byCreation);
  for (const set of ordered) {
    const taken = Math.min(unhealthyLeft, Math.max(0, desiredReplicasOf(set) - availableOf(set)));
    sizes.set(set, desiredReplicasOf(set) - taken);
    unhealthyLeft -= taken;
  }
  let availableLeft = sum([...oldSets, newSet], availableOf) - minAvailable;
  for (const set of ordered) {
    const size = sizes.get(set) ?? 0;
    const taken = Math.min(size, Math.max(0, availableLeft));
    sizes.set(set, size - taken);
    availableLeft -= taken;
  }
  return ordered
    .map((set) => ({ set, size: sizes.get(set) ?? 0 }))
    .filter(({ set, size }) => size !== desiredReplicasOf(set));
}

/** A new total, spread over the ReplicaSets of a rollout under way in proportion to their sizes. */
export function proportionalSizes<Set extends ReplicaSet>(
  deployment: Deployment,
  numbers: DeploymentNumbers,
  active: readonly Set[],
): readonly Resize<Set>[] {
  const allowed = numbers.replicas > 0 ? numbers.replicas + numbers.maxSurge : 0;
  const toAdd = allowed - sum(active, desiredReplicasOf);
  if (toAdd === 0) return active.map((set) => ({ set, size: desiredReplicasOf(set) }));
  const newestFirst = toAdd > 0 ? -1 : 1;
  const ordered = active.toSorted(
    (a, b) => desiredReplicasOf(b) - desiredReplicasOf(a) || newestFirst * byCreation(a, b),
  );
  let added = 0;
  const sizes = ordered.map((set) => {
    const share = added === toAdd || desiredReplicasOf(set) === 0 ? 0 : shareOf(deployment, numbers, set);
    const change = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    added += change;
    return { set, size: desiredReplicasOf(set) + change };
  });
  return sizes.map(({ set, size }, index) => ({
    set,
    size: index === 0 ? Math.max(0, size + toAdd - added) : size,
  }));
}

function shareOf({ status }: Deployment, numbers: DeploymentNumbers, set: ReplicaSet): number {
  if (numbers.replicas === 0) return -desiredReplicasOf(set);
  const before = countIn(set, maxReplicasAnnotation) || (status?.replicas ?? 0);
  if (before === 0) return 0;
  return (
    Math.round((desiredReplicasOf(set) * (numbers.replicas + numbers.maxSurge)) / before) -
    desiredReplicasOf(set)
  );
}
