import {
  deepEqual,
  keyOf,
  type LabelSelector,
  type ObjectOfKind,
  ownerReferenceTo,
  podTemplatesEqual,
  type Stored,
  toError,
} from "@keelson/core";
import { Deployment, type DeploymentCondition, ReplicaSet } from "@keelson/core/kinds/apps/v1";
import type { Pod, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import { type ControllerContext, controllerManager } from "../../controller.ts";
import { ignoreNotFound, isNamespaceTerminating } from "../../refusals.ts";
import type { ControlledIndex } from "../controlled-objects.ts";
import { byCreation, compareText, isBeingDeleted, isPodDone } from "../pod-state.ts";
import { templateHash } from "../template-hash.ts";
import {
  availableOf,
  type DeploymentNumbers,
  desiredReplicasOf,
  newSetSize,
  proportionalSizes,
  shrinkOldSets,
  sum,
} from "./deployment-numbers.ts";
import { isComplete, type NewCondition, withCondition } from "./deployment-status.ts";
import {
  compareRevisions,
  countIn,
  desiredReplicasAnnotation,
  hasAnnotations,
  newSetAnnotations,
  replicasAnnotations,
  revisionAnnotation,
  revisionOf,
} from "./revision-annotations.ts";

const hashLabel = "pod-template-hash";
const component = "deployment-controller";
const longestName = 253;

/** One run for one Deployment: what was found, and what is to be written into its status at the end. */
export interface Rollout {
  readonly context: ControllerContext;
  readonly deployment: Stored<Deployment>;
  readonly numbers: DeploymentNumbers;
  readonly oldSets: readonly Stored<ReplicaSet>[];
  /** Undefined until it is created. */
  newSet: Stored<ReplicaSet> | undefined;
  conditions: readonly DeploymentCondition[];
  collisionCount: number | undefined;
  /** The number to be shown on the Deployment; undefined: as it is. */
  revision: string | undefined;
}

/** The ReplicaSet of the present template; of several, the oldest. */
export function findNewSet(
  { spec }: Stored<Deployment>,
  sets: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet> | undefined {
  const wanted = withoutHash(spec?.template ?? {});
  return sets
    .toSorted(byCreation)
    .find((set) => podTemplatesEqual(withoutHash(set.spec?.template ?? {}), wanted));
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [hashLabel]: _hash, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

export function setCondition(rollout: Rollout, condition: NewCondition): void {
  rollout.conditions = withCondition(rollout.conditions, condition, rollout.context.clock.now());
}

function recordEvent(
  { context, deployment }: Rollout,
  type: "Normal" | "Warning",
  reason: string,
  message: string,
): void {
  context.recordEvent(deployment, { component, type, reason, message });
}

/** Brings the annotations of an existing new ReplicaSet up to date, and takes down its revision. */
export async function refreshNewSet(rollout: Rollout): Promise<void> {
  const { newSet, deployment, numbers } = rollout;
  if (newSet === undefined) return;
  const annotations = newSetAnnotations(deployment, newSet.metadata.annotations ?? {}, nextRevision(rollout));
  const { minReadySeconds } = numbers;
  if (
    !deepEqual(annotations, newSet.metadata.annotations ?? {}) ||
    (newSet.spec?.minReadySeconds ?? 0) !== minReadySeconds
  ) {
    const { spec } = newSet;
    rollout.newSet = await rollout.context.objects.update(
      ReplicaSet,
      {
        ...newSet,
        metadata: { ...newSet.metadata, annotations },
        ...(spec === undefined ? {} : { spec: { ...spec, minReadySeconds } }),
      },
      { manager: controllerManager },
    );
  }
  rollout.revision = (rollout.newSet ?? newSet).metadata.annotations?.[revisionAnnotation];
  if (
    numbers.progressDeadlineSeconds !== undefined &&
    !rollout.conditions.some(({ type }) => type === "Progressing")
  ) {
    const message = `Found new replica set ${JSON.stringify(newSet.metadata.name)}`;
    setCondition(rollout, { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message });
  }
}

function nextRevision({ oldSets }: Rollout): bigint {
  const highest = oldSets.map(revisionOf).reduce((most, one) => (one > most ? one : most), 0n);
  return BigInt.asIntN(64, highest + 1n);
}

/** Creates the ReplicaSet of the present template. If its name is taken, the next run tries another one. */
async function createNewSet(rollout: Rollout): Promise<void> {
  const { context, numbers } = rollout;
  const revision = nextRevision(rollout);
  const wanted = makeNewSet(rollout, revision);
  try {
    const created = await context.objects.create(ReplicaSet, wanted, { manager: controllerManager });
    rollout.newSet = created;
    if (desiredReplicasOf(created) > 0) {
      const message = `Scaled up replica set ${created.metadata.name} from 0 to ${desiredReplicasOf(created)}`;
      recordEvent(rollout, "Normal", "ScalingReplicaSet", message);
    }
    rollout.revision = String(revision);
    if (numbers.progressDeadlineSeconds === undefined) return;
    const message = `Created new replica set ${JSON.stringify(created.metadata.name)}`;
    setCondition(rollout, { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message });
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === "AlreadyExists") {
      rollout.collisionCount = (rollout.collisionCount ?? 0) + 1;
    } else if (!isNamespaceTerminating(error)) {
      const message = `Failed to create new replica set ${JSON.stringify(wanted.metadata.name)}: ${toError(error).message}`;
      if (numbers.progressDeadlineSeconds !== undefined) {
        setCondition(rollout, {
          type: "Progressing",
          status: "False",
          reason: "ReplicaSetCreateError",
          message,
        });
      }
      recordEvent(rollout, "Warning", "ReplicaSetCreateError", message);
    }
    throw error;
  }
}

function makeNewSet({ deployment, numbers, oldSets, collisionCount }: Rollout, revision: bigint): ReplicaSet {
  const owner: ObjectOfKind = { object: deployment, resource: Deployment };
  const { template = {}, selector = {} } = deployment.spec ?? {};
  const hash = templateHash(template, collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const { name, namespace } = deployment.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name.slice(0, longestName - 1 - hash.length)}-${hash}`,
      namespace,
      labels,
      annotations: { ...newSetAnnotations(deployment, {}, revision), ...replicasAnnotations(numbers) },
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    spec: {
      replicas: newSetSize(numbers, oldSets, 0),
      minReadySeconds: numbers.minReadySeconds,
      selector: withHashLabel(selector, hash),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function withHashLabel(selector: LabelSelector, hash: string): LabelSelector {
  return { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } };
}

/** Gives a ReplicaSet another size. Whether that was needed. */
async function scaleSet(rollout: Rollout, set: Stored<ReplicaSet>, size: number): Promise<boolean> {
  const annotations = replicasAnnotations(rollout.numbers);
  const before = desiredReplicasOf(set);
  if (before === size && hasAnnotations(set, annotations)) return false;
  const { spec } = set;
  await rollout.context.objects.update(
    ReplicaSet,
    {
      ...set,
      metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...annotations } },
      ...(spec === undefined ? {} : { spec: { ...spec, replicas: size } }),
    },
    { manager: controllerManager },
  );
  if (before === size) return false;
  const direction = before < size ? "up" : "down";
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`;
  recordEvent(rollout, "Normal", "ScalingReplicaSet", message);
  return true;
}

export function allSets({ oldSets, newSet }: Rollout): readonly Stored<ReplicaSet>[] {
  return newSet === undefined ? oldSets : [...oldSets, newSet];
}

function activeSets(rollout: Rollout): readonly Stored<ReplicaSet>[] {
  return allSets(rollout).filter((set) => desiredReplicasOf(set) > 0);
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
    if (only !== undefined && desiredReplicasOf(only) !== numbers.replicas)
      await scaleSet(rollout, only, numbers.replicas);
    return;
  }
  if (newSet !== undefined && isSaturated(newSet, numbers.replicas)) {
    for (const set of oldSets) if (desiredReplicasOf(set) > 0) await scaleSet(rollout, set, 0);
    return;
  }
  if (!numbers.isRolling) return;
  for (const { set, size } of proportionalSizes(deployment, numbers, active))
    await scaleSet(rollout, set, size);
}

function isSaturated(set: Stored<ReplicaSet>, replicas: number): boolean {
  return (
    desiredReplicasOf(set) === replicas &&
    countIn(set, desiredReplicasAnnotation) === replicas &&
    availableOf(set) === replicas
  );
}

/** Replaces pods step by step. */
export async function rollOver(rollout: Rollout): Promise<void> {
  if (rollout.newSet === undefined) await createNewSet(rollout);
  const { numbers, newSet, oldSets } = rollout;
  if (newSet === undefined) return;
  const present = desiredReplicasOf(newSet);
  const size =
    present >= numbers.replicas ? numbers.replicas : newSetSize(numbers, allSets(rollout), present);
  if (size !== present && (await scaleSet(rollout, newSet, size))) return;
  const active = oldSets.filter((set) => desiredReplicasOf(set) > 0);
  const resizes = sum(active, desiredReplicasOf) === 0 ? [] : shrinkOldSets(numbers, newSet, active);
  for (const { set, size: smaller } of resizes) await scaleSet(rollout, set, smaller);
  if (resizes.length === 0) await cleanUpWhenComplete(rollout);
}

/** Ends all old pods, and only then makes new ones. */
export async function recreate(rollout: Rollout, pods: ControlledIndex<Pod>): Promise<void> {
  const { numbers, oldSets } = rollout;
  const active = oldSets.filter((set) => desiredReplicasOf(set) > 0);
  for (const set of active) await scaleSet(rollout, set, 0);
  if (active.length > 0 || hasPods(oldSets, pods)) return;
  if (rollout.newSet === undefined) await createNewSet(rollout);
  const { newSet } = rollout;
  if (newSet === undefined) return;
  if (desiredReplicasOf(newSet) !== numbers.replicas) await scaleSet(rollout, newSet, numbers.replicas);
  await cleanUpWhenComplete(rollout);
}

function hasPods(sets: readonly Stored<ReplicaSet>[], pods: ControlledIndex<Pod>): boolean {
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
      (a, b) => compareRevisions(a, b) || byCreation(a, b) || compareText(a.metadata.uid, b.metadata.uid),
    )
    .slice(0, Math.max(0, alive.length - revisionHistoryLimit));
  for (const set of surplus) {
    const { status, metadata } = set;
    const isSeen = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    if ((status?.replicas ?? 0) !== 0 || desiredReplicasOf(set) !== 0 || !isSeen) continue;
    await ignoreNotFound(context.objects.delete(ReplicaSet, keyOf(set), { manager: controllerManager }));
  }
}
