import type { ClusterRole, PolicyRule, Role } from "@keelson/core/kinds/rbac/v1";

const fields = ["apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs"] as const;

/** A role as YAML that `kubectl apply` takes, with lists in one line where they fit into the width. */
export function roleText(role: ClusterRole | Role, width: number): string {
  const { apiVersion, kind, metadata, rules = [] } = role;
  return [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    "metadata:",
    ...(metadata.namespace === undefined ? [] : [`  namespace: ${text(metadata.namespace)}`]),
    `  name: ${text(metadata.name ?? "")}`,
    "rules:",
    ...rules.flatMap((rule) => ruleLines(rule, width)),
  ].join("\n");
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
