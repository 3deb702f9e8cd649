import type { ApiUse } from "@keelson/core";
import type { PolicyRule } from "@keelson/core/kinds/rbac/v1";
import { coversResource, coversUrl, isResourceUse, resourceGrantOf, urlGrantOf } from "./grant.ts";

/**
 * Whether one of the rules allows the use, as the API server decides it. Rules know nothing of namespaces: where they
 * hold is said by the binding.
 */
export function allows(rules: readonly PolicyRule[], use: ApiUse): boolean {
  return rules.some((rule) => rule.verbs.some((verb) => allowsVerb(rule, verb, use)));
}

function allowsVerb(rule: PolicyRule, verb: string, use: ApiUse): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!isResourceUse(use)) {
    return nonResourceURLs.some((url) => coversUrl({ verb, url }, urlGrantOf(use)));
  }
  const wanted = resourceGrantOf(use);
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ name }));
  return apiGroups.some((group) =>
    resources.some((resource) =>
      names.some((name) => coversResource({ verb, group, resource, ...name }, wanted)),
    ),
  );
}
