import { matchesLabels, type Stored } from "@keelson/core";
import {
  Namespace,
  type Node,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
  type Pod,
  type PodAffinityTerm,
  type TopologySpreadConstraint,
} from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import type { NodeState } from "./cluster-state.ts";

/** Whether a node matches the node selector and required node affinity of the pod. */
export function isNodeWanted({ spec }: Stored<Pod>, node: Stored<Node>): boolean {
  const { nodeSelector, affinity } = spec ?? {};
  if (nodeSelector !== undefined && !matchesLabels({ matchLabels: nodeSelector }, node.metadata.labels))
    return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** The weights of the preferences that a node meets, added up. */
export function nodePreference({ spec }: Stored<Pod>, node: Stored<Node>): number {
  const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.reduce(
    (sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0),
    0,
  );
}

/** A term that says nothing matches nothing. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Stored<Node>,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { "metadata.name": metadata.name };
  return (
    matchExpressions.every((requirement) => isMet(requirement, metadata.labels)) &&
    matchFields.every((requirement) => isMet(requirement, fields))
  );
}

function isMet(
  { key, operator, values }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const comparison = { key, operator, values: values ?? [] };
  return isComparison(comparison) && matchesLabels({ matchExpressions: [comparison] }, labels);
}

type LabelQuery = NonNullable<NonNullable<Parameters<typeof matchesLabels>[0]>["matchExpressions"]>[number];

function isComparison(requirement: {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}): requirement is LabelQuery & { readonly values: readonly string[] } {
  return ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"].includes(requirement.operator);
}

export type AffinityProblem =
  | "node(s) didn't match pod affinity rules"
  | "node(s) didn't match pod anti-affinity rules"
  | "node(s) didn't satisfy existing pods anti-affinity rules";

/** The affinity rule that a node violates for a pod, given the pods on all nodes; undefined if none. */
export function podAffinityProblem(
  objects: ObjectApi,
  pod: Stored<Pod>,
  node: NodeState,
  nodes: readonly NodeState[],
): AffinityProblem | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const wanted = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const unwanted = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const term of wanted) {
    if (!isAffinityMet(objects, pod, term, node, nodes)) return "node(s) didn't match pod affinity rules";
  }
  for (const term of unwanted) {
    const isNear = podsNear(term, node, nodes).some((other) => selects(objects, pod, term, other));
    if (isNear) return "node(s) didn't match pod anti-affinity rules";
  }
  return isRefusedByOthers(objects, pod, node, nodes)
    ? "node(s) didn't satisfy existing pods anti-affinity rules"
    : undefined;
}

/** The first pod of a group with affinity to itself may run on any node. */
function isAffinityMet(
  objects: ObjectApi,
  pod: Stored<Pod>,
  term: PodAffinityTerm,
  node: NodeState,
  nodes: readonly NodeState[],
): boolean {
  if (node.node.metadata.labels?.[term.topologyKey] === undefined) return false;
  if (podsNear(term, node, nodes).some((other) => selects(objects, pod, term, other))) return true;
  const isAnyThere = nodes.some(({ pods }) => pods.some((other) => selects(objects, pod, term, other)));
  return !isAnyThere && selects(objects, pod, term, pod);
}

function isRefusedByOthers(
  objects: ObjectApi,
  pod: Stored<Pod>,
  node: NodeState,
  nodes: readonly NodeState[],
): boolean {
  return nodes.some((other) =>
    [...other.apart].some((owner) =>
      (owner.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
        (term) => isSameTopology(term.topologyKey, node, other) && selects(objects, owner, term, pod),
      ),
    ),
  );
}

/** How much a pod likes a node for the pods near it; negative if it would rather be elsewhere. */
export function podPreference(
  objects: ObjectApi,
  pod: Stored<Pod>,
  node: NodeState,
  nodes: readonly NodeState[],
): number {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  let sum = 0;
  for (const [sign, terms] of [
    [1, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution],
    [-1, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution],
  ] as const) {
    for (const { weight, podAffinityTerm } of terms ?? []) {
      const near = podsNear(podAffinityTerm, node, nodes);
      sum += sign * weight * near.filter((other) => selects(objects, pod, podAffinityTerm, other)).length;
    }
  }
  return sum;
}

function podsNear(
  { topologyKey }: PodAffinityTerm,
  node: NodeState,
  nodes: readonly NodeState[],
): readonly Stored<Pod>[] {
  return nodes.filter((other) => isSameTopology(topologyKey, node, other)).flatMap(({ pods }) => pods);
}

function isSameTopology(key: string, a: NodeState, b: NodeState): boolean {
  const value = a.node.metadata.labels?.[key];
  return value !== undefined && value === b.node.metadata.labels?.[key];
}

/** Whether a term of a pod is about another pod. */
function selects(objects: ObjectApi, owner: Stored<Pod>, term: PodAffinityTerm, other: Stored<Pod>): boolean {
  return (
    isInNamespaces(objects, owner, term, other) && matchesLabels(term.labelSelector, other.metadata.labels)
  );
}

function isInNamespaces(
  objects: ObjectApi,
  owner: Stored<Pod>,
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
  other: Stored<Pod>,
): boolean {
  const { namespace } = other.metadata;
  if (namespaces.length === 0 && namespaceSelector === undefined)
    return namespace === owner.metadata.namespace;
  if (namespaces.includes(namespace)) return true;
  if (namespaceSelector === undefined) return false;
  return matchesLabels(namespaceSelector, objects.get(Namespace, { name: namespace })?.metadata.labels);
}

export type SpreadProblem =
  | "node(s) didn't match pod topology spread constraints"
  | "node(s) didn't match pod topology spread constraints (missing required label)";

/** Why a pod would be spread too unevenly; undefined if it would not. */
export function spreadProblem(
  pod: Stored<Pod>,
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
export function spreadSkew(pod: Stored<Pod>, node: NodeState, nodes: readonly NodeState[]): number {
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
  pod: Stored<Pod>,
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
