import { apiVersionOf, draft, type GenericObject } from "@keelson/core";
import { internalError } from "../status/api-error.ts";
import type { MutableObject } from "./mutable-object.ts";
import type { ServedResource } from "./served-resource.ts";

/** A copy of an object, converted from one version of its kind to another by way of the storage version. */
export async function convertToVersion(
  object: GenericObject,
  from: ServedResource,
  to: ServedResource,
): Promise<MutableObject> {
  const stored = await convertIfNeeded(object, from, from.storageVersion);
  const converted = await convertIfNeeded(stored, to, to.version);
  return { ...draft(converted), apiVersion: apiVersionOf(to), kind: to.kind };
}

async function convertIfNeeded(
  object: GenericObject,
  resource: ServedResource,
  toVersion: string,
): Promise<GenericObject> {
  const apiVersion = apiVersionOf({ group: resource.group, version: toVersion });
  if (resource.convert === undefined || object.apiVersion === apiVersion) return object;
  return convertObject(resource, object, toVersion, apiVersion);
}

/** The object as the conversion of its kind returns it. Throws ApiError if the conversion returns none. */
export async function convertObject(
  resource: ServedResource,
  object: GenericObject,
  toVersion: string,
  apiVersion: string,
): Promise<MutableObject> {
  const [converted] = (await resource.convert?.([object], toVersion)) ?? [];
  if (converted === undefined) {
    throw internalError(`conversion of ${resource.kind} to ${apiVersion} gave no object`);
  }
  return converted;
}
