import type { RuleWithOperations } from "@keelson/core/kinds/admissionregistration/v1";
import type { AdmissionRequest } from "../admission/admission.ts";
import type { ServedResource } from "../resource/served-resource.ts";

/** Whether a rule of a webhook is about a write, if the write were to the given version of its resource. */
export function ruleMatches(
  rule: RuleWithOperations,
  request: AdmissionRequest,
  { group, version, plural }: Pick<ServedResource, "group" | "version" | "plural">,
): boolean {
  return (
    scopeMatches(rule.scope, request) &&
    names(rule.operations, request.operation) &&
    names(rule.apiGroups, group) &&
    names(rule.apiVersions, version) &&
    (rule.resources ?? []).some((one) => resourceMatches(one, plural, request.subresource ?? ""))
  );
}

/** A Namespace is said to be in itself, but it belongs to the cluster. */
function scopeMatches(
  scope: RuleWithOperations["scope"],
  { resource, namespace }: AdmissionRequest,
): boolean {
  if (scope === undefined || scope === "*") return true;
  const isOfCluster = namespace === undefined || (resource.plural === "namespaces" && resource.group === "");
  return (scope === "Cluster") === isOfCluster;
}

function names(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(wanted));
}

/** `pods` is about pods only, `pods/log` about one part of them, and a star stands for any resource or any part. */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const resource = slash === -1 ? pattern : pattern.slice(0, slash);
  const part = slash === -1 ? "" : pattern.slice(slash + 1);
  return (resource === "*" || resource === plural) && (part === "*" || part === subresource);
}
