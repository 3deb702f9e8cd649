import { matchesLabels } from "@keelson/core";
import { Namespace, type Pod, type PodAffinityTerm } from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import type { NodeState } from "./cluster-state.ts";

export type AffinityProblem =
  | "node(s) didn't match pod affinity rules"
  | "node(s) didn't match pod anti-affinity rules"
  | "node(s) didn't satisfy existing pods anti-affinity rules";

/** Why a pod may not be beside the pods that are there, or away from them; undefined if it may. */
export function podAffinityProblem(
  objects: ObjectApi,
  pod: Pod,
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

/** The first pod of a group that wants to be together may go anywhere. */
function isAffinityMet(
  objects: ObjectApi,
  pod: Pod,
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
  pod: Pod,
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
  pod: Pod,
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
): readonly Pod[] {
  return nodes.filter((other) => isSameTopology(topologyKey, node, other)).flatMap(({ pods }) => pods);
}

function isSameTopology(key: string, a: NodeState, b: NodeState): boolean {
  const value = a.node.metadata.labels?.[key];
  return value !== undefined && value === b.node.metadata.labels?.[key];
}

/** Whether a term of a pod is about another pod. */
function selects(objects: ObjectApi, owner: Pod, term: PodAffinityTerm, other: Pod): boolean {
  return (
    isInNamespaces(objects, owner, term, other) && matchesLabels(term.labelSelector, other.metadata.labels)
  );
}

function isInNamespaces(
  objects: ObjectApi,
  owner: Pod,
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
  other: Pod,
): boolean {
  const { namespace = "" } = other.metadata;
  if (namespaces.length === 0 && namespaceSelector === undefined)
    return namespace === owner.metadata.namespace;
  if (namespaces.includes(namespace)) return true;
  if (namespaceSelector === undefined) return false;
  return matchesLabels(namespaceSelector, objects.get(Namespace, { name: namespace })?.metadata.labels);
}
