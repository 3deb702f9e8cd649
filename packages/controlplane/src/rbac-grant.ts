import { isRecord, sleep, systemClock } from "@keelson/core";
import { type ApiAccess, apiApply, apiCreate } from "./api-access.ts";
import { GrantNotInForceError } from "./errors.ts";

/** A rule of a Role or ClusterRole, as rbac.authorization.k8s.io/v1 has it. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Grant {
  readonly user: string;
  readonly rules: readonly PolicyRule[];
  /** The rules hold in this namespace only; without it in all of them. The namespace must exist. */
  readonly namespace?: string;
}

const propagationTimeoutMs = 10_000;

/**
 * Allows the user what the rules allow, in addition to earlier grants for other namespaces, and returns when the API
 * server acts on it: its authorizer reads RBAC objects from a cache, so a request right after the write may still
 * be refused.
 */
export async function grantRules(admin: ApiAccess, grant: Grant): Promise<void> {
  const { user, rules, namespace } = grant;
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const prefix = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const base = `/apis/rbac.authorization.k8s.io/v1${prefix}`;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  // The names of RBAC objects may hold any character that a path segment may, but no slash and no percent sign.
  const name = `keelson-user:${Buffer.from(user).toString("base64url")}`;
  const plural = kind.toLowerCase();
  await apiApply(admin, `${base}/${plural}s/${name}`, { apiVersion, kind, metadata: { name }, rules });
  await apiApply(admin, `${base}/${plural}bindings/${name}`, {
    apiVersion,
    kind: `${kind}Binding`,
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
  });
  for (const rule of rules) await untilAllowed(admin, user, rule, namespace);
}

async function untilAllowed(
  admin: ApiAccess,
  user: string,
  rule: PolicyRule,
  namespace?: string,
): Promise<void> {
  const deadline = Date.now() + propagationTimeoutMs;
  while (!(await isAllowed(admin, user, rule, namespace))) {
    if (Date.now() > deadline) {
      throw new GrantNotInForceError(user, rule);
    }
    await sleep(systemClock, 20, undefined);
  }
}

async function isAllowed(
  admin: ApiAccess,
  user: string,
  rule: PolicyRule,
  namespace?: string,
): Promise<boolean> {
  const review: unknown = await apiCreate(admin, "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, ...exampleOf(rule, namespace) },
  });
  return isRecord(review) && isRecord(review.status) && review.status.allowed === true;
}

/** One request that the rule allows; when it is allowed, role and binding have both arrived. */
function exampleOf(rule: PolicyRule, namespace: string | undefined): object {
  const verb = rule.verbs[0];
  const path = rule.nonResourceURLs?.[0];
  if (path !== undefined) return { nonResourceAttributes: { path, verb } };
  const [resource, subresource] = rule.resources?.[0]?.split("/") ?? [];
  const group = rule.apiGroups?.[0];
  return {
    resourceAttributes: { verb, group, resource, subresource, name: rule.resourceNames?.[0], namespace },
  };
}
