import type { ClusterRole, PolicyRule, Role } from "@keelson/core/kinds/rbac/v1";

const apiVersion = "rbac.authorization.k8s.io/v1";

export function makeClusterRole(name: string, rules: readonly PolicyRule[]): ClusterRole {
  return { apiVersion, kind: "ClusterRole", metadata: { name }, rules };
}

export function makeRole(namespace: string, name: string, rules: readonly PolicyRule[]): Role {
  return { apiVersion, kind: "Role", metadata: { namespace, name }, rules };
}
