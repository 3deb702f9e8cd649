import type { KubeObject } from "@keelson/core";
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
