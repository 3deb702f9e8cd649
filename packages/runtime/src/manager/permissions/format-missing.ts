import type { ApiUse } from "@keelson/core";
import { makeClusterRole, makeRole, rbacRules } from "@keelson/schema";
import type { MissingPermission } from "./check-permissions.ts";
import { roleText } from "./role-text.ts";
import { textTable } from "./text-table.ts";

const width = 80;

/**
 * What is missing, for people: a table with a line for each resource, and the roles that would allow it and nothing
 * else. At most 80 columns, except where a name alone is longer.
 */
export function formatMissing(missing: readonly MissingPermission[], roleName: string): string {
  const rows = rowsOf(missing).map(({ verbs, what, where, neededBy }) => [
    verbs.join(","),
    what,
    where,
    neededBy,
  ]);
  const table = textTable(["VERBS", "RESOURCE", "NAMESPACE", "NEEDED BY"], rows, width);
  const roles = rolesFor(missing, roleName).join("\n---\n");
  return `${table}\n\nThese roles allow it, once they are bound to the user of this program:\n\n${roles}\n`;
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

function rolesFor(missing: readonly MissingPermission[], name: string): readonly string[] {
  const uses = missing.map(({ use }) => use);
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
  ].map((role) => roleText(role, width));
}
