import { type ApiCall, apiErrorFrom, describeCall } from "@keelson/client";
import { apiVersionOf, groupResourceOf, type KubeList, type KubeObject } from "@keelson/core";

/** The error that the server would answer with for an object that is not there. */
export function notFound(call: ApiCall): Error {
  const { resource, name = "" } = call;
  const { group, plural } = resource;
  return apiErrorFrom(describeCall(call), {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message: `${groupResourceOf(resource)} ${JSON.stringify(name)} not found`,
    reason: "NotFound",
    details: { name, ...(group !== "" && { group }), kind: plural },
    code: 404,
  });
}

/** What says of a list that was cut that there is more; naming it in a call is refused. */
const continueToken = "not-in-a-cache";

/**
 * A list as the server would answer it, of the objects themselves. One that a limit has cut says so, as the server's
 * does, so that whoever reads page by page is refused instead of believing that the first page is all.
 */
export function listAnswer(
  { resource }: ApiCall,
  objects: readonly KubeObject[],
  {
    resourceVersion,
    limit = objects.length,
  }: { resourceVersion: string | undefined; limit?: number | undefined },
): KubeList<KubeObject> {
  const isMetadata = resource.isMetadataOnly === true;
  const left = objects.length - limit;
  // Frozen, like everything that comes from a cache.
  return Object.freeze({
    apiVersion: isMetadata ? "meta.k8s.io/v1" : apiVersionOf(resource),
    kind: isMetadata ? "PartialObjectMetadataList" : `${resource.kind}List`,
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(left > 0 && { continue: continueToken, remainingItemCount: left }),
    },
    items: left > 0 ? objects.slice(0, limit) : objects,
  });
}
