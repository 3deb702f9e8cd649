import { type LabelSelector, labelSelector, type Resource, type Stored } from "keelson";
import { ReplicaSet } from "keelson/kinds/apps/v1";
import { Pod, ReplicationController } from "keelson/kinds/core/v1";
import { type EvictionState, evictPod, listOwned, planEvictions } from "keelson/object";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadKindName } from "../workload/workload-kind.ts";
import { valueAt } from "../workload/workload-kinds.ts";
import type { ReloadContext } from "./reload-request.ts";

/** How far a restart has come. */
export type RestartProgress =
  | { readonly done: true }
  | {
      readonly done: false;
      /** What it waits for. */
      readonly message: string;
      /** When to take the next step. */
      readonly retryAfterMs: number;
    };

const stepMs = 1_000;
/** Each step lists the pods, so those of a large workload are looked at less often. */
const stepMsPerPod = 20;
const budgetRetryMs = 5_000;

/** The kinds whose pods are restarted by evicting them, and which kind stands between them and their pods. */
const evicted: Partial<Readonly<Record<WorkloadKindName, Resource | undefined>>> = {
  Deployment: ReplicaSet,
  StatefulSet: undefined,
  DaemonSet: undefined,
  DeploymentConfig: ReplicationController,
};

/** Whether the strategy `restart` evicts the pods of the kind. */
export function isRestartedByEviction(kind: WorkloadKindName): boolean {
  return Object.hasOwn(evicted, kind);
}

/**
 * One step of the restart of a workload: evicts the next of the pods that were created before `startedAt`, as far as the workload
 * and its PodDisruptionBudgets allow it now. Depends on nothing but what the server has, so that a restart goes on after
 * the operator has ended at any point of it. Pods of other workloads are not touched, whatever labels they have.
 */
export async function restartStep(
  context: Pick<ReloadContext, "liveClient" | "clock">,
  workload: Workload,
  startedAt: string,
): Promise<RestartProgress> {
  // The creation of a pod is known to the second. Those of the second of the start count as older, so none may be
  // replaced before it is over.
  const startedAtMs = Math.ceil(Date.parse(startedAt) / 1000) * 1000;
  const nowMs = context.clock.now();
  if (nowMs < startedAtMs)
    return { done: false, message: "The restart begins", retryAfterMs: startedAtMs - nowMs };
  const pods = await podsOf(context, workload);
  const plan = planEvictions({ ...limitsOf(workload, pods.length), pods, startedAtMs, nowMs });
  if (plan.isDone) return { done: true };
  for (const pod of plan.evicted) {
    const eviction = await evictPod(context.liveClient, pod);
    if (eviction.evicted) continue;
    const message = `Pod ${pod.metadata.name} may not be evicted now: ${eviction.reason}`;
    return { done: false, message, retryAfterMs: budgetRetryMs };
  }
  const message =
    plan.evicted.length > 0
      ? `Evicted ${plan.evicted.map(({ metadata }) => metadata.name).join(", ")}`
      : `Waits until ${plan.unavailable} more pods are ready`;
  return { done: false, message, retryAfterMs: Math.max(stepMs, pods.length * stepMsPerPod) };
}

/** The pods that the workload controls, directly or by its ReplicaSets. */
async function podsOf(
  { liveClient }: Pick<ReloadContext, "liveClient">,
  workload: Workload,
): Promise<readonly Stored<Pod>[]> {
  const { kind, object, metadata } = workload;
  const selector = selectorOf(workload);
  if (selector === undefined) return [];
  const selection = { namespace: metadata.namespace, labelSelector: selector };
  const between = evicted[kind];
  const owners = between === undefined ? [object] : await listOwned(liveClient, [object], between, selection);
  return listOwned(liveClient, owners, Pod, selection);
}

/** A DeploymentConfig has labels in the place of a selector. An empty selector would select the pods of all workloads. */
function selectorOf({ kind, object }: Workload): LabelSelector | undefined {
  const value = valueAt(object, "spec", "selector");
  const selector = labelSelector().safeParse(kind === "DeploymentConfig" ? { matchLabels: value } : value);
  const { matchLabels = {}, matchExpressions = [] } = selector.data ?? {};
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  return isEmpty ? undefined : selector.data;
}

function limitsOf(
  { kind, object }: Workload,
  podCount: number,
): Pick<EvictionState, "desired" | "maxUnavailable" | "minReadySeconds" | "isReplacedInPlace"> {
  const number = (...path: readonly string[]) => {
    const value = valueAt(object, ...path);
    return typeof value === "number" ? value : undefined;
  };
  const desired =
    kind === "DaemonSet"
      ? (number("status", "desiredNumberScheduled") ?? podCount)
      : (number("spec", "replicas") ?? 1);
  return {
    desired,
    maxUnavailable: Math.max(1, maxUnavailableOf(kind, object, desired)),
    minReadySeconds: number("spec", "minReadySeconds") ?? 0,
    isReplacedInPlace: kind === "StatefulSet" || kind === "DaemonSet",
  };
}

/** How many pods a rolling update of the workload may make unavailable, rounded as its controller does; 0 without one. */
function maxUnavailableOf(kind: WorkloadKindName, object: Workload["object"], desired: number): number {
  const isDeployment = kind === "Deployment";
  const strategy = isDeployment ? "strategy" : "updateStrategy";
  const value = valueAt(object, "spec", strategy, "rollingUpdate", "maxUnavailable");
  if (typeof value === "number") return value;
  const percent = typeof value === "string" ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return 0;
  const share = (Number(percent) * desired) / 100;
  return isDeployment ? Math.floor(share) : Math.ceil(share);
}
