import { deepEqual, type GenericObject } from "@keelson/core";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from "@keelson/core/kinds/rbac/v1";
import { describeRules, quotedList, uncoveredRules } from "../auth/policy-rule.ts";
import { privilegedGroup, type Rbac } from "../auth/rbac.ts";
import { type RoleProblem, rbacGroup, rulesOfRole } from "../auth/rbac-bindings.ts";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import { ApiError, notFound } from "../status/api-error.ts";
import type { AdmissionRequest, MutatingAdmission } from "./admission.ts";
import { refused } from "./admission.ts";

type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

const everything: readonly PolicyRule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] },
];

/**
 * Prevents privilege escalation: a user can only grant permissions that the user has, unless the user may `escalate` the
 * role or `bind` it. It changes nothing, but runs after the mutating webhooks and before validation, as in the real
 * server.
 */
export function rbacEscalation(rbac: Rbac, read: StoredObjects): MutatingAdmission {
  return {
    name: "RBACEscalation",
    mutate(request, object) {
      const { resource, operation, user, oldObject } = request;
      if (resource.group !== rbacGroup || object === undefined) return;
      if (operation !== "CREATE" && operation !== "UPDATE") return;
      if (user.groups.includes(privilegedGroup)) return;
      const written = typed(object);
      if (written.kind === "Role" || written.kind === "ClusterRole") {
        if (mayEscalate(rbac, request)) return;
        if (oldObject !== undefined && onlyChangesOwnership(object, oldObject)) return;
        checkRole(rbac, request, written);
      } else {
        if (oldObject !== undefined && onlyChangesOwnership(object, oldObject)) return;
        if (!mayBind(rbac, request, written)) checkBinding(rbac, read, request, written);
      }
    },
  };
}

function checkRole(rbac: Rbac, request: AdmissionRequest, role: ClusterRole | Role): void {
  const problem = escalation(rbac, request, role.rules ?? []);
  if (problem !== undefined) throw refused(request, role, problem);
  const old = request.oldObject === undefined ? undefined : typed(request.oldObject);
  const gathers = isAggregated(role) || (old !== undefined && isAggregated(old));
  // An aggregated role may contain any rule later.
  if (gathers && escalation(rbac, request, everything) !== undefined) {
    throw refused(request, role, "must have cluster-admin privileges to use the aggregationRule");
  }
}

function checkBinding(
  rbac: Rbac,
  read: StoredObjects,
  request: AdmissionRequest,
  binding: ClusterRoleBinding | RoleBinding,
): void {
  const found = rulesOfRole(read, binding.roleRef, request.namespace ?? "");
  if ("problem" in found) throw problemError(request, found.problem);
  const problem = escalation(rbac, request, found.rules);
  if (problem !== undefined) throw refused(request, binding, problem);
}

/** The error of the real server, which names the resource that is written instead of the missing role. */
function problemError({ resource }: AdmissionRequest, { text, missing }: RoleProblem): ApiError {
  if (missing === undefined) return new ApiError({ httpCode: 500, message: text });
  return notFound(resource, missing);
}

function escalation(rbac: Rbac, request: AdmissionRequest, rules: readonly PolicyRule[]): string | undefined {
  const { user, namespace = "" } = request;
  const { grants, problems } = rbac.grantsOf(user, namespace);
  const owned = grants.flatMap((grant) => grant.rules);
  const missing = uncoveredRules(owned, rules);
  if (missing.length === 0) return undefined;
  const who = `user ${JSON.stringify(user.username)} (groups=${quotedList(user.groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${resolutionErrors(request, problems)}`;
}

function resolutionErrors(request: AdmissionRequest, problems: readonly RoleProblem[]): string {
  if (problems.length === 0) return "";
  const texts = [...new Set(problems.map((problem) => problemError(request, problem).message))];
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return `; resolution errors: [${joined}]`;
}

/** Rules with resourceNames never apply to a new role: the real server checks before it knows the name. */
function mayEscalate(rbac: Rbac, request: AdmissionRequest): boolean {
  const { user, resource, operation, name, namespace } = request;
  return rbac.authorize(user, {
    verb: "escalate",
    group: rbacGroup,
    resource: resource.plural,
    ...(operation === "UPDATE" && { name }),
    ...(namespace !== undefined && { namespace }),
  }).allowed;
}

function mayBind(
  rbac: Rbac,
  { user, namespace }: AdmissionRequest,
  { roleRef }: ClusterRoleBinding | RoleBinding,
): boolean {
  return rbac.authorize(user, {
    verb: "bind",
    group: rbacGroup,
    resource: roleRef.kind === "ClusterRole" ? "clusterroles" : "roles",
    name: roleRef.name,
    ...(namespace !== undefined && { namespace }),
  }).allowed;
}

function isAggregated(role: RbacObject): boolean {
  return role.kind === "ClusterRole" && (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Whether only owner references, finalizers and managed fields change, which needs no further permission. */
function onlyChangesOwnership(object: GenericObject, old: GenericObject): boolean {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    managedFields: _fields,
    ...rest
  } = object.metadata;
  const { ownerReferences, finalizers, managedFields, ...before } = old.metadata;
  return deepEqual({ ...object, metadata: rest }, { ...old, metadata: before });
}

/** The schema of the kind has decoded the object. */
function typed(object: GenericObject): RbacObject {
  return decoded<RbacObject>(object);
}
