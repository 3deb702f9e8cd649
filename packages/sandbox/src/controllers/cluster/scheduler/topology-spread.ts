import { matchesLabels } from "@keelson/core";
import type { Pod, TopologySpreadConstraint } from "@keelson/core/kinds/core/v1";
import type { NodeState } from "./cluster-state.ts";
import { isNodeWanted } from "./node-affinity.ts";

export type SpreadProblem =
  | "node(s) didn't match pod topology spread constraints"
  | "node(s) didn't match pod topology spread constraints (missing required label)";

/** Why a pod would be spread too unevenly; undefined if it would not. */
export function spreadProblem(
  pod: Pod,
  node: NodeState,
  nodes: readonly NodeState[],
): SpreadProblem | undefined {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  for (const constraint of constraints) {
    const domain = node.node.metadata.labels?.[constraint.topologyKey];
    if (domain === undefined)
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    const counts = countByDomain(pod, constraint, nodes);
    const own = matchesLabels(constraint.labelSelector, pod.metadata.labels) ? 1 : 0;
    const isEnough = counts.size >= (constraint.minDomains ?? 1);
    const fewest = isEnough ? Math.min(...counts.values()) : 0;
    if ((counts.get(domain) ?? 0) + own - fewest > constraint.maxSkew) {
      return "node(s) didn't match pod topology spread constraints";
    }
  }
  return undefined;
}

/** How many more pods are in the domain of a node than in the emptiest, by the constraints that are only wishes. */
export function spreadSkew(pod: Pod, node: NodeState, nodes: readonly NodeState[]): number {
  let skew = 0;
  for (const constraint of pod.spec?.topologySpreadConstraints ?? []) {
    const domain = node.node.metadata.labels?.[constraint.topologyKey];
    if (domain === undefined) continue;
    const counts = countByDomain(pod, constraint, nodes);
    skew += (counts.get(domain) ?? 0) - Math.min(...counts.values());
  }
  return skew;
}

function countByDomain(
  pod: Pod,
  { topologyKey, labelSelector, nodeAffinityPolicy = "Honor" }: TopologySpreadConstraint,
  nodes: readonly NodeState[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { node, pods } of nodes) {
    const domain = node.metadata.labels?.[topologyKey];
    if (domain === undefined || (nodeAffinityPolicy === "Honor" && !isNodeWanted(pod, node))) continue;
    const matching = pods.filter(
      ({ metadata }) =>
        metadata.namespace === pod.metadata.namespace &&
        metadata.deletionTimestamp === undefined &&
        matchesLabels(labelSelector, metadata.labels),
    );
    counts.set(domain, (counts.get(domain) ?? 0) + matching.length);
  }
  return counts;
}
