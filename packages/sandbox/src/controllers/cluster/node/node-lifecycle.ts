import { formatTime, type Stored } from "@keelson/core";
import { Lease } from "@keelson/core/kinds/coordination/v1";
import { Node, type NodeCondition, Pod, type Taint } from "@keelson/core/kinds/core/v1";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { ignoreNotFound } from "../../refusals.ts";
import { isPodReady } from "../../workloads/pod-state.ts";
import { withCondition } from "./pod-end.ts";

const component = "node-controller";
const leaseNamespace = "kube-node-lease";

export interface NodeMonitor {
  /** A node is given up when nothing was heard of it for this long. Default: 50 s. */
  readonly graceMs?: number;
  /** The same for one that was never heard of. Default: 60 s. */
  readonly startupGraceMs?: number;
  /** How often that is looked at. Default: 5 s. */
  readonly periodMs?: number;
}

/**
 * Watches over nodes by their status and their Leases: marks those that fell silent with their pods, and taints those
 * that are not ready. While no node is ready, the cause is assumed to be elsewhere, and no node gets a taint that evicts
 * pods. Pods of a node that itself reports that it is not ready stay as they are: its kubelet goes on reporting on them.
 */
export function nodeLifecycle(monitor: NodeMonitor = {}): StartController {
  return (context) => start(context, monitor);
}

function start(context: ControllerContext, monitor: NodeMonitor): () => Promise<void> {
  const { periodMs = 5_000 } = monitor;
  const { clock, objects, recordEvent } = context;
  const lastHeard = new Map<string, number>();
  const silentMs = (name: string): number => {
    const now = clock.monotonicNow();
    return now - (lastHeard.get(name) ?? now);
  };
  /** Nodes that fell silent and whose pods are to be marked. */
  const silenced = new Set<string>();
  const loop = startKeyLoop({
    name: "node-lifecycle-controller",
    context,
    async reconcile(name) {
      if (objects.get(Node, { name }) === undefined) return;
      if (await checkHealth(context, name, silentMs(name), monitor)) silenced.add(name);
      await updateTaints(context, name);
      if (silenced.has(name)) await markPodsNotReady(context, name);
      silenced.delete(name);
      loop.enqueueAfter(name, periodMs);
    },
  });
  const podLoop = startKeyLoop({
    name: "node-lifecycle-controller-pods",
    context,
    async reconcile(key) {
      const pod = objects.get(Pod, parseLoopKey(key));
      const ready = readyOf(objects.get(Node, { name: pod?.spec?.nodeName ?? "" }));
      if (pod !== undefined && ready !== undefined && ready.status !== "True")
        await markNotReady(context, pod);
    },
  });
  const enqueueAll = (): void => {
    for (const { metadata } of objects.list(Node)) loop.enqueue(metadata.name);
  };
  const stops = [
    context.watch(Node, ({ type, object, previous }) => {
      const { name } = object.metadata;
      if (type === "DELETED") {
        lastHeard.delete(name);
        enqueueAll();
        recordEvent(
          object,
          nodeEvent("RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`),
        );
        return;
      }
      if (type === "ADDED") {
        lastHeard.set(name, clock.monotonicNow());
        recordEvent(
          object,
          nodeEvent("RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`),
        );
      } else if (heartbeatOf(object) !== heartbeatOf(previous)) lastHeard.set(name, clock.monotonicNow());
      // Whether any node is ready decides on the taints of all.
      if (readyOf(object)?.status === readyOf(previous)?.status) loop.enqueue(name);
      else enqueueAll();
    }),
    context.watch(Pod, ({ type, object, previous }) => {
      const isBound = type !== "DELETED" && (object.spec?.nodeName ?? "") !== "";
      if (isBound && object.spec?.nodeName !== previous?.spec?.nodeName) podLoop.enqueue(loopKey(object));
    }),
    context.watch(Lease, ({ type, object }) => {
      const { namespace, name } = object.metadata;
      if (type !== "DELETED" && namespace === leaseNamespace) lastHeard.set(name, clock.monotonicNow());
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
    await podLoop.stop();
  };
}

function nodeEvent(reason: string, message: string): Parameters<ControllerContext["recordEvent"]>[1] {
  return { component, type: "Normal", reason, message };
}

function readyOf(
  node: Stored<Node> | undefined,
): { readonly status: string; readonly lastHeartbeatTime?: string } | undefined {
  return node?.status?.conditions?.find(({ type }) => type === "Ready");
}

function heartbeatOf(node: Stored<Node> | undefined): string | undefined {
  return readyOf(node)?.lastHeartbeatTime;
}

/** Marks a node that fell silent as unknown; returns whether it was ready before. */
async function checkHealth(
  { objects, clock, recordEvent }: ControllerContext,
  name: string,
  silentMs: number,
  { graceMs = 50_000, startupGraceMs = 60_000 }: NodeMonitor,
): Promise<boolean> {
  const node = objects.get(Node, { name });
  if (node === undefined) return false;
  const ready = readyOf(node);
  const allowedMs = ready === undefined ? startupGraceMs : graceMs;
  if (ready?.status === "Unknown" || silentMs <= allowedMs) return false;
  const conditions = silentConditions(node, formatTime(clock.now()));
  await objects.update(
    Node,
    { ...node, status: { ...node.status, conditions } },
    { manager: controllerManager, subresource: "status" },
  );
  if (ready?.status !== "True") return false;
  recordEvent(node, nodeEvent("NodeNotReady", `Node ${name} status is now: NodeNotReady`));
  return true;
}

async function updateTaints({ objects, clock }: ControllerContext, name: string): Promise<void> {
  const node = objects.get(Node, { name });
  if (node === undefined) return;
  const before = node.spec?.taints ?? [];
  const taints = taintsFor(node, formatTime(clock.now()), !isFullDisruption(objects.list(Node)));
  if (taints === before) return;
  const { taints: _, ...rest } = node.spec ?? {};
  const spec = taints.length === 0 ? rest : { ...rest, taints };
  await objects.update(Node, { ...node, spec }, { manager: controllerManager });
}

const excludedLabel = "node.kubernetes.io/exclude-disruption";

/** Whether there are nodes and none of them is ready; nodes with the label that excludes them do not count. */
function isFullDisruption(nodes: readonly Stored<Node>[]): boolean {
  const counted = nodes.filter(({ metadata }) => metadata.labels?.[excludedLabel] === undefined);
  return counted.length > 0 && counted.every((node) => readyOf(node)?.status !== "True");
}

/** Marks the pods of a node that fell silent: no kubelet reports on them. */
async function markPodsNotReady(context: ControllerContext, name: string): Promise<void> {
  for (const pod of context.objects.list(Pod)) {
    if (pod.spec?.nodeName === name) await markNotReady(context, pod);
  }
}

async function markNotReady(
  { objects, clock, recordEvent }: ControllerContext,
  pod: Stored<Pod>,
): Promise<void> {
  if (!isPodReady(pod)) return;
  const before = pod.status?.conditions?.find(({ type }) => type === "Ready");
  const lastTransitionTime = formatTime(clock.now());
  const condition = { ...before, type: "Ready", status: "False", lastTransitionTime } as const;
  const status = { ...pod.status, conditions: withCondition(pod.status?.conditions, condition) };
  await ignoreNotFound(
    objects.update(Pod, { ...pod, status }, { manager: controllerManager, subresource: "status" }),
  );
  recordEvent(pod, { component, type: "Warning", reason: "NodeNotReady", message: "Node is not ready" });
}

const watchedConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions of a node of which nothing was heard for too long. */
function silentConditions({ metadata, status }: Stored<Node>, now: string): readonly NodeCondition[] {
  const conditions = [...(status?.conditions ?? [])];
  for (const type of watchedConditions) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const before = conditions[index];
    if (before === undefined) {
      conditions.push({
        type,
        status: "Unknown",
        lastHeartbeatTime: metadata.creationTimestamp,
        lastTransitionTime: now,
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
      });
    } else if (before.status !== "Unknown") {
      conditions[index] = {
        ...before,
        status: "Unknown",
        lastTransitionTime: now,
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
      };
    }
  }
  return conditions;
}

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

const noScheduleTaints: readonly { readonly type: string; readonly status: string; readonly key: string }[] =
  [
    { type: "Ready", status: "False", key: notReady },
    { type: "Ready", status: "Unknown", key: unreachable },
    { type: "MemoryPressure", status: "True", key: "node.kubernetes.io/memory-pressure" },
    { type: "DiskPressure", status: "True", key: "node.kubernetes.io/disk-pressure" },
    { type: "NetworkUnavailable", status: "True", key: "node.kubernetes.io/network-unavailable" },
    { type: "PIDPressure", status: "True", key: "node.kubernetes.io/pid-pressure" },
  ];

const unschedulable = "node.kubernetes.io/unschedulable";

/** The taints of a node: those that its conditions require, and those that this controller does not manage. */
function taintsFor({ spec, status }: Stored<Node>, now: string, mayEvict: boolean): readonly Taint[] {
  const has = (type: string, wanted: string): boolean =>
    status?.conditions?.find((condition) => condition.type === type)?.status === wanted;
  const before = spec?.taints ?? [];
  const keys = noScheduleTaints.filter((one) => has(one.type, one.status)).map(({ key }) => key);
  if (spec?.unschedulable === true) keys.push(unschedulable);
  const isOurs = ({ key, effect }: Taint): boolean =>
    (effect === "NoSchedule" && (key === unschedulable || noScheduleTaints.some((one) => one.key === key))) ||
    (effect === "NoExecute" && (key === notReady || key === unreachable));
  const wanted: Taint[] = keys.map((key) => ({ key, effect: "NoSchedule", timeAdded: now }));
  const evicting = has("Ready", "False") ? notReady : has("Ready", "Unknown") ? unreachable : undefined;
  if (evicting !== undefined && mayEvict) wanted.push({ key: evicting, effect: "NoExecute", timeAdded: now });
  const kept = before.filter(
    (taint) => !isOurs(taint) || wanted.some((one) => one.key === taint.key && one.effect === taint.effect),
  );
  const added = wanted.filter(
    (one) => !before.some((taint) => taint.key === one.key && taint.effect === one.effect),
  );
  return added.length === 0 && kept.length === before.length ? before : [...kept, ...added];
}
