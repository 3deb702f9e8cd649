import type { PolicyRule } from "@keelson/core/kinds/rbac/v1";
import type { AccessRequest } from "./access.ts";

/** Whether a rule of a role allows what is asked for. */
export function ruleAllows(rule: PolicyRule, request: AccessRequest): boolean {
  if (!names(rule.verbs, request.verb)) return false;
  if ("path" in request) return (rule.nonResourceURLs ?? []).some((url) => urlCovers(url, request.path));
  const { group, resource, subresource = "", name = "" } = request;
  return (
    names(rule.apiGroups, group) &&
    namesResource(rule.resources ?? [], resource, subresource) &&
    namesObject(rule.resourceNames ?? [], name)
  );
}

/** Whether a path of a rule, which may end in `*`, is the given one or stands for it. */
export function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));
}

/** A missing list names nothing, `*` everything. */
function names(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes(wanted) || list.includes("*"));
}

/** `pods/log` names a subresource of one resource, `*` and a subresource one of all that have it, `*` everything. */
function namesResource(list: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === "") return names(list, resource);
  return names(list, `${resource}/${subresource}`) || list.includes(`*/${subresource}`);
}

/** A rule without names is for all objects; one with names never for those whose name is not known. */
function namesObject(list: readonly string[], name: string): boolean {
  return list.length === 0 || list.includes(name);
}
