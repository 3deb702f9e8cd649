import type { Client } from "@keelson/client";
import type { PolicyRule } from "@keelson/controlplane";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@keelson/core/kinds/rbac/v1";

export interface Grant {
  readonly user: string;
  readonly rules: readonly PolicyRule[];
  /** The rules hold in this namespace only; without it in all of them. The namespace must exist. */
  readonly namespace?: string;
}

const how = { fieldOwner: "keelson-testkit", force: true };
const apiGroup = "rbac.authorization.k8s.io";

/** Lets a user of the embedded control plane do what the rules say; they are in force when this returns. */
export async function grantRules(admin: Client, { user, rules, namespace }: Grant): Promise<void> {
  // The names of RBAC objects may hold any character that a path segment may, but no slash and no percent sign.
  const name = `keelson-user:${Buffer.from(user).toString("base64url")}`;
  const subjects = [{ apiGroup, kind: "User", name: user }];
  const roleRules = rules.map((rule) => ({ ...rule, verbs: [...rule.verbs] }));
  if (namespace === undefined) {
    const roleRef = { apiGroup, kind: "ClusterRole", name };
    await admin.apply(ClusterRole, { metadata: { name }, rules: roleRules }, how);
    await admin.apply(ClusterRoleBinding, { metadata: { name }, roleRef, subjects }, how);
    return;
  }
  const roleRef = { apiGroup, kind: "Role", name };
  await admin.apply(Role, { metadata: { name, namespace }, rules: roleRules }, how);
  await admin.apply(RoleBinding, { metadata: { name, namespace }, roleRef, subjects }, how);
}
