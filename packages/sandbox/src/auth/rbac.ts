import type { StoredObjects } from "../resource/stored-objects.ts";
import type { Store } from "../store/store.ts";
import type { AccessDecision, AccessRequest, AccessRules, Authorize, RulesOfUser } from "./access.ts";
import { ruleAllows } from "./policy-rule.ts";
import { type Grants, grantsFor, rbacGroup } from "./rbac-bindings.ts";
import type { UserInfo } from "./user.ts";

interface RbacOptions {
  /** Where RBAC subscribes to changes of roles and bindings. */
  readonly store: Pick<Store, "subscribe" | "revision">;
  readonly read: StoredObjects;
}

/** Authorization by the roles and bindings in the store. Lives as long as the store. */
export interface Rbac {
  readonly authorize: Authorize;
  readonly rulesOf: RulesOfUser;
  /** The grants of a user in a namespace; empty: for the whole cluster. */
  grantsOf(user: UserInfo, namespace: string): Grants;
}

/** Members may do everything, whatever the roles are, so that an administrator cannot be locked out. */
export const privilegedGroup = "system:masters";

const collections = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];
/** The largest number of users and namespaces with cached grants. */
const mostRemembered = 2_000;

export function createRbac({ store, read }: RbacOptions): Rbac {
  /** Cached grants by user and namespace, valid until a role or a binding changes. */
  const known = new Map<string, Grants>();
  for (const plural of collections) {
    store.subscribe(`${plural}.${rbacGroup}`, store.revision, () => known.clear());
  }

  function grantsOf(user: UserInfo, namespace: string): Grants {
    // Names may contain any character: the key of one user must never be that of another.
    const key = JSON.stringify([namespace, user.username, ...user.groups]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const grants = grantsFor(read, user, namespace);
    if (known.size >= mostRemembered) known.clear();
    known.set(key, grants);
    return grants;
  }

  return {
    authorize: (user, request) =>
      user.groups.includes(privilegedGroup)
        ? { allowed: true, reason: "" }
        : decide(grantsOf(user, namespaceOf(request)), request),
    rulesOf: (user, namespace) => accessRules(grantsOf(user, namespace)),
    grantsOf,
  };
}

function namespaceOf(request: AccessRequest): string {
  return "path" in request ? "" : (request.namespace ?? "");
}

function decide({ grants, problems }: Grants, request: AccessRequest): AccessDecision {
  for (const { source, rules } of grants) {
    if (rules.some((rule) => ruleAllows(rule, request))) {
      return { allowed: true, reason: `RBAC: allowed by ${source}` };
    }
  }
  const unique = [...new Set(problems.map(({ text }) => text))];
  if (unique.length === 0) return { allowed: false, reason: "" };
  const joined = unique.length === 1 ? unique[0] : `[${unique.join(", ")}]`;
  return { allowed: false, reason: `RBAC: ${joined}` };
}

/** Only granted rules, also for the privileged group: what the server allows without a rule is not listed. */
function accessRules({ grants }: Grants): AccessRules {
  const rules = grants.flatMap((grant) => grant.rules);
  return {
    resourceRules: [
      ...rules.flatMap(({ verbs, apiGroups, resources = [], resourceNames = [] }) =>
        resources.length === 0
          ? []
          : [
              {
                verbs,
                ...(apiGroups !== undefined && { apiGroups }),
                resources,
                ...(resourceNames.length > 0 && { resourceNames }),
              },
            ],
      ),
    ],
    nonResourceRules: [
      ...rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
        nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
      ),
    ],
    incomplete: false,
  };
}
