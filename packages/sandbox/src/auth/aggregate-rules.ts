import { deepEqual, matchesLabels } from "@keelson/core";
import type { ClusterRole, PolicyRule } from "@keelson/core/kinds/rbac/v1";

/**
 * The rules of an aggregated ClusterRole: those of all ClusterRoles that one of its selectors selects, in the order of
 * their names, each rule once. Undefined for a ClusterRole with rules of its own.
 */
export function aggregatedRules(
  role: ClusterRole,
  all: readonly ClusterRole[],
): readonly PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const rules: PolicyRule[] = [];
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selected = all.filter(
      ({ metadata }) => metadata.name !== role.metadata.name && matchesLabels(selector, metadata.labels),
    );
    for (const { rules: own = [] } of selected.sort(byName)) {
      for (const rule of own) {
        if (!rules.some((before) => deepEqual(before, rule))) rules.push(rule);
      }
    }
  }
  return rules;
}

function byName({ metadata: a }: ClusterRole, { metadata: b }: ClusterRole): number {
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}
