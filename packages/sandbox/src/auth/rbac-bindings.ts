import type { Stored } from "@keelson/core";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from "@keelson/core/kinds/rbac/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { StoredObject } from "../store/store.ts";
import type { UserInfo } from "./user.ts";
import { serviceAccountUsername } from "./user.ts";

/** The rules that a binding grants to a user. */
interface Grant {
  /** `ClusterRoleBinding "…" of ClusterRole "…" to Group "…"` */
  readonly source: string;
  readonly rules: readonly PolicyRule[];
}

export interface Grants {
  /** Of ClusterRoleBindings first, then of RoleBindings of the namespace; in the order of the names. */
  readonly grants: readonly Grant[];
  /** Of bindings whose role does not exist. */
  readonly problems: readonly RoleProblem[];
}

/** Why the role of a binding has no rules. */
export interface RoleProblem {
  readonly text: string;
  /** The name of a role that does not exist. */
  readonly missing?: string;
}

export const rbacGroup = "rbac.authorization.k8s.io";

/** Everything that the bindings of the cluster, and of the namespace unless it is empty, grant to a user. */
export function grantsFor(read: StoredObjects, user: UserInfo, namespace: string): Grants {
  const grants: Grant[] = [];
  const problems: RoleProblem[] = [];
  function add(binding: Stored<ClusterRoleBinding | RoleBinding>): void {
    const { name, namespace: own = "" } = binding.metadata;
    const subject = (binding.subjects ?? []).find((one) => isMeant(user, one, own));
    if (subject === undefined) return;
    const found = rulesOfRole(read, binding.roleRef, own);
    if ("problem" in found) {
      problems.push(found.problem);
      return;
    }
    const { kind, name: role } = binding.roleRef;
    const place = own === "" ? name : `${name}/${own}`;
    const source = `${binding.kind} ${quoted(place)} of ${kind} ${quoted(role)} to ${shown(subject, own)}`;
    grants.push({ source, rules: found.rules });
  }
  for (const object of read.list({ group: rbacGroup, plural: "clusterrolebindings" })) add(stored(object));
  if (namespace !== "") {
    for (const object of read.list({ group: rbacGroup, plural: "rolebindings" }, namespace))
      add(stored(object));
  }
  return { grants, problems };
}

/** The rules of the role of a binding in a namespace (empty: a ClusterRoleBinding). */
export function rulesOfRole(
  read: StoredObjects,
  { kind, name }: RoleRef,
  namespace: string,
): { readonly rules: readonly PolicyRule[] } | { readonly problem: RoleProblem } {
  const role =
    kind === "ClusterRole"
      ? read.get({ group: rbacGroup, plural: "clusterroles" }, name)
      : kind === "Role"
        ? read.get({ group: rbacGroup, plural: "roles" }, name, namespace)
        : undefined;
  if (role !== undefined) return { rules: storedRole(role).rules ?? [] };
  if (kind !== "ClusterRole" && kind !== "Role") {
    return { problem: { text: `unsupported role reference kind: ${quoted(kind)}` } };
  }
  const text = `${kind.toLowerCase()}.${rbacGroup} ${quoted(name)} not found`;
  return { problem: { text, missing: name } };
}

/** A ServiceAccount without a namespace is in that of the binding; a ClusterRoleBinding has none. */
function isMeant({ username, groups }: UserInfo, { kind, name, namespace }: Subject, own: string): boolean {
  if (kind === "User") return username === name;
  if (kind === "Group") return groups.includes(name);
  if (kind !== "ServiceAccount") return false;
  const place = namespace === undefined || namespace === "" ? own : namespace;
  return place !== "" && username === serviceAccountUsername({ namespace: place, name });
}

function shown({ kind, name, namespace = "" }: Subject, own: string): string {
  if (kind !== "ServiceAccount") return `${kind} ${quoted(name)}`;
  return `${kind} ${quoted(`${name}/${namespace === "" ? own : namespace}`)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The schema of the kind has checked every stored object. */
function stored(object: StoredObject): Stored<ClusterRoleBinding | RoleBinding> {
  return decoded<Stored<ClusterRoleBinding | RoleBinding>>(object);
}

function storedRole(object: StoredObject): ClusterRole | Role {
  return decoded<ClusterRole | Role>(object);
}
