import { keyOf } from "@keelson/core";
import { ReplicaSet } from "@keelson/core/kinds/apps/v1";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { controllerManager } from "../../manager-name.ts";
import { unlessGone } from "../claim.ts";
import type { ControlledIndex } from "../controlled-index.ts";
import { byCreation, compareText, isBeingDeleted, isPodDone } from "../pod-state.ts";
import {
  availableOf,
  newSetSize,
  proportionalSizes,
  shrinkOldSets,
  sum,
  wantedOf,
} from "./deployment-numbers.ts";
import { isComplete } from "./deployment-status.ts";
import { countIn, desiredReplicasAnnotation, revisionOf } from "./revision-annotations.ts";
import { createNewSet, type Rollout, scaleSet } from "./rollout.ts";

export function allSets({ oldSets, newSet }: Rollout): readonly ReplicaSet[] {
  return newSet === undefined ? oldSets : [...oldSets, newSet];
}

function activeSets(rollout: Rollout): readonly ReplicaSet[] {
  return allSets(rollout).filter((set) => wantedOf(set) > 0);
}

/** Whether the number of replicas was changed since the ReplicaSets were sized. */
export function isScaling(rollout: Rollout): boolean {
  return activeSets(rollout).some((set) => {
    const desired = countIn(set, desiredReplicasAnnotation);
    return desired !== undefined && desired !== rollout.numbers.replicas;
  });
}

/** Follows a change of the number of replicas, without going on with a rollout. */
export async function scale(rollout: Rollout): Promise<void> {
  const { deployment, numbers, newSet, oldSets } = rollout;
  const active = activeSets(rollout);
  const only = active.length === 0 ? (newSet ?? oldSets.toSorted(byCreation).at(-1)) : active[0];
  if (active.length <= 1) {
    if (only !== undefined && wantedOf(only) !== numbers.replicas)
      await scaleSet(rollout, only, numbers.replicas);
    return;
  }
  if (newSet !== undefined && isSaturated(newSet, numbers.replicas)) {
    for (const set of oldSets) if (wantedOf(set) > 0) await scaleSet(rollout, set, 0);
    return;
  }
  if (!numbers.isRolling) return;
  for (const { set, size } of proportionalSizes(deployment, numbers, active))
    await scaleSet(rollout, set, size);
}

function isSaturated(set: ReplicaSet, replicas: number): boolean {
  return (
    wantedOf(set) === replicas &&
    countIn(set, desiredReplicasAnnotation) === replicas &&
    availableOf(set) === replicas
  );
}

/** Replaces pods step by step. */
export async function rollOver(rollout: Rollout): Promise<void> {
  if (rollout.newSet === undefined) await createNewSet(rollout);
  const { numbers, newSet, oldSets } = rollout;
  if (newSet === undefined) return;
  const present = wantedOf(newSet);
  const size =
    present >= numbers.replicas ? numbers.replicas : newSetSize(numbers, allSets(rollout), present);
  if (size !== present && (await scaleSet(rollout, newSet, size))) return;
  const active = oldSets.filter((set) => wantedOf(set) > 0);
  const resizes = sum(active, wantedOf) === 0 ? [] : shrinkOldSets(numbers, newSet, active);
  for (const { set, size: smaller } of resizes) await scaleSet(rollout, set, smaller);
  if (resizes.length === 0) await cleanUpWhenComplete(rollout);
}

/** Ends all old pods, and only then makes new ones. */
export async function recreate(rollout: Rollout, pods: ControlledIndex<Pod>): Promise<void> {
  const { numbers, oldSets } = rollout;
  const active = oldSets.filter((set) => wantedOf(set) > 0);
  for (const set of active) await scaleSet(rollout, set, 0);
  if (active.length > 0 || hasPods(oldSets, pods)) return;
  if (rollout.newSet === undefined) await createNewSet(rollout);
  const { newSet } = rollout;
  if (newSet === undefined) return;
  if (wantedOf(newSet) !== numbers.replicas) await scaleSet(rollout, newSet, numbers.replicas);
  await cleanUpWhenComplete(rollout);
}

function hasPods(sets: readonly ReplicaSet[], pods: ControlledIndex<Pod>): boolean {
  return (
    sum(sets, ({ status }) => status?.replicas ?? 0) > 0 ||
    sets.some((set) => pods.controlledBy(set).some((pod) => !isPodDone(pod)))
  );
}

async function cleanUpWhenComplete(rollout: Rollout): Promise<void> {
  const { deployment, numbers } = rollout;
  if (isComplete(deployment, numbers, deployment.status)) await cleanUp(rollout);
}

/** Deletes the ReplicaSets of revisions that are too far back, as long as they have no pods. */
export async function cleanUp({ context, numbers, oldSets }: Rollout): Promise<void> {
  const { revisionHistoryLimit } = numbers;
  if (revisionHistoryLimit === undefined) return;
  const alive = oldSets.filter((set) => !isBeingDeleted(set));
  const surplus = alive
    .toSorted(
      (a, b) =>
        revisionOf(a) - revisionOf(b) || byCreation(a, b) || compareText(a.metadata.uid, b.metadata.uid),
    )
    .slice(0, Math.max(0, alive.length - revisionHistoryLimit));
  for (const set of surplus) {
    const { status, metadata } = set;
    const isSeen = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    if ((status?.replicas ?? 0) !== 0 || wantedOf(set) !== 0 || !isSeen) continue;
    await unlessGone(context.objects.delete(ReplicaSet, keyOf(set), { manager: controllerManager }));
  }
}
