import type { ObjectMeta } from "@keelson/core";
import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  Subject,
} from "@keelson/core/kinds/rbac/v1";

const apiGroup = "rbac.authorization.k8s.io";
const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** What binds the role, under its own name, to a user of this name as the API server tells it. */
export function makeBinding(role: ClusterRole | Role, user: string): ClusterRoleBinding | RoleBinding {
  const { apiVersion, kind } = role;
  const metadata: ObjectMeta = role.metadata;
  const parts = {
    apiVersion,
    metadata,
    roleRef: { apiGroup, kind, name: metadata.name ?? "" },
    subjects: [subjectOf(user)],
  };
  return kind === "Role" ? { kind: "RoleBinding", ...parts } : { kind: "ClusterRoleBinding", ...parts };
}

function subjectOf(user: string): Subject {
  const [, namespace, name] = serviceAccount.exec(user) ?? [];
  return namespace === undefined || name === undefined
    ? { kind: "User", apiGroup, name: user }
    : { kind: "ServiceAccount", namespace, name };
}
