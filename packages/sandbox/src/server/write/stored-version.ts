import { apiVersionOf, draft, type GenericObject } from "@keelson/core";
import { convertObject } from "../../resource/convert-object.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { formBySchema, servedObject } from "./served-objects.ts";

/**
 * The apiVersion of stored objects. Kinds that are served in two groups (Events) are stored in the group of their
 * collection.
 */
export function storedApiVersion({ collection, plural, storageVersion }: ServedResource): string {
  return apiVersionOf({ group: collection.slice(plural.length + 1), version: storageVersion });
}

/** A stored object in the version of the resource; the object itself if that is how it is stored. */
export function fromStored(
  resource: ServedResource,
  stored: GenericObject,
): GenericObject | Promise<GenericObject> {
  return servedObject(resource, stored);
}

/** An object of the version of the resource, in the storage version. */
export function toStored(
  resource: ServedResource,
  object: GenericObject,
): GenericObject | Promise<GenericObject> {
  const apiVersion = storedApiVersion(resource);
  if (object.apiVersion === apiVersion) return object;
  if (resource.convert === undefined) return prunedForStore(resource, { ...object, apiVersion });
  const converted = convertOne(resource, object, resource.storageVersion, apiVersion);
  return converted.then((state) => prunedForStore(resource, state));
}

/** A converted object without the fields that the storage version does not have. */
function prunedForStore(resource: ServedResource, object: GenericObject): GenericObject {
  return formBySchema(resource, object, { prunes: resource.prunesUnknownFields, defaults: false });
}

async function convertOne(
  resource: ServedResource,
  object: GenericObject,
  toVersion: string,
  apiVersion: string,
): Promise<MutableObject> {
  const converted = await convertObject(resource, object, toVersion, apiVersion);
  return converted.apiVersion === apiVersion ? converted : { ...draft(converted), apiVersion };
}
