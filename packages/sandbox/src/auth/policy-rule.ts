import type { PolicyRule } from "@keelson/core/kinds/rbac/v1";
import type { AccessRequest } from "./access.ts";

/** Whether a rule of a role allows an access. */
export function ruleAllows(rule: PolicyRule, request: AccessRequest): boolean {
  if (!names(rule.verbs, request.verb)) return false;
  if ("path" in request) return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, request.path));
  const { group, resource, subresource = "", name } = request;
  return (
    names(rule.apiGroups, group) &&
    namesResource(rule.resources ?? [], resource, subresource) &&
    namesObject(rule.resourceNames ?? [], name)
  );
}

/** Whether a path of a rule, which may end in `*`, covers a path. */
function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));
}

/** A missing list names nothing, `*` everything. */
function names(list: readonly string[] | undefined, name: string): boolean {
  return list !== undefined && (list.includes(name) || list.includes("*"));
}

/** `pods/log` names a subresource of one resource, `*` and a subresource one of all that have it, `*` everything. */
function namesResource(list: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === "") return names(list, resource);
  return names(list, `${resource}/${subresource}`) || list.includes(`*/${subresource}`);
}

/** A rule without names is for all objects; one with names never for those whose name is not known. */
function namesObject(list: readonly string[], name: string | undefined): boolean {
  return list.length === 0 || list.includes(name ?? "");
}

/** The part of the requested rules that the owned rules do not cover, in rules of one verb and one resource or path. */
export function uncoveredRules(
  owned: readonly PolicyRule[],
  requested: readonly PolicyRule[],
): readonly PolicyRule[] {
  return requested.flatMap(singleRules).filter((single) => !owned.some((rule) => covers(rule, single)));
}

/**
 * The rules in the server's messages, one per line and sorted; rules that differ only in their verbs are merged.
 */
export function describeRules(rules: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  const texts = new Set<string>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    if (rest.nonResourceURLs !== undefined) {
      texts.add(describeRule(rule));
      continue;
    }
    const key = JSON.stringify(rest);
    const before = merged.get(key);
    merged.set(key, before === undefined ? rule : { ...rest, verbs: [...before.verbs, ...verbs] });
  }
  for (const rule of merged.values()) texts.add(describeRule(rule));
  return [...texts].sort().join("\n");
}

/** A list of strings as Go prints it. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const lists = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  };
  const parts = Object.entries(lists)
    .filter(([, list]) => list !== undefined && list.length > 0)
    .map(([name, list]) => `${name}:${quotedList(list ?? [])}`);
  return `{${parts.join(", ")}}`;
}

function singleRules(rule: PolicyRule): readonly PolicyRule[] {
  const { apiGroups = [], resources = [], verbs, resourceNames = [], nonResourceURLs = [] } = rule;
  const singles: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const single = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) singles.push(single);
        for (const name of resourceNames) singles.push({ ...single, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs) {
    for (const verb of verbs) singles.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return singles;
}

/** Whether a rule covers a rule of one verb and one resource or path. */
function covers(rule: PolicyRule, single: PolicyRule): boolean {
  const { resourceNames = [], nonResourceURLs = [] } = rule;
  const requestedNames = single.resourceNames ?? [];
  const hasNames =
    resourceNames.length === 0 ||
    (requestedNames.length > 0 && requestedNames.every((name) => resourceNames.includes(name)));
  return (
    hasNames &&
    hasAll(rule.verbs, single.verbs) &&
    hasAll(rule.apiGroups, single.apiGroups) &&
    hasResources(rule.resources ?? [], single.resources ?? []) &&
    (single.nonResourceURLs ?? []).every((path) => nonResourceURLs.some((url) => urlCovers(url, path)))
  );
}

function hasAll(list: readonly string[] = [], requested: readonly string[] = []): boolean {
  return list.includes("*") || requested.every((one) => list.includes(one));
}

function hasResources(list: readonly string[], requested: readonly string[]): boolean {
  return requested.every((path) => {
    if (list.includes("*") || list.includes(path)) return true;
    const slash = path.indexOf("/");
    return slash !== -1 && list.includes(`*${path.slice(slash)}`);
  });
}
