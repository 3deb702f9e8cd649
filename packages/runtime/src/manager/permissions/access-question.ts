import type { ApiUse, ResourceUse } from "@keelson/core";
import type { SelfSubjectAccessReviewSpec } from "@keelson/core/kinds/authorization/v1";

/** What the API server is asked, to learn whether it would allow the use. */
export function accessQuestion(use: ApiUse): SelfSubjectAccessReviewSpec {
  if ("nonResourceUrl" in use) return { nonResourceAttributes: { path: use.nonResourceUrl, verb: use.verb } };
  const { verb, group, resource, subresource, namespace, name } = asAuthorized(use);
  return {
    resourceAttributes: {
      verb,
      group,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    },
  };
}

/** The authorizer does not see the name of an object that is created, or those of a collection that is deleted. */
function asAuthorized(use: ResourceUse): ResourceUse {
  const { name: _, ...nameless } = use;
  const isNameless =
    (use.verb === "create" && use.subresource === undefined) || use.verb === "deletecollection";
  return isNameless ? nameless : use;
}
