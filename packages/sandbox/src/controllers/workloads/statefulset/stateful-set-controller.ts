import { controllerOf, keyOf, matchesLabels, type ObjectOfKind, type Stored } from "@keelson/core";
import { ControllerRevision, StatefulSet } from "@keelson/core/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { type KeyLoop, loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { type ControlledIndex, claimObjects, indexByController, writeStatus } from "../controlled-objects.ts";
import { ensureRevision, truncateHistory } from "../controller-revisions.ts";
import { isBeingDeleted, nextAvailabilityMs } from "../pod-state.ts";
import { ordinalOf, revisionOfPod } from "./stateful-pod.ts";
import {
  type RevisionNames,
  revisionNames,
  type StatefulRevisions,
  statefulStatus,
} from "./stateful-status.ts";
import { takeSteps } from "./stateful-steps.ts";

interface StatefulSets {
  readonly context: ControllerContext;
  readonly pods: ControlledIndex<Pod>;
  readonly history: ControlledIndex<ControllerRevision>;
}

/** Keeps the numbered pods of StatefulSets and their claims. */
export const startStatefulSetController: StartController = (context) => {
  const loop: KeyLoop = startKeyLoop({
    name: "statefulset-controller",
    context,
    reconcile: (key) => reconcile(sets, loop, key),
  });
  const pods = indexByController(context, Pod, ({ object, previous }) => {
    for (const key of ownersOf(context, object)) loop.enqueue(key);
    if (previous !== undefined) for (const key of ownersOf(context, previous)) loop.enqueue(key);
  });
  const history = indexByController(context, ControllerRevision, () => {});
  const sets: StatefulSets = { context, pods, history };
  // A pod may wait for the deletion of a claim of its predecessor.
  const stopClaims = context.watch(PersistentVolumeClaim, ({ type, object }) => {
    if (type !== "DELETED") return;
    for (const set of context.objects.list(StatefulSet, object.metadata.namespace)) {
      if ((set.spec?.volumeClaimTemplates ?? []).length > 0) loop.enqueue(loopKey(set));
    }
  });
  const stopWatch = context.watch(StatefulSet, ({ object }) => loop.enqueue(loopKey(object)));
  return async () => {
    stopWatch();
    stopClaims();
    pods.stop();
    history.stop();
    await loop.stop();
  };
};

function ownersOf({ objects }: ControllerContext, pod: Stored<Pod>): readonly string[] {
  const controller = controllerOf(pod);
  const { namespace, labels } = pod.metadata;
  if (controller !== undefined) {
    return controller.kind === "StatefulSet" ? [`${namespace}/${controller.name}`] : [];
  }
  return objects
    .list(StatefulSet, namespace)
    .filter((set) => matchesLabels(set.spec?.selector, labels) && ordinalOf(set, pod) !== undefined)
    .map(loopKey);
}

async function reconcile(sets: StatefulSets, loop: KeyLoop, key: string): Promise<void> {
  const { context, pods } = sets;
  const set = context.objects.get(StatefulSet, parseLoopKey(key));
  if (set?.spec === undefined) return;
  if (isBeingDeleted(set)) {
    await reportLast(sets, set);
    return;
  }
  const owner: ObjectOfKind = { object: set, resource: StatefulSet };
  const owned = await claimObjects(context, {
    owner,
    selector: set.spec.selector,
    resource: Pod,
    candidates: [...pods.controlledBy(set), ...pods.orphansIn(set.metadata.namespace)],
    accepts: (pod) => ordinalOf(set, pod) !== undefined,
  });
  const { revisions, known } = await syncRevisions(sets, owner, set);
  const now = context.clock.now();
  try {
    await takeSteps({ context, set, revisions, pods: owned, now });
  } finally {
    await report(sets, set, revisionNames(revisions), now);
  }
  const live = new Set<string | undefined>(
    [revisions.current, revisions.update].map(({ metadata }) => metadata.name),
  );
  for (const pod of owned) live.add(revisionOfPod(pod));
  await truncateHistory(
    context,
    known,
    ({ metadata }) => live.has(metadata.name),
    set.spec.revisionHistoryLimit ?? 10,
  );
  const wait = nextAvailabilityMs(owned, set.spec.minReadySeconds ?? 0, now);
  if (wait !== undefined) loop.enqueueAfter(key, wait);
}

/**
 * Counts the pods of a set that is being deleted. Its history is left alone: it may be without an owner already, for a
 * successor to find.
 */
async function reportLast(sets: StatefulSets, set: Stored<StatefulSet>): Promise<void> {
  const { currentRevision, updateRevision, collisionCount = 0 } = set.status ?? {};
  if (currentRevision === undefined || updateRevision === undefined) return;
  await report(sets, set, { currentRevision, updateRevision, collisionCount }, sets.context.clock.now());
}

async function report(
  { context, pods }: StatefulSets,
  set: Stored<StatefulSet>,
  names: RevisionNames,
  now: number,
): Promise<void> {
  const present = pods.controlledBy(set).filter((pod) => ordinalOf(set, pod) !== undefined);
  const fresh = context.objects.get(StatefulSet, keyOf(set));
  if (fresh?.metadata.uid !== set.metadata.uid) return;
  const status = statefulStatus(set, present, names, now);
  await writeStatus(context, StatefulSet, { ...set, metadata: fresh?.metadata ?? set.metadata }, status);
}

async function syncRevisions(
  { context, history }: StatefulSets,
  owner: ObjectOfKind,
  set: Stored<StatefulSet>,
): Promise<{ readonly revisions: StatefulRevisions; readonly known: readonly Stored<ControllerRevision>[] }> {
  const known = await claimObjects(context, {
    owner,
    selector: set.spec?.selector,
    resource: ControllerRevision,
    candidates: [...history.controlledBy(set), ...history.orphansIn(set.metadata.namespace)],
  });
  const { revision, collisionCount } = await ensureRevision(context, {
    owner,
    template: set.spec?.template ?? {},
    hashLabel: "controller.kubernetes.io/hash",
    revisions: known,
    collisionCount: set.status?.collisionCount ?? 0,
  });
  const current = known.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? revision;
  return { revisions: { current, update: revision, collisionCount }, known };
}
