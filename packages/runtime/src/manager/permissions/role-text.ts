import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from "@keelson/core/kinds/rbac/v1";

const fields = ["apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs"] as const;

/** A role as YAML that `kubectl apply` takes, with lists in one line where they fit into the width. */
export function roleText(role: ClusterRole | Role, width: number): string {
  const { rules = [] } = role;
  return [...headLines(role), "rules:", ...rules.flatMap((rule) => ruleLines(rule, width))].join("\n");
}

/** The same for a binding. */
export function bindingText(binding: ClusterRoleBinding | RoleBinding): string {
  const { roleRef, subjects = [] } = binding;
  return [
    ...headLines(binding),
    "roleRef:",
    `  apiGroup: ${roleRef.apiGroup}`,
    `  kind: ${roleRef.kind}`,
    `  name: ${text(roleRef.name)}`,
    "subjects:",
    ...subjects.flatMap(({ kind, apiGroup, namespace, name }) => [
      `  - kind: ${kind}`,
      ...(apiGroup === undefined ? [] : [`    apiGroup: ${apiGroup}`]),
      ...(namespace === undefined ? [] : [`    namespace: ${text(namespace)}`]),
      `    name: ${text(name)}`,
    ]),
  ].join("\n");
}

function headLines(object: ClusterRole | Role | ClusterRoleBinding | RoleBinding): readonly string[] {
  const { apiVersion, kind, metadata } = object;
  return [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    "metadata:",
    ...(metadata.namespace === undefined ? [] : [`  namespace: ${text(metadata.namespace)}`]),
    `  name: ${text(metadata.name ?? "")}`,
  ];
}

function ruleLines(rule: PolicyRule, width: number): readonly string[] {
  const lines = fields.flatMap((field) => {
    const items = rule[field];
    if (items === undefined) return [];
    const inLine = `${field}: [${items.map(text).join(", ")}]`;
    return inLine.length + 4 <= width ? [inLine] : [`${field}:`, ...items.map((item) => `  - ${text(item)}`)];
  });
  return lines.map((line, index) => (index === 0 ? `  - ${line}` : `    ${line}`));
}

/** Text in quotes is a string in YAML, whatever it says. */
function text(value: string): string {
  return JSON.stringify(value);
}
