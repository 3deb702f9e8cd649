import { draft, formatTime, type GenericObject, type Stored } from "@keelson/core";
import { PersistentVolumeClaim, Pod, type PodCondition } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import { StaleWriteError } from "../../../store/errors.ts";
import { storeKey } from "../../../store/store.ts";
import type { ControllerContext, StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { type ClusterState, claimsOf, watchCluster } from "./cluster-state.ts";
import { fitError, misfitOf, podError } from "./filter-node.ts";
import { createSchedulerEvents, type SchedulerEvent } from "./scheduler-events.ts";
import { bestNode } from "./score-node.ts";

const schedulerName = "default-scheduler";
const manager = "kube-scheduler";
const firstBackoffMs = 1_000;
const longestBackoffMs = 10_000;
/** There is one queue, so one key of the loop stands for it. */
const queueKey = "queue";

/**
 * Binds pods to nodes, the most important first and of these the oldest. A pod that fits nowhere waits until something
 * changes that may help it. Pods are never displaced to make room.
 */
export const startScheduler: StartController = (context) => {
  const ready = new Map<string, Pod>();
  const waiting = new Map<string, number>();
  const record = createSchedulerEvents(context);
  const loop = startKeyLoop({
    name: schedulerName,
    context,
    workers: 1,
    async reconcile(key) {
      if (key !== queueKey) {
        const pod = context.objects.get(Pod, parseLoopKey(key));
        if (pod !== undefined && isPending(pod)) ready.set(key, pod);
      }
      const [nextKey, next] = mostUrgent(ready) ?? [];
      if (nextKey === undefined || next === undefined) return;
      ready.delete(nextKey);
      if (ready.size > 0) loop.enqueue(queueKey);
      // It waits from now on: what changes while it is tried may be what it waits for.
      waiting.set(nextKey, (waiting.get(nextKey) ?? 0) + 1);
      try {
        const isDone = await schedule({ context, cluster, record }, parseLoopKey(nextKey));
        if (isDone) waiting.delete(nextKey);
      } catch (error) {
        retry(nextKey);
        throw error;
      }
    },
  });

  function retry(key: string): void {
    const attempts = waiting.get(key);
    if (attempts === undefined) return;
    loop.enqueueAfter(key, Math.min(firstBackoffMs * 2 ** (attempts - 1), longestBackoffMs));
  }

  function retryWaiting(): void {
    for (const key of waiting.keys()) retry(key);
  }

  const cluster = watchCluster(
    context,
    ({ type, object, previous }) => {
      const key = loopKey(object);
      const isOver = type === "DELETED" || !isPending(object);
      if (isOver) {
        ready.delete(key);
        waiting.delete(key);
        if (object.spec?.nodeName && (type === "DELETED" || !previous?.spec?.nodeName)) retryWaiting();
      } else if (type === "ADDED" || isSpecChanged(object, previous)) {
        ready.set(key, object);
        loop.enqueue(queueKey);
      }
    },
    retryWaiting,
  );
  const stopClaims = context.watch(PersistentVolumeClaim, () => retryWaiting());
  return async () => {
    cluster.stop();
    stopClaims();
    await loop.stop();
  };
};

function isPending({ metadata, spec, status }: Stored<Pod>): boolean {
  return (
    !spec?.nodeName &&
    metadata.deletionTimestamp === undefined &&
    (spec?.schedulerName ?? schedulerName) === schedulerName &&
    (spec?.schedulingGates ?? []).length === 0 &&
    status?.phase !== "Succeeded" &&
    status?.phase !== "Failed"
  );
}

function isSpecChanged(pod: Stored<Pod>, previous: Stored<Pod> | undefined): boolean {
  if (previous === undefined) return true;
  return (
    pod.metadata.generation !== previous.metadata.generation ||
    pod.metadata.labels !== previous.metadata.labels
  );
}

function mostUrgent(ready: ReadonlyMap<string, Pod>): readonly [string, Pod] | undefined {
  let best: readonly [string, Pod] | undefined;
  for (const entry of ready) {
    // The map keeps the order in which pods came, so of equal ones the first stays.
    if (best === undefined || (entry[1].spec?.priority ?? 0) > (best[1].spec?.priority ?? 0)) best = entry;
  }
  return best;
}

interface Scheduling {
  readonly context: ControllerContext;
  readonly cluster: ClusterState;
  record(pod: Stored<Pod>, event: SchedulerEvent): void;
}

/** Gives whether the pod needs no more looking after. */
async function schedule(
  { context, cluster, record }: Scheduling,
  key: { readonly namespace?: string; readonly name: string },
): Promise<boolean> {
  const { objects } = context;
  const pod = objects.get(Pod, key);
  if (pod === undefined || !isPending(pod)) return true;
  const nodes = cluster.nodes();
  const claims = claimsOf(objects, pod);
  if (claims.state === "wrong" && nodes.length > 0) {
    return await refuse(podError(nodes.length, claims.reason));
  }
  const misfits = nodes.map((node) => ({ node, misfit: misfitOf(objects, pod, node, nodes) }));
  const fitting = misfits.flatMap(({ node, misfit }) => (misfit === undefined ? [node] : []));
  const best = bestNode(objects, pod, fitting, nodes);
  if (best === undefined) {
    return await refuse(
      fitError(
        pod,
        misfits.flatMap(({ misfit }) => misfit ?? []),
      ),
    );
  }
  if (claims.state === "waiting") {
    await chooseNodeFor(context, claims.claims, best.name);
    return false;
  }
  if (!bindPod(context, pod, best.name)) return false;
  const { namespace, name } = pod.metadata;
  const message = `Successfully assigned ${namespace}/${name} to ${best.name}`;
  record(pod, { type: "Normal", reason: "Scheduled", action: "Binding", message });
  return true;

  async function refuse(message: string): Promise<false> {
    if (pod !== undefined) {
      record(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", message });
      await markUnschedulable(context, pod, message);
    }
    return false;
  }
}

const selectedNode = "volume.kubernetes.io/selected-node";

/** Writes the chosen node to claims that wait for a consumer, so that a provisioner can create their volumes. */
async function chooseNodeFor(
  { objects }: ControllerContext,
  claims: readonly Stored<PersistentVolumeClaim>[],
  nodeName: string,
): Promise<void> {
  for (const claim of claims) {
    const { annotations } = claim.metadata;
    if (annotations?.[selectedNode] !== undefined) continue;
    const metadata = { ...claim.metadata, annotations: { ...annotations, [selectedNode]: nodeName } };
    await objects.update(PersistentVolumeClaim, { ...claim, metadata }, { manager });
  }
}

async function markUnschedulable(
  { objects, clock }: ControllerContext,
  pod: Stored<Pod>,
  message: string,
): Promise<void> {
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (before?.status === "False" && before.reason === "Unschedulable" && before.message === message) return;
  const now = formatTime(clock.now());
  const { generation } = pod.metadata;
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "False",
    lastTransitionTime: before?.status === "False" ? (before.lastTransitionTime ?? now) : now,
    reason: "Unschedulable",
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const otherConditions = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  try {
    await objects.update(
      Pod,
      { ...pod, status: { ...pod.status, conditions: [...otherConditions, condition] } },
      { manager, subresource: "status" },
    );
  } catch (error) {
    // The pod was deleted or changed in between; the next run reads it again.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Puts a pod onto a node, as the binding subresource does. Gives false if the pod changed in the meantime. */
function bindPod({ store, clock }: ControllerContext, pod: Stored<Pod>, nodeName: string): boolean {
  const { namespace, name, resourceVersion } = pod.metadata;
  const next = draft<GenericObject>({ ...pod });
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: formatTime(clock.now()),
  };
  const otherConditions = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  next.spec = { ...pod.spec, nodeName };
  next.status = { ...pod.status, conditions: [...otherConditions, scheduled] };
  try {
    store.write({
      collection: "pods",
      key: storeKey(namespace, name),
      object: next,
      expectedRevision: Number(resourceVersion),
    });
    return true;
  } catch (error) {
    if (error instanceof StaleWriteError) return false;
    throw error;
  }
}
