import type { ApiUse, ObjectKey, ResourceUse } from "@keelson/core";
import type { PolicyRule, Subject } from "@keelson/core/kinds/rbac/v1";
import { rbacRules } from "@keelson/schema";
import { ManagerError } from "../errors.ts";
import type { MissingPermission } from "./check-permissions.ts";
import type { ScopeOf } from "./resource-scopes.ts";
import { textTable, wrapText } from "./text-table.ts";

const width = 80;

/** The API server would refuse something that the manager needs, so nothing was started. The message lists all of it. */
export class MissingPermissionsError extends ManagerError {
  static override readonly brand: string = "keelson.MissingPermissionsError";
  readonly code = "MISSING_PERMISSIONS";
  readonly missing: readonly MissingPermission[];

  constructor(missing: readonly MissingPermission[], grant: Grant) {
    const count = missing.length === 1 ? "1 permission is" : `${missing.length} permissions are`;
    super(`start: ${count} missing; grant what is listed here\n\n${formatMissing(missing, grant)}`);
    this.missing = missing;
  }
}

/** The roles that would grant all permissions, and their user. */
export interface Grant {
  /** The name of the roles and of their bindings. */
  readonly roleName: string;
  /** The user name that the API server has for the client; undefined if it is unknown. */
  readonly user: string | undefined;
  /**
   * All that is needed, including what is already allowed: the roles may replace earlier ones of the same name, and must
   * not revoke what these granted.
   */
  readonly uses: readonly ApiUse[];
  /** Which resources are cluster-scoped, as far as it is known. */
  readonly scopeOf: ScopeOf;
}

/**
 * The report of missing permissions: a table with a row for each resource, and roles and bindings, as YAML for
 * `kubectl apply`, that allow what is needed and nothing else. At most 80 columns, except where a name alone is longer.
 */
export function formatMissing(missing: readonly MissingPermission[], grant: Grant): string {
  const rows = rowsOf(missing, grant.scopeOf).map(({ verbs, what, where, neededBy }) => [
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
      : `This allows all that is needed to ${user};\napply it with \`kubectl apply -f -\`:`;
  const texts = rolesFor(grant).flatMap((role) => [
    roleYaml(role),
    ...(user === undefined ? [] : [bindingYaml(role, user)]),
  ]);
  return `${[table, ...clusterScopedText(grant), advice, texts.join("\n---\n")].join("\n\n")}\n`;
}

/** Why a manager that is limited to some namespaces needs a ClusterRole. */
function clusterScopedText({ uses, scopeOf }: Grant): readonly string[] {
  const names = uses.flatMap((use) =>
    "nonResourceUrl" in use || scopeOf(use) !== "Cluster" ? [] : [groupResourceText(use)],
  );
  if (names.length === 0) return [];
  const text = `Cluster-scoped, so that only a ClusterRole can allow it: ${[...new Set(names)].sort().join(", ")}.`;
  return [wrapText(text, width).join("\n")];
}

interface Row {
  readonly verbs: readonly string[];
  readonly what: string;
  readonly where: string;
  readonly neededBy: string;
}

/** One row for all missing verbs of a resource that the same parts need. */
function rowsOf(missing: readonly MissingPermission[], scopeOf: ScopeOf): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { use, neededBy: all } of missing) {
    const what = resourceText(use);
    const where = placeText(use, scopeOf);
    const neededBy = all.join(", ");
    const key = JSON.stringify([what, where, neededBy]);
    const verbs = [...(rows.get(key)?.verbs ?? []), use.verb];
    rows.set(key, { verbs, what, where, neededBy });
  }
  return [...rows.values()];
}

function placeText(use: ApiUse, scopeOf: ScopeOf): string {
  if ("nonResourceUrl" in use) return "";
  return use.namespace ?? (scopeOf(use) === "Cluster" ? "(cluster)" : "(all)");
}

function groupResourceText({ group, resource }: ResourceUse): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function resourceText(use: ApiUse): string {
  if ("nonResourceUrl" in use) return use.nonResourceUrl;
  const { subresource, name } = use;
  return `${groupResourceText(use)}${subresource === undefined ? "" : `/${subresource}`}${name === undefined ? "" : ` ${name}`}`;
}

/** A Role, or a ClusterRole if it has no namespace. */
interface GrantedRole {
  readonly key: ObjectKey;
  readonly rules: readonly PolicyRule[];
}

function rolesFor({ roleName: name, uses }: Grant): readonly GrantedRole[] {
  const namespaces = new Set(
    uses.flatMap((use) => ("nonResourceUrl" in use || use.namespace === undefined ? [] : [use.namespace])),
  );
  const roles = [
    { key: { name }, rules: rbacRules(uses, { for: "cluster" }) },
    ...[...namespaces].sort().map((namespace) => ({
      key: { namespace, name },
      rules: rbacRules(uses, { for: { namespace } }),
    })),
  ];
  return roles.filter(({ rules }) => rules.length > 0);
}

const apiGroup = "rbac.authorization.k8s.io";
const ruleFields = ["apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs"] as const;

/** The role as YAML, with lists in one line where they fit into the width. */
function roleYaml(role: GrantedRole): string {
  return [...headLines(kindOf(role), role.key), "rules:", ...role.rules.flatMap(ruleLines)].join("\n");
}

/** The binding of the role to the user as YAML. It has the name of the role. */
function bindingYaml(role: GrantedRole, user: string): string {
  const subject = subjectOf(user);
  return [
    ...headLines(`${kindOf(role)}Binding`, role.key),
    "roleRef:",
    `  apiGroup: ${apiGroup}`,
    `  kind: ${kindOf(role)}`,
    `  name: ${quoted(role.key.name)}`,
    "subjects:",
    `  - kind: ${subject.kind}`,
    ...(subject.apiGroup === undefined ? [] : [`    apiGroup: ${subject.apiGroup}`]),
    ...(subject.namespace === undefined ? [] : [`    namespace: ${quoted(subject.namespace)}`]),
    `    name: ${quoted(subject.name)}`,
  ].join("\n");
}

function kindOf({ key }: GrantedRole): string {
  return key.namespace === undefined ? "ClusterRole" : "Role";
}

const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;

function subjectOf(user: string): Subject {
  const [, namespace, name] = serviceAccount.exec(user) ?? [];
  return namespace === undefined || name === undefined
    ? { kind: "User", apiGroup, name: user }
    : { kind: "ServiceAccount", namespace, name };
}

function headLines(kind: string, { namespace, name }: ObjectKey): readonly string[] {
  return [
    `apiVersion: ${apiGroup}/v1`,
    `kind: ${kind}`,
    "metadata:",
    ...(namespace === undefined ? [] : [`  namespace: ${quoted(namespace)}`]),
    `  name: ${quoted(name)}`,
  ];
}

function ruleLines(rule: PolicyRule): readonly string[] {
  const lines = ruleFields.flatMap((field) => {
    const items = rule[field];
    if (items === undefined) return [];
    const inLine = `${field}: [${items.map(quoted).join(", ")}]`;
    return inLine.length + 4 <= width
      ? [inLine]
      : [`${field}:`, ...items.map((item) => `  - ${quoted(item)}`)];
  });
  return lines.map((line, index) => (index === 0 ? `  - ${line}` : `    ${line}`));
}

/** Quoted text is a string in YAML, whatever it contains. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
