import { draft, freeze, type KubeObject, type Resource, type Stored } from "@keelson/core";
import { withoutManagedFields } from "../watch/strip-managed-fields.ts";
import type { WatchScope } from "./cache-scopes.ts";
import { isObjectOf, metadataOf } from "./resource-identity.ts";

/**
 * Makes of an object that the server gave what the store makes of it: a frozen copy without managedFields, maybe only
 * its metadata, transformed. Undefined if it is of another version or has less than the store keeps. Throws what the
 * transform throws.
 */
export function storedShape<T extends KubeObject>(
  resource: Resource<T>,
  { transform, keepManagedFields }: WatchScope<T>,
  object: KubeObject,
): Stored<T> | undefined {
  // The answer belongs to whoever made the call, who may change it; and a transform may change what it is given.
  const whole: KubeObject = draft(object);
  const kept = keepManagedFields ? whole : withoutManagedFields(whole);
  const represented = resource.isMetadataOnly === true ? metadataOf(kept) : kept;
  if (!isObjectOf(resource, represented)) return undefined;
  const transformed = transform === undefined ? represented : transform(represented);
  freeze(transformed);
  return transformed;
}
