import { matchesLabels } from "@keelson/core";
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from "@keelson/core/kinds/core/v1";

/** Whether a node is one of those that the pod asks for. */
export function isNodeWanted({ spec }: Pod, node: Node): boolean {
  const { nodeSelector, affinity } = spec ?? {};
  if (nodeSelector !== undefined && !matchesLabels({ matchLabels: nodeSelector }, node.metadata.labels))
    return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** The weights of the preferences that a node meets, added up. */
export function nodePreference({ spec }: Pod, node: Node): number {
  const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.reduce(
    (sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0),
    0,
  );
}

/** A term that says nothing matches nothing. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields = { "metadata.name": metadata.name ?? "" };
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
