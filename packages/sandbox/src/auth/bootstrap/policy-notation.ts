import type { PolicyRule, Subject } from "@keelson/core/kinds/rbac/v1";

export type RulesByRole = Readonly<Record<string, readonly PolicyRule[]>>;

/** A rule for resources. Lists are texts with spaces in between; the core group is written `core`. */
export function allow(verbs: string, groups: string, ...resources: readonly string[]): PolicyRule {
  return {
    apiGroups: words(groups).map((group) => (group === "core" ? "" : group)),
    resources: resources.flatMap(words),
    verbs: words(verbs),
  };
}

/** A rule for paths that are no resources. */
export function allowPaths(verbs: string, ...paths: readonly string[]): PolicyRule {
  return { nonResourceURLs: paths.flatMap(words), verbs: words(verbs) };
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

const apiGroup = "rbac.authorization.k8s.io";

export function group(name: string): Subject {
  return { apiGroup, kind: "Group", name };
}

export function user(name: string): Subject {
  return { apiGroup, kind: "User", name };
}

/** A ServiceAccount of the control plane. */
export function account(name: string): Subject {
  return { kind: "ServiceAccount", name, namespace: "kube-system" };
}
