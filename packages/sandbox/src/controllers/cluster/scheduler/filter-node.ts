import type { Stored } from "@keelson/core";
import type { Pod, Taint, Toleration } from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import { isNodeWanted, podAffinityProblem, spreadProblem } from "./affinity.ts";
import { type NodeState, podRequests } from "./cluster-state.ts";

/** Why a pod cannot go to a node. */
export interface Misfit {
  readonly reasons: readonly string[];
  /** Whether preemption of other pods could help. */
  readonly isResolvable: boolean;
}

/**
 * The first filter that refuses a node for a pod, in the order of the real scheduler; undefined if nothing
 * does.
 */
export function misfitOf(
  objects: ObjectApi,
  pod: Stored<Pod>,
  state: NodeState,
  nodes: readonly NodeState[],
): Misfit | undefined {
  const { node } = state;
  const taints = node.spec?.taints ?? [];
  const unschedulable = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
  if (node.spec?.unschedulable === true && !isTolerated(unschedulable, pod.spec?.tolerations ?? []))
    return hopeless("node(s) were unschedulable");
  if (isRepelled(pod, taints)) return hopeless("node(s) had untolerated taint(s)");
  if (!isNodeWanted(pod, node)) return hopeless("node(s) didn't match Pod's node affinity/selector");
  if (hasPortConflict(pod, state))
    return resolvable("node(s) didn't have free ports for the requested pod ports");
  const shortage = resourceMisfit(pod, state);
  if (shortage !== undefined) return shortage;
  const spread = spreadProblem(pod, state, nodes);
  if (spread !== undefined)
    return spread.endsWith("(missing required label)") ? hopeless(spread) : resolvable(spread);
  const affinity = podAffinityProblem(objects, pod, state, nodes);
  if (affinity === undefined) return undefined;
  return affinity === "node(s) didn't match pod affinity rules" ? hopeless(affinity) : resolvable(affinity);
}

function hopeless(reason: string): Misfit {
  return { reasons: [reason], isResolvable: false };
}

function resolvable(reason: string): Misfit {
  return { reasons: [reason], isResolvable: true };
}

function resourceMisfit(pod: Stored<Pod>, { allocatable, requested, count }: NodeState): Misfit | undefined {
  const reasons: string[] = [];
  let isResolvable = true;
  const places = allocatable.get("pods") ?? 0n;
  if (BigInt(count + 1) * 1_000_000_000n > places) reasons.push("Too many pods");
  for (const [resource, amount] of podRequests(pod)) {
    if (amount === 0n) continue;
    const available = allocatable.get(resource) ?? 0n;
    if (amount + (requested.get(resource) ?? 0n) <= available) continue;
    reasons.push(`Insufficient ${resource}`);
    if (amount > available) isResolvable = false;
  }
  return reasons.length === 0 ? undefined : { reasons, isResolvable };
}

function hasPortConflict(pod: Stored<Pod>, node: NodeState): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const taken = node.pods.flatMap(hostPorts);
  return wanted.some((one) =>
    taken.some(
      (other) =>
        one.port === other.port &&
        one.protocol === other.protocol &&
        (one.ip === other.ip || one.ip === anyAddress || other.ip === anyAddress),
    ),
  );
}

const anyAddress = "0.0.0.0";

interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

function hostPorts({ spec }: Stored<Pod>): readonly HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ ip: hostIP || anyAddress, port: hostPort, protocol: protocol ?? "TCP" }] : [],
    ),
  );
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

export function tolerates(
  { key = "", operator = "Equal", value = "", effect }: Toleration,
  taint: Taint,
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return key !== "" && operator === "Equal" && value === (taint.value ?? "");
}

/** Whether the pod may not go to a node because of its taints. */
function isRepelled({ spec }: Stored<Pod>, taints: readonly Taint[]): boolean {
  return taints.some(
    (taint) => taint.effect !== "PreferNoSchedule" && !isTolerated(taint, spec?.tolerations ?? []),
  );
}

/** Why a pod cannot be scheduled, in the words of the real scheduler. */
export function fitError(pod: Stored<Pod>, misfits: readonly Misfit[]): string {
  if (misfits.length === 0) return "no nodes available to schedule pods";
  const head = `0/${misfits.length} nodes are available:`;
  const reasons = histogram(misfits.flatMap(({ reasons }) => reasons));
  return `${head} ${reasons}. ${afterword(pod, misfits)}`;
}

/** The same for a reason that lies with the pod itself; so the real scheduler ends it. */
export function podError(nodeCount: number, reason: string): string {
  return `0/${nodeCount} nodes are available: ${reason}. not found`;
}

/** The result of preemption, which this scheduler does not attempt. */
function afterword(pod: Stored<Pod>, misfits: readonly Misfit[]): string {
  const prefix = "no new claims to deallocate, preemption:";
  if (pod.spec?.preemptionPolicy === "Never") return `${prefix} not eligible due to preemptionPolicy=Never.`;
  const reasons = misfits.map(({ isResolvable }) =>
    isResolvable
      ? "No preemption victims found for incoming pod"
      : "Preemption is not helpful for scheduling",
  );
  return `${prefix} 0/${misfits.length} nodes are available: ${histogram(reasons)}.`;
}

function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}
