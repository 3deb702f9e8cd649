import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  Taint,
  Toleration,
} from "@keelson/core/kinds/core/v1";

export interface NodeFit {
  /** The node should run a pod. */
  readonly shouldRun: boolean;
  /** A pod that runs on the node may stay. */
  readonly mayStay: boolean;
}

const no: NodeFit = { shouldRun: false, mayStay: false };

/** Whether pods of a template belong on a node, by its labels, its name and its taints. */
export function fitOf(node: Node, spec: PodSpec): NodeFit {
  if (spec.nodeName !== undefined && spec.nodeName !== "" && spec.nodeName !== node.metadata.name) return no;
  if (!matchesNodeSelection(node, spec)) return no;
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => !(spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  );
  const repels = (effect: string): boolean => untolerated.some((taint) => taint.effect === effect);
  return { shouldRun: !repels("NoExecute") && !repels("NoSchedule"), mayStay: !repels("NoExecute") };
}

function matchesNodeSelection(node: Node, { nodeSelector = {}, affinity }: PodSpec): boolean {
  const { labels = {} } = node.metadata;
  const hasLabels = Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    hasLabels &&
    (required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(node, term)))
  );
}

/** An empty term matches nothing. */
function matchesTerm(
  { metadata }: Node,
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => isMet(requirement, metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) =>
      isMet(requirement, requirement.key === "metadata.name" ? metadata.name : undefined),
    )
  );
}

function isMet({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return isInteger(value) && Number(value) > Number(values[0]);
    case "Lt":
      return isInteger(value) && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

function isInteger(value: string | undefined): boolean {
  return value !== undefined && /^-?\d+$/.test(value);
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return operator === "Equal" && value === (taint.value ?? "");
}
