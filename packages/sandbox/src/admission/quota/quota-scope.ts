import { matchesLabels } from "@keelson/core";
import type {
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "@keelson/core/kinds/core/v1";

/** The scopes of a quota, in the form of its scope selector. */
export function scopesOf({
  scopes = [],
  scopeSelector,
}: ResourceQuotaSpec): readonly ScopedResourceSelectorRequirement[] {
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" as const })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
}

export function podIsInScope(pod: Pod, scope: ScopedResourceSelectorRequirement): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return pod.status?.qosClass === "BestEffort";
    case "NotBestEffort":
      return pod.status?.qosClass !== "BestEffort";
    case "PriorityClass":
      return isSelected(scope, pod.spec?.priorityClassName ?? "");
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

/** Whether the pod ends by itself, at its deadline. */
export function isTerminating({ spec }: Pod): boolean {
  return spec?.activeDeadlineSeconds !== undefined;
}

export function claimIsInScope(
  { spec, status }: PersistentVolumeClaim,
  scope: ScopedResourceSelectorRequirement,
): boolean {
  if (scope.scopeName !== "VolumeAttributesClass") return false;
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== "");
  return names.length === 0 ? isSelected(scope, "") : names.some((name = "") => isSelected(scope, name));
}

/** Whether a scope that takes values selects this one; empty: there is none. */
function isSelected({ operator, values }: ScopedResourceSelectorRequirement, value: string): boolean {
  if (operator === "Exists") return value !== "";
  const key = "value";
  const requirement = { key, operator, ...(values !== undefined && { values }) };
  return matchesLabels({ matchExpressions: [requirement] }, value === "" ? {} : { [key]: value });
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const { requiredDuringSchedulingIgnoredDuringExecution: hard = [] } = affinity ?? {};
    const { preferredDuringSchedulingIgnoredDuringExecution: soft = [] } = affinity ?? {};
    return [...hard, ...soft.map(({ podAffinityTerm }) => podAffinityTerm)].some(namesNamespaces);
  });
}

function namesNamespaces({ namespaces = [], namespaceSelector }: PodAffinityTerm): boolean {
  return namespaces.length > 0 || namespaceSelector !== undefined;
}
