import type { Values } from "../helm/helm.ts";
import type { AzimuthSettings, PolicyRule } from "../settings.ts";
import { yamlText } from "../yaml-text.ts";

type Roles = Pick<AzimuthSettings["identity"], "defaultUserNamespaceRole" | "defaultUserClusterRole">;

/** The groups of those who may use a platform, as the identity operator names them. */
export interface PlatformGroups {
  /** Of all users of the tenancy; undefined if its Realm has none. */
  readonly platformUsersGroup: string | undefined;
  /** Of those who may use this very platform. */
  readonly rootGroup: string;
}

const apiGroup = "rbac.authorization.k8s.io";
const api = { apiVersion: `${apiGroup}/v1` };
/** What the API server of a cluster puts before the groups in a token, by the defaults of the chart. */
const groupPrefix = "oidc:";

/**
 * The manifests, by file name, that give users of a platform their roles in a cluster, which knows only its
 * administrator otherwise; undefined if no roles are configured.
 */
export function defaultRbacManifests(
  { defaultUserNamespaceRole, defaultUserClusterRole }: Roles,
  groups: PlatformGroups,
): Values | undefined {
  if (defaultUserNamespaceRole === undefined && defaultUserClusterRole === undefined) return undefined;
  const subjects = [groups.platformUsersGroup, groups.rootGroup]
    .filter((group) => group !== undefined)
    .map((group) => ({ apiGroup, kind: "Group", name: `${groupPrefix}${group}` }));
  return {
    ...(defaultUserNamespaceRole && namespaceManifests(defaultUserNamespaceRole, subjects)),
    ...(defaultUserClusterRole && clusterManifests(defaultUserClusterRole, subjects)),
  };
}

function namespaceManifests(
  { name, namespaces, rules }: NonNullable<Roles["defaultUserNamespaceRole"]>,
  subjects: readonly object[],
): Values {
  const bindings = namespaces.map((namespace) => ({
    ...{ ...api, kind: "RoleBinding", metadata: { name: `${name}-${namespace}`, namespace } },
    ...{ subjects, roleRef: roleRef(name) },
  }));
  return {
    "oidc-default-namespace-role.yaml": yamlText(clusterRole(name, rules)),
    ...(bindings.length > 0 && { "oidc-default-role-binding.yaml": yamlText(...bindings) }),
  };
}

function clusterManifests(
  { name, rules }: NonNullable<Roles["defaultUserClusterRole"]>,
  subjects: readonly object[],
): Values {
  const binding = {
    ...api,
    kind: "ClusterRoleBinding",
    metadata: { name },
    subjects,
    roleRef: roleRef(name),
  };
  return {
    "oidc-default-cluster-role.yaml": yamlText(clusterRole(name, rules)),
    "oidc-default-cluster-role-binding.yaml": yamlText(binding),
  };
}

function clusterRole(name: string, rules: readonly PolicyRule[]): object {
  return {
    ...{ ...api, kind: "ClusterRole", metadata: { name } },
    ...(rules.length > 0 && { rules: rules.map(withoutEmptyLists) }),
  };
}

function withoutEmptyLists(rule: PolicyRule): object {
  return Object.fromEntries(Object.entries(rule).filter(([, entries]) => entries.length > 0));
}

function roleRef(name: string): object {
  return { apiGroup, kind: "ClusterRole", name };
}
