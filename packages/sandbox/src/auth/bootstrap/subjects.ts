import type { Subject } from "@keelson/core/kinds/rbac/v1";

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
