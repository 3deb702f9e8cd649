import {
  deepEqual,
  keyOf,
  type LabelSelector,
  type ObjectOfKind,
  ownerReferenceTo,
  podTemplatesEqual,
} from "@keelson/core";
import { Deployment, type DeploymentCondition, ReplicaSet } from "@keelson/core/kinds/apps/v1";
import type { PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import type { ControllerContext } from "../../controller.ts";
import { controllerManager } from "../../manager-name.ts";
import { isNamespaceTerminating, textOf } from "../pod-control.ts";
import { byCreation } from "../pod-state.ts";
import { templateHash } from "../template-hash.ts";
import { type NewCondition, withCondition } from "./deployment-conditions.ts";
import { type DeploymentNumbers, newSetSize, wantedOf } from "./deployment-numbers.ts";
import {
  hasAnnotations,
  newSetAnnotations,
  replicasAnnotations,
  revisionOf,
} from "./revision-annotations.ts";

const hashLabel = "pod-template-hash";
const component = "deployment-controller";
const longestName = 253;

/** One run for one Deployment: what was found, and what is to be written into its status at the end. */
export interface Rollout {
  readonly context: ControllerContext;
  readonly deployment: Deployment;
  readonly numbers: DeploymentNumbers;
  readonly oldSets: readonly ReplicaSet[];
  /** Undefined until it is created. */
  newSet: ReplicaSet | undefined;
  conditions: readonly DeploymentCondition[];
  collisionCount: number | undefined;
  /** The number to be shown on the Deployment; undefined: as it is. */
  revision: number | undefined;
}

/** The ReplicaSet of the present template; of several, the oldest. */
export function findNewSet({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
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

export function say(
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
  rollout.revision = revisionOf(rollout.newSet ?? newSet);
  if (
    numbers.progressDeadlineSeconds !== undefined &&
    !rollout.conditions.some(({ type }) => type === "Progressing")
  ) {
    const message = `Found new replica set ${JSON.stringify(newSet.metadata.name)}`;
    setCondition(rollout, { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message });
  }
}

function nextRevision({ oldSets }: Rollout): number {
  return Math.max(0, ...oldSets.map(revisionOf)) + 1;
}

/** Creates the ReplicaSet of the present template. If its name is taken, the next run tries another one. */
export async function createNewSet(rollout: Rollout): Promise<void> {
  const { context, numbers } = rollout;
  const revision = nextRevision(rollout);
  const wanted = makeNewSet(rollout, revision);
  try {
    const created = await context.objects.create(ReplicaSet, wanted, { manager: controllerManager });
    rollout.newSet = created;
    if (wantedOf(created) > 0) {
      const message = `Scaled up replica set ${created.metadata.name} from 0 to ${wantedOf(created)}`;
      say(rollout, "Normal", "ScalingReplicaSet", message);
    }
    rollout.revision = revision;
    if (numbers.progressDeadlineSeconds === undefined) return;
    const message = `Created new replica set ${JSON.stringify(created.metadata.name)}`;
    setCondition(rollout, { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message });
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === "AlreadyExists") {
      rollout.collisionCount = (rollout.collisionCount ?? 0) + 1;
    } else if (!isNamespaceTerminating(error)) {
      const message = `Failed to create new replica set ${JSON.stringify(wanted.metadata.name)}: ${textOf(error)}`;
      if (numbers.progressDeadlineSeconds !== undefined) {
        setCondition(rollout, {
          type: "Progressing",
          status: "False",
          reason: "ReplicaSetCreateError",
          message,
        });
      }
      say(rollout, "Warning", "ReplicaSetCreateError", message);
    }
    throw error;
  }
}

function makeNewSet({ deployment, numbers, oldSets, collisionCount }: Rollout, revision: number): ReplicaSet {
  const owner: ObjectOfKind = { object: deployment, resource: Deployment };
  const { template = {}, selector = {} } = deployment.spec ?? {};
  const hash = templateHash(template, collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const { name, namespace } = keyOf(deployment);
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name.slice(0, longestName - 1 - hash.length)}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
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
export async function scaleSet(rollout: Rollout, set: ReplicaSet, size: number): Promise<boolean> {
  const annotations = replicasAnnotations(rollout.numbers);
  const before = wantedOf(set);
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
  say(rollout, "Normal", "ScalingReplicaSet", message);
  return true;
}
