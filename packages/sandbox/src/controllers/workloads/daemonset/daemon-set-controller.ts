import { controllerOf, matchesLabels, type ObjectOfKind, type Stored } from "@keelson/core";
import { ControllerRevision, DaemonSet } from "@keelson/core/kinds/apps/v1";
import { Node, Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { type KeyLoop, loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { isNamespaceTerminating } from "../../refusals.ts";
import { type ControlledIndex, claimObjects, indexByController, writeStatus } from "../controlled-objects.ts";
import { ensureRevision, truncateHistory } from "../controller-revisions.ts";
import { createPodControl, type PodControl, slowStart } from "../pod-control.ts";
import { isBeingDeleted, nextAvailabilityMs } from "../pod-state.ts";
import {
  createRemovalDelays,
  type DaemonFacts,
  type DaemonPlan,
  daemonFacts,
  daemonStatus,
  planPlacement,
  planUpdate,
  type RemovalDelays,
} from "./daemon-plan.ts";
import { makeDaemonPod, revisionLabel, targetNode } from "./daemon-pod.ts";

const component = "daemonset-controller";

interface DaemonSets {
  readonly context: ControllerContext;
  readonly pods: ControlledIndex<Pod>;
  readonly history: ControlledIndex<ControllerRevision>;
  readonly control: PodControl;
  readonly delays: RemovalDelays;
  readonly loop: KeyLoop;
}

/** Keeps a pod of each DaemonSet on each node that it is meant for. */
export const startDaemonSetController: StartController = (context) => {
  const loop = startKeyLoop({ name: component, context, reconcile: (key) => reconcile(sets, key) });
  const pods = indexByController(context, Pod, ({ object, previous }) => {
    for (const key of ownersOf(context, object)) loop.enqueue(key);
    if (previous !== undefined) for (const key of ownersOf(context, previous)) loop.enqueue(key);
  });
  const history = indexByController(context, ControllerRevision, () => {});
  const control = createPodControl(context, component);
  const sets: DaemonSets = {
    context,
    pods,
    history,
    control,
    delays: createRemovalDelays(context.clock),
    loop,
  };
  const stopNodes = context.watch(Node, ({ type, object, previous }) => {
    // A heartbeat of a node changes nothing here.
    if (type === "MODIFIED" && previous !== undefined && isSamePlace(object, previous)) return;
    for (const set of context.objects.list(DaemonSet)) loop.enqueue(loopKey(set));
  });
  const stopWatch = context.watch(DaemonSet, ({ object }) => loop.enqueue(loopKey(object)));
  return async () => {
    stopWatch();
    stopNodes();
    pods.stop();
    history.stop();
    await loop.stop();
  };
};

function isSamePlace(node: Stored<Node>, previous: Stored<Node>): boolean {
  const place = ({ metadata, spec }: Stored<Node>): string => JSON.stringify([metadata.labels, spec?.taints]);
  return place(node) === place(previous);
}

function ownersOf({ objects }: ControllerContext, pod: Stored<Pod>): readonly string[] {
  const controller = controllerOf(pod);
  const { namespace, labels } = pod.metadata;
  if (controller !== undefined) {
    return controller.kind === "DaemonSet" ? [`${namespace}/${controller.name}`] : [];
  }
  return objects
    .list(DaemonSet, namespace)
    .filter(({ spec }) => matchesLabels(spec?.selector, labels))
    .map(loopKey);
}

async function reconcile(sets: DaemonSets, key: string): Promise<void> {
  const { context, pods, loop } = sets;
  const set = context.objects.get(DaemonSet, parseLoopKey(key));
  if (set?.spec === undefined || isBeingDeleted(set)) return;
  const owner: ObjectOfKind<DaemonSet> = { object: set, resource: DaemonSet };
  await claimObjects(context, {
    owner,
    selector: set.spec.selector,
    resource: Pod,
    candidates: [...pods.controlledBy(set), ...pods.orphansIn(set.metadata.namespace)],
  });
  const { hash, known } = await syncRevision(sets, owner, set);
  const look = (): DaemonFacts =>
    daemonFacts(set, hash, context.objects.list(Node), pods.controlledBy(set), context.clock.now());
  try {
    await executePlan(sets, owner, hash, withoutDelayed(sets, key, owner, planPlacement(look())));
    await executePlan(sets, owner, hash, planUpdate(look()));
  } finally {
    const fresh = context.objects.get(DaemonSet, parseLoopKey(key));
    if (fresh?.metadata.uid === set.metadata.uid) {
      await writeStatus(
        context,
        DaemonSet,
        { ...set, metadata: fresh?.metadata ?? set.metadata },
        daemonStatus(look()),
      );
    }
  }
  const live = new Set(pods.controlledBy(set).map(({ metadata }) => metadata.labels?.[revisionLabel]));
  live.add(hash);
  const isUsed = ({ metadata }: Stored<ControllerRevision>): boolean =>
    live.has(metadata.labels?.[revisionLabel]);
  await truncateHistory(context, known, isUsed, set.spec.revisionHistoryLimit ?? 10);
  const wait = nextAvailabilityMs(pods.controlledBy(set), set.spec.minReadySeconds ?? 0, context.clock.now());
  if (wait !== undefined) loop.enqueueAfter(key, wait);
}

/** Pods that fail again and again are removed less and less often. */
function withoutDelayed(
  { context, delays, loop }: DaemonSets,
  key: string,
  { object: set }: ObjectOfKind<DaemonSet>,
  plan: DaemonPlan,
): DaemonPlan {
  const remove = plan.remove.filter((pod) => {
    const { phase } = pod.status ?? {};
    const subject = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${targetNode(pod)}`;
    if (phase === "Succeeded") {
      const message = `Found succeeded ${subject}, will try to delete it`;
      context.recordEvent(set, { component, type: "Normal", reason: "SucceededDaemonPod", message });
    }
    if (phase !== "Failed") return true;
    const wait = delays.take(`${set.metadata.uid}/${set.status?.observedGeneration}/${targetNode(pod)}`);
    if (wait > 0) {
      loop.enqueueAfter(key, wait);
      return false;
    }
    const message = `Found failed ${subject}, will try to kill it`;
    context.recordEvent(set, { component, type: "Warning", reason: "FailedDaemonPod", message });
    return true;
  });
  return { createOn: plan.createOn, remove };
}

async function executePlan(
  { control }: DaemonSets,
  owner: ObjectOfKind<DaemonSet>,
  hash: string,
  { createOn, remove }: DaemonPlan,
): Promise<void> {
  try {
    await slowStart(createOn.length, async (index) => {
      await control.create(owner, makeDaemonPod(owner, createOn[index] ?? "", hash));
    });
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
  await Promise.all(remove.map((pod) => control.remove(owner.object, pod)));
}

async function syncRevision(
  { context, history }: DaemonSets,
  owner: ObjectOfKind,
  set: Stored<DaemonSet>,
): Promise<{ readonly hash: string; readonly known: readonly Stored<ControllerRevision>[] }> {
  const known = await claimObjects(context, {
    owner,
    selector: set.spec?.selector,
    resource: ControllerRevision,
    candidates: [...history.controlledBy(set), ...history.orphansIn(set.metadata.namespace)],
  });
  const { revision } = await ensureRevision(context, {
    owner,
    template: set.spec?.template ?? {},
    hashLabel: revisionLabel,
    revisions: known,
    collisionCount: set.status?.collisionCount ?? 0,
  });
  return { hash: revision.metadata.labels?.[revisionLabel] ?? "", known };
}
