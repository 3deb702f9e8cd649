import { controllerOf, type Stored } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import { nodePreference, podPreference, spreadSkew } from "./affinity.ts";
import { type NodeState, podRequests } from "./cluster-state.ts";
import { isTolerated } from "./filter-node.ts";

interface Criterion {
  readonly weight: number;
  /** More is better. */
  value(objects: ObjectApi, pod: Stored<Pod>, node: NodeState, nodes: readonly NodeState[]): number;
}

const criteria: readonly Criterion[] = [
  { weight: 3, value: (_objects, pod, node) => -dislikedTaints(pod, node) },
  { weight: 2, value: (_objects, pod, { node }) => nodePreference(pod, node) },
  { weight: 2, value: podPreference },
  { weight: 2, value: (_objects, pod, node, nodes) => -spreadSkew(pod, node, nodes) },
  { weight: 2, value: (_objects, pod, node) => -siblings(pod, node) },
  { weight: 1, value: (_objects, pod, node) => freeShare(pod, node) },
];

/** The best of the nodes that a pod fits on; of equal ones the one with fewest pods, then the first. */
export function bestNode(
  objects: ObjectApi,
  pod: Stored<Pod>,
  fitting: readonly NodeState[],
  nodes: readonly NodeState[],
): NodeState | undefined {
  const scores = new Map(fitting.map((node) => [node, 0]));
  for (const { weight, value } of criteria) {
    const values = fitting.map((node) => value(objects, pod, node, nodes));
    const [least, most] = [Math.min(...values), Math.max(...values)];
    if (least === most) continue;
    for (const [index, node] of fitting.entries()) {
      const share = ((values[index] ?? 0) - least) / (most - least);
      scores.set(node, (scores.get(node) ?? 0) + weight * share);
    }
  }
  const score = (node: NodeState): number => scores.get(node) ?? 0;
  return fitting.toSorted((a, b) => score(b) - score(a) || a.count - b.count)[0];
}

function dislikedTaints(pod: Stored<Pod>, { node }: NodeState): number {
  const tolerations = pod.spec?.tolerations ?? [];
  return (node.spec?.taints ?? []).filter(
    (taint) => taint.effect === "PreferNoSchedule" && !isTolerated(taint, tolerations),
  ).length;
}

/** Pods of the same controller on the node. */
function siblings(pod: Stored<Pod>, { pods }: NodeState): number {
  const owner = controllerOf(pod)?.uid;
  if (owner === undefined) return 0;
  return pods.filter((other) => controllerOf(other)?.uid === owner).length;
}

/** How much of its CPU and memory the node would have left, on average. */
function freeShare(pod: Stored<Pod>, { allocatable, requested }: NodeState): number {
  const needs = podRequests(pod);
  const shares = ["cpu", "memory"].map((resource) => {
    const total = allocatable.get(resource) ?? 0n;
    if (total === 0n) return 0;
    const used = (requested.get(resource) ?? 0n) + (needs.get(resource) ?? 0n);
    return Number(((total - used) * 1000n) / total) / 1000;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
