import { controllerOf, deepEqual, matchesLabels, type Stored } from "@keelson/core";
import { Deployment, type DeploymentStatus, ReplicaSet } from "@keelson/core/kinds/apps/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { type KeyLoop, loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { type ControlledIndex, claimObjects, indexByController, writeStatus } from "../controlled-objects.ts";
import { isBeingDeleted } from "../pod-state.ts";
import { numbersOf } from "./deployment-numbers.ts";
import {
  conditionOf,
  countedStatus,
  msUntilLate,
  rolloutStatus,
  type StatusFacts,
} from "./deployment-status.ts";
import { revisionAnnotation } from "./revision-annotations.ts";
import {
  allSets,
  cleanUp,
  findNewSet,
  isScaling,
  type Rollout,
  recreate,
  refreshNewSet,
  rollOver,
  scale,
  setCondition,
} from "./rollout.ts";

interface Deployments {
  readonly context: ControllerContext;
  readonly sets: ControlledIndex<ReplicaSet>;
  readonly pods: ControlledIndex<Pod>;
}

/** Turns Deployments into ReplicaSets, one for each revision of the template, and moves pods from old to new ones. */
export const startDeploymentController: StartController = (context) => {
  const loop: KeyLoop = startKeyLoop({
    name: "deployment-controller",
    context,
    reconcile: (key) => reconcile(deployments, loop, key),
  });
  const enqueueOwners = (set: Stored<ReplicaSet>): void => {
    for (const key of ownersOf(context, set)) loop.enqueue(key);
  };
  const sets = indexByController(context, ReplicaSet, ({ object, previous }) => {
    enqueueOwners(object);
    if (previous !== undefined) enqueueOwners(previous);
  });
  // Recreate waits for the deletion of the last old pod.
  const pods = indexByController(context, Pod, ({ type, object }) => {
    const controller = controllerOf(object);
    const { namespace } = object.metadata;
    if (type !== "DELETED" || controller?.kind !== "ReplicaSet") return;
    const set = context.objects.get(ReplicaSet, { namespace, name: controller.name });
    if (set !== undefined) enqueueOwners(set);
  });
  const deployments: Deployments = { context, sets, pods };
  const stopWatch = context.watch(Deployment, ({ object }) => loop.enqueue(loopKey(object)));
  return async () => {
    stopWatch();
    sets.stop();
    pods.stop();
    await loop.stop();
  };
};

function ownersOf({ objects }: ControllerContext, set: Stored<ReplicaSet>): readonly string[] {
  const controller = controllerOf(set);
  const { namespace, labels } = set.metadata;
  if (controller !== undefined) {
    return controller.kind === "Deployment" ? [`${namespace}/${controller.name}`] : [];
  }
  return objects
    .list(Deployment, namespace)
    .filter(({ spec }) => matchesLabels(spec?.selector, labels))
    .map(loopKey);
}

async function reconcile({ context, sets, pods }: Deployments, loop: KeyLoop, key: string): Promise<void> {
  const deployment = context.objects.get(Deployment, parseLoopKey(key));
  if (deployment === undefined) return;
  const { selector = {} } = deployment.spec ?? {};
  if (selectsEverything(selector)) return await refuse(context, deployment);
  const owned = await claimObjects(context, {
    owner: { object: deployment, resource: Deployment },
    selector,
    resource: ReplicaSet,
    candidates: [...sets.controlledBy(deployment), ...sets.orphansIn(deployment.metadata.namespace)],
  });
  const newSet = findNewSet(deployment, owned);
  const rollout: Rollout = {
    context,
    deployment,
    numbers: numbersOf(deployment),
    newSet,
    oldSets: owned.filter((set) => set !== newSet),
    conditions: deployment.status?.conditions ?? [],
    collisionCount: deployment.status?.collisionCount,
    revision: undefined,
  };
  try {
    const makesStatus = await takeSteps(rollout, pods);
    await finish(rollout, loop, makesStatus);
  } catch (error) {
    // What was found out so far, such as a collision or why a ReplicaSet cannot be created, is not lost.
    const { conditions, collisionCount } = rollout;
    const status: DeploymentStatus = {
      ...deployment.status,
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(collisionCount === undefined ? {} : { collisionCount }),
    };
    if (deployment.status !== undefined || conditions.length > 0 || collisionCount !== undefined) {
      await writeStatus(context, Deployment, deployment, status);
    }
    throw error;
  }
}

/** Reconciles the ReplicaSets, and returns how the status of the result is computed. */
async function takeSteps(
  rollout: Rollout,
  pods: ControlledIndex<Pod>,
): Promise<(facts: StatusFacts) => DeploymentStatus> {
  const { deployment, numbers } = rollout;
  if (isBeingDeleted(deployment)) {
    await refreshNewSet(rollout);
    return countedStatus;
  }
  recordPause(rollout);
  await refreshNewSet(rollout);
  const isPaused = deployment.spec?.paused === true;
  if (isPaused || isScaling(rollout)) {
    await scale(rollout);
    if (isPaused) await cleanUp(rollout);
    return countedStatus;
  }
  if (numbers.isRolling) await rollOver(rollout);
  else await recreate(rollout, pods);
  return rolloutStatus;
}

/** A pause stops the time that a rollout may take; that it is over starts it again. */
function recordPause(rollout: Rollout): void {
  const { deployment, numbers, conditions } = rollout;
  const reason = conditionOf(conditions, "Progressing")?.reason;
  if (numbers.progressDeadlineSeconds === undefined || reason === "ProgressDeadlineExceeded") return;
  const isPaused = deployment.spec?.paused === true;
  const type = "Progressing";
  if (isPaused && reason !== "DeploymentPaused") {
    setCondition(rollout, {
      type,
      status: "Unknown",
      reason: "DeploymentPaused",
      message: "Deployment is paused",
    });
  } else if (!isPaused && reason === "DeploymentPaused") {
    setCondition(rollout, {
      type,
      status: "Unknown",
      reason: "DeploymentResumed",
      message: "Deployment is resumed",
    });
  }
}

async function finish(
  rollout: Rollout,
  loop: KeyLoop,
  makesStatus: (facts: StatusFacts) => DeploymentStatus,
): Promise<void> {
  const { context, deployment, numbers, newSet, conditions, collisionCount, revision } = rollout;
  const now = context.clock.now();
  const facts = { deployment, numbers, newSet, all: allSets(rollout), conditions, collisionCount, now };
  const status = makesStatus(facts);
  const annotations =
    revision === undefined
      ? deployment.metadata.annotations
      : { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
  if (!deepEqual(annotations, deployment.metadata.annotations) || !deepEqual(status, deployment.status)) {
    const metadata = { ...deployment.metadata, ...(annotations === undefined ? {} : { annotations }) };
    const options = { manager: controllerManager, subresource: "status" };
    await context.objects.update(Deployment, { ...deployment, metadata, status }, options);
  }
  const wait = makesStatus === rolloutStatus ? msUntilLate(facts, status) : undefined;
  if (wait !== undefined) loop.enqueueAfter(loopKey(deployment), wait);
}

function selectsEverything({
  matchLabels = {},
  matchExpressions = [],
}: NonNullable<Deployment["spec"]>["selector"]): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

async function refuse(context: ControllerContext, deployment: Stored<Deployment>): Promise<void> {
  context.recordEvent(deployment, {
    component: "deployment-controller",
    type: "Warning",
    reason: "SelectingAll",
    message: "This deployment is selecting all pods. A non-empty selector is required.",
  });
  const { generation = 0 } = deployment.metadata;
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return;
  await writeStatus(context, Deployment, deployment, {
    ...deployment.status,
    observedGeneration: generation,
  });
}
