// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, LabelSelector, ListMeta, NamespacedMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

export interface ClusterRole {
  readonly aggregationRule?: AggregationRule;
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "ClusterRole";
  readonly metadata: ClusterMeta;
  readonly rules?: readonly PolicyRule[];
}

export const ClusterRole: Resource<ClusterRole> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
};

export interface ClusterRoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "ClusterRoleBinding";
  readonly metadata: ClusterMeta;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export const ClusterRoleBinding: Resource<ClusterRoleBinding> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  scope: "Cluster",
};

export interface ClusterRoleBindingList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly items: readonly ClusterRoleBinding[];
  readonly kind: "ClusterRoleBindingList";
  readonly metadata: ListMeta;
}

export interface ClusterRoleList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly items: readonly ClusterRole[];
  readonly kind: "ClusterRoleList";
  readonly metadata: ListMeta;
}

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Role {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "Role";
  readonly metadata: NamespacedMeta;
  readonly rules?: readonly PolicyRule[];
}

export const Role: Resource<Role> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "Role",
  plural: "roles",
  scope: "Namespaced",
};

export interface RoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "RoleBinding";
  readonly metadata: NamespacedMeta;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export const RoleBinding: Resource<RoleBinding> = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "RoleBinding",
  plural: "rolebindings",
  scope: "Namespaced",
};

export interface RoleBindingList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly items: readonly RoleBinding[];
  readonly kind: "RoleBindingList";
  readonly metadata: ListMeta;
}

export interface RoleList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly items: readonly Role[];
  readonly kind: "RoleList";
  readonly metadata: ListMeta;
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}
