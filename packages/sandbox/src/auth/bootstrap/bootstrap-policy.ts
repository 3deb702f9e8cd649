import type { ObjectMeta } from "@keelson/core";
import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from "@keelson/core/kinds/rbac/v1";
import { aggregatedRules } from "../aggregate-rules.ts";
import { componentRoles } from "./component-roles.ts";
import { controllerRolesAToL } from "./controller-roles-a-to-l.ts";
import { controllerRolesMToZ } from "./controller-roles-m-to-z.ts";
import { namespacedBindings, namespacedRoles } from "./namespaced-roles.ts";
import { nodeRoles } from "./node-roles.ts";
import type { RulesByRole } from "./policy-notation.ts";
import { account, group, user } from "./policy-notation.ts";
import { userRoles } from "./user-roles.ts";

const rbacGroup = "rbac.authorization.k8s.io";
const apiVersion = `${rbacGroup}/v1`;

/** The roles and bindings of a new cluster, those of Kubernetes v1.36.2. */
interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  /** In namespaces that are there from the beginning. */
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

export function bootstrapPolicy(): BootstrapPolicy {
  return {
    clusterRoles: clusterRoles(),
    clusterRoleBindings: Object.entries(clusterBindings).map(([name, subjects]) => ({
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: metadata(name),
      roleRef: roleRef("ClusterRole", name),
      ...(subjects.length > 0 && { subjects }),
    })),
    roles: Object.entries(namespacedRoles).flatMap(([namespace, roles]) =>
      Object.entries(roles).map(([name, rules]) => ({
        apiVersion,
        kind: "Role" as const,
        metadata: { ...metadata(name), namespace },
        rules,
      })),
    ),
    roleBindings: Object.entries(namespacedBindings).flatMap(([namespace, bindings]) =>
      bindings.map(({ name, role, subjects }) => ({
        apiVersion,
        kind: "RoleBinding" as const,
        metadata: { ...metadata(name), namespace },
        roleRef: roleRef("Role", role),
        subjects,
      })),
    ),
  };
}

const controllerRoles: RulesByRole = { ...controllerRolesAToL, ...controllerRolesMToZ };

/** By name of the binding, which is the name of its role. */
const clusterBindings: Readonly<Record<string, readonly Subject[]>> = {
  "cluster-admin": [group("system:masters")],
  "system:basic-user": [group("system:authenticated")],
  ...Object.fromEntries(
    Object.keys(controllerRoles).map((name) => [`system:controller:${name}`, [account(name)]]),
  ),
  "system:discovery": [group("system:authenticated")],
  "system:kube-controller-manager": [user("system:kube-controller-manager")],
  "system:kube-dns": [account("kube-dns")],
  "system:kube-scheduler": [user("system:kube-scheduler")],
  "system:monitoring": [group("system:monitoring")],
  "system:node": [],
  "system:node-proxier": [user("system:kube-proxy")],
  "system:public-info-viewer": [group("system:authenticated"), group("system:unauthenticated")],
  "system:service-account-issuer-discovery": [group("system:serviceaccounts")],
  "system:volume-scheduler": [user("system:kube-scheduler")],
};

/** Aggregated roles, each with the role into which it is aggregated, from the smallest on. */
const aggregated = [
  { name: "view", partOf: "edit" },
  { name: "edit", partOf: "admin" },
  { name: "admin", partOf: undefined },
];

function clusterRoles(): readonly ClusterRole[] {
  const roles: ClusterRole[] = [];
  const add = (name: string, rules: ClusterRole["rules"]): void => {
    const [, partOf] = /^system:aggregate-to-(.+)$/.exec(name) ?? [];
    const own = { apiVersion, kind: "ClusterRole", metadata: metadata(name, partOf) } as const;
    roles.push(rules === undefined ? own : { ...own, rules });
  };
  for (const [name, rules] of Object.entries({ ...userRoles, ...componentRoles, ...nodeRoles }))
    add(name, rules);
  for (const [name, rules] of Object.entries(controllerRoles)) add(`system:controller:${name}`, rules);
  for (const { name, partOf } of aggregated) {
    const role: ClusterRole = {
      apiVersion,
      kind: "ClusterRole",
      metadata: metadata(name, partOf),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregatesTo(name) }] },
    };
    roles.push({ ...role, rules: aggregatedRules(role, roles) ?? [] });
  }
  return roles;
}

function metadata(name: string, partOf?: string): ObjectMeta {
  return {
    name,
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...(partOf !== undefined && aggregatesTo(partOf)),
    },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}

function aggregatesTo(role: string): Readonly<Record<string, string>> {
  return { [`${rbacGroup}/aggregate-to-${role}`]: "true" };
}

function roleRef(kind: "ClusterRole" | "Role", name: string): RoleRef {
  return { apiGroup: rbacGroup, kind, name };
}
