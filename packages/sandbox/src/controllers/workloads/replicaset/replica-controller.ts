import { controllerOf, keyOf, matchesLabels, type ObjectOfKind, type Stored, toError } from "@keelson/core";
import { ReplicaSet } from "@keelson/core/kinds/apps/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { type KeyLoop, loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { isNamespaceTerminating } from "../../refusals.ts";
import { type ControlledIndex, claimObjects, indexByController, writeStatus } from "../controlled-objects.ts";
import { createPodControl, makePod, type PodControl, slowStart } from "../pod-control.ts";
import { isBeingDeleted, isPodActive, isPodTerminating, nextAvailabilityMs } from "../pod-state.ts";
import { podsToDelete } from "./deletion-order.ts";
import {
  type ReplicaKind,
  type ReplicaOwner,
  replicaSets,
  replicaStatus,
  replicationControllers,
} from "./replica-status.ts";

/** At most so many pods are created or deleted in one go. */
const burst = 500;

/** Keeps as many pods as the spec of each ReplicaSet says. */
export const startReplicaSetController: StartController = (context) => start(context, replicaSets);

/** The same for ReplicationControllers. */
export const startReplicationControllerController: StartController = (context) =>
  start(context, replicationControllers);

interface Replicas<T extends ReplicaOwner> {
  readonly context: ControllerContext;
  readonly kind: ReplicaKind<T>;
  readonly pods: ControlledIndex<Pod>;
  readonly control: PodControl;
}

function start<T extends ReplicaOwner>(
  context: ControllerContext,
  kind: ReplicaKind<T>,
): () => Promise<void> {
  const loop: KeyLoop = startKeyLoop({
    name: kind.component,
    context,
    reconcile: (key) => reconcile(replicas, loop, key),
  });
  const pods = indexByController(context, Pod, ({ object, previous }) => {
    for (const key of ownersOf(context, kind, object)) loop.enqueue(key);
    if (previous !== undefined) for (const key of ownersOf(context, kind, previous)) loop.enqueue(key);
  });
  const replicas: Replicas<T> = { context, kind, pods, control: createPodControl(context, kind.component) };
  const stopWatch = context.watch(kind.resource, ({ object }) => loop.enqueue(loopKey(object)));
  return async () => {
    stopWatch();
    pods.stop();
    await loop.stop();
  };
}

/** The keys of the owners of a pod: its controller, or for an orphan all owners that select it. */
function ownersOf<T extends ReplicaOwner>(
  { objects }: ControllerContext,
  { resource, specOf }: ReplicaKind<T>,
  pod: Stored<Pod>,
): readonly string[] {
  const controller = controllerOf(pod);
  const { namespace, labels } = pod.metadata;
  if (controller !== undefined) {
    return controller.kind === resource.kind ? [`${namespace}/${controller.name}`] : [];
  }
  if (isBeingDeleted(pod)) return [];
  return objects
    .list(resource, namespace)
    .filter((owner) => matchesLabels(specOf(owner).selector, labels))
    .map(loopKey);
}

async function reconcile<T extends ReplicaOwner>(
  replicas: Replicas<T>,
  loop: KeyLoop,
  key: string,
): Promise<void> {
  const { context, kind, pods } = replicas;
  const object = context.objects.get(kind.resource, parseLoopKey(key));
  if (object === undefined) return;
  const owner: ObjectOfKind<T> = { object, resource: kind.resource };
  const spec = kind.specOf(object);
  const controlled = pods.controlledBy(object);
  const active = await claimObjects(context, {
    owner,
    selector: spec.selector,
    resource: Pod,
    candidates: [...controlled, ...pods.orphansIn(object.metadata.namespace)].filter(isPodActive),
  });
  const terminating = controlled.filter(
    (pod) => isPodTerminating(pod) && matchesLabels(spec.selector, pod.metadata.labels),
  );
  const error = isBeingDeleted(object) ? undefined : await manage(replicas, owner, active);
  const now = context.clock.now();
  const status = replicaStatus({
    owner: object,
    spec,
    active,
    terminating: kind.countsTerminating ? terminating : undefined,
    failure: error === undefined ? undefined : toError(error).message,
    now,
  });
  const fresh = context.objects.get(kind.resource, keyOf(object)) ?? object;
  if (fresh.metadata.uid === object.metadata.uid) {
    await writeStatus(context, kind.resource, { ...object, metadata: fresh.metadata }, status);
  }
  if (error !== undefined) throw error;
  const wait = nextAvailabilityMs(active, spec.minReadySeconds, now);
  if (wait !== undefined) loop.enqueueAfter(key, wait);
}

/** Creates or deletes pods; gives the error that kept it from doing all of it. */
async function manage<T extends ReplicaOwner>(
  { context, kind, pods, control }: Replicas<T>,
  owner: ObjectOfKind<T>,
  active: readonly Stored<Pod>[],
): Promise<unknown> {
  const { replicas, template } = kind.specOf(owner.object);
  const missing = replicas - active.length;
  try {
    if (missing > 0) {
      const pod = makePod(owner, template);
      await slowStart(Math.min(missing, burst), async () => {
        await control.create(owner, pod);
      });
    } else if (missing < 0) {
      const related = relatedPods(context, pods, owner.object);
      const victims = podsToDelete(active, related, Math.min(-missing, burst), context.clock.now());
      await Promise.all(victims.map((pod) => control.remove(owner.object, pod)));
    }
    return undefined;
  } catch (error) {
    return isNamespaceTerminating(error) ? undefined : error;
  }
}

/** The active pods of all ReplicaSets with the same controller. */
function relatedPods(
  { objects }: ControllerContext,
  pods: ControlledIndex<Pod>,
  owner: Stored<ReplicaOwner>,
): readonly Pod[] {
  const controller = controllerOf(owner);
  const owners =
    controller === undefined
      ? [owner]
      : objects
          .list(ReplicaSet, owner.metadata.namespace)
          .filter((other) => controllerOf(other)?.uid === controller.uid);
  return owners.flatMap((other) => pods.controlledBy(other)).filter(isPodActive);
}
