import type { KubeObject } from "@keelson/core";
import type { ConfigMap, ResourceQuota, Secret, ServiceAccount } from "@keelson/core/kinds/core/v1";
import type { Subject } from "@keelson/core/kinds/rbac/v1";
import { ageColumn, type KindColumn, nameColumn } from "./column.ts";

interface Binding extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[];
}

/** Of RoleBindings and ClusterRoleBindings. */
export const bindingColumns: readonly KindColumn<Binding>[] = [
  nameColumn,
  { name: "Role", description: "What is allowed", cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  ageColumn,
  subjectsColumn("Users", "User"),
  subjectsColumn("Groups", "Group"),
  subjectsColumn("ServiceAccounts", "ServiceAccount"),
];

function subjectsColumn(name: string, kind: string): KindColumn<Binding> {
  return {
    name,
    isWide: true,
    description: "Who is allowed",
    cell: ({ subjects = [] }) =>
      subjects
        .filter((subject) => subject.kind === kind)
        .map((subject) =>
          kind === "ServiceAccount" ? `${subject.namespace ?? ""}/${subject.name}` : subject.name,
        )
        .join(", "),
  };
}

export const configMapColumns: readonly KindColumn<ConfigMap>[] = [
  nameColumn,
  {
    name: "Data",
    description: "How many keys it has",
    cell: ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
  },
  ageColumn,
];

export const secretColumns: readonly KindColumn<Secret>[] = [
  nameColumn,
  { name: "Type", description: "What it is for", cell: ({ type }) => type ?? "" },
  { name: "Data", description: "How many keys it has", cell: ({ data }) => Object.keys(data ?? {}).length },
  ageColumn,
];

export const serviceAccountColumns: readonly KindColumn<ServiceAccount>[] = [nameColumn, ageColumn];

export const resourceQuotaColumns: readonly KindColumn<ResourceQuota>[] = [
  nameColumn,
  { name: "Request", description: "What is used, of what may be", cell: (quota) => usage(quota, false) },
  { name: "Limit", description: "The same for limits", cell: (quota) => usage(quota, true) },
  ageColumn,
];

function usage({ status }: ResourceQuota, ofLimits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  return Object.keys(hard)
    .sort()
    .filter((resource) => resource.startsWith("limits.") === ofLimits)
    .map((resource) => `${resource}: ${used[resource] ?? "0"}/${hard[resource] ?? "0"}`)
    .join(", ");
}
