import type { PolicyRule } from "@keelson/core/kinds/rbac/v1";

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
