import type { ApiUse } from "@keelson/core";
import type { ClusterRole, Role } from "@keelson/core/kinds/rbac/v1";
import { makeClusterRole, makeRole, rbacRules } from "@keelson/schema";
import type { MissingPermission } from "./check-permissions.ts";
import { makeBinding } from "./make-bindings.ts";
import { bindingText, roleText } from "./role-text.ts";
import { textTable } from "./text-table.ts";

const width = 80;

/** Who is to be allowed what. */
export interface Grant {
  /** Of the roles, and of their bindings. */
  readonly roleName: string;
  /** As the API server calls the user; undefined if it is not known. */
  readonly user: string | undefined;
  /**
   * All that is needed, what is allowed already included: the text may be applied over what an earlier one made, and then
   * it must not take away what that one granted.
   */
  readonly uses: readonly ApiUse[];
}

/**
 * What is missing, for people: a table with a line for each resource, and roles and bindings, as `kubectl apply` takes
 * them, that allow what is needed and nothing else. At most 80 columns, except where a name alone is longer.
 */
export function formatMissing(missing: readonly MissingPermission[], grant: Grant): string {
  const rows = rowsOf(missing).map(({ verbs, what, where, neededBy }) => [
    verbs.join(","),
    what,
    where,
    neededBy,
  ]);
  const table = textTable(["VERBS", "RESOURCE", "NAMESPACE", "NEEDED BY"], rows, width);
  const { user } = grant;
  const advice =
    user === undefined
      ? "These roles allow all that is needed, once they are bound to the user of this\nprogram:"
      : `This allows all that is needed to ${user};\ngive it to \`kubectl apply -f -\`:`;
  const texts = rolesFor(grant).flatMap((role) => [
    roleText(role, width),
    ...(user === undefined ? [] : [bindingText(makeBinding(role, user))]),
  ]);
  return `${table}\n\n${advice}\n\n${texts.join("\n---\n")}\n`;
}

interface Row {
  readonly verbs: readonly string[];
  readonly what: string;
  readonly where: string;
  readonly neededBy: string;
}

/** Verbs that are missing alike share a line. */
function rowsOf(missing: readonly MissingPermission[]): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { use, neededBy: all } of missing) {
    const what = resourceText(use);
    const where = "nonResourceUrl" in use ? "" : (use.namespace ?? "(all)");
    const neededBy = all.join(", ");
    const key = JSON.stringify([what, where, neededBy]);
    const verbs = [...(rows.get(key)?.verbs ?? []), use.verb];
    rows.set(key, { verbs, what, where, neededBy });
  }
  return [...rows.values()];
}

function resourceText(use: ApiUse): string {
  if ("nonResourceUrl" in use) return use.nonResourceUrl;
  const { group, resource, subresource, name } = use;
  const plural = group === "" ? resource : `${resource}.${group}`;
  return `${plural}${subresource === undefined ? "" : `/${subresource}`}${name === undefined ? "" : ` ${name}`}`;
}

function rolesFor({ roleName: name, uses }: Grant): readonly (ClusterRole | Role)[] {
  const namespaces = new Set(
    uses.flatMap((use) => ("nonResourceUrl" in use || use.namespace === undefined ? [] : [use.namespace])),
  );
  const clusterRules = rbacRules(uses, { for: "cluster" });
  return [
    ...(clusterRules.length === 0 ? [] : [makeClusterRole(name, clusterRules)]),
    ...[...namespaces].sort().flatMap((namespace) => {
      const rules = rbacRules(uses, { for: { namespace } });
      return rules.length === 0 ? [] : [makeRole(namespace, name, rules)];
    }),
  ];
}
