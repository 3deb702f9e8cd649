import { type GenericObject, genericResource, type Resource } from "@keelson/core";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { ServedResource } from "../../resource/served-resource.ts";

/** The kind of a collection, in the stored version where that is served; undefined if it is not served any more. */
export function resourceOfCollection(
  registry: ResourceRegistry,
  collection: string,
): Resource<GenericObject> | undefined {
  let found: ServedResource | undefined;
  for (const resource of registry.all()) {
    if (resource.collection !== collection) continue;
    if (resource.version === resource.storageVersion) return genericResource(resource);
    found ??= resource;
  }
  return found && genericResource(found);
}
