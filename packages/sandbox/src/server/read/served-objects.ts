import { apiVersionOf, type GenericObject } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { internalError } from "../../status/api-error.ts";
import { withSortedKeys } from "../write/sorted-keys.ts";

/** Converted objects by version, so that each stored object is converted once. */
const converted = new WeakMap<object, Map<string, GenericObject>>();

/** Whether a stored object is served without a conversion. */
export function isServedAsStored(resource: ServedResource, stored: GenericObject): boolean {
  return stored.apiVersion === apiVersionOf(resource);
}

/** Stored objects in the version of the resource, in their order; objects that are stored so are shared. */
export function servedObjects(
  resource: ServedResource,
  stored: readonly GenericObject[],
): readonly GenericObject[] | Promise<readonly GenericObject[]> {
  if (stored.every((object) => isServedAsStored(resource, object))) return stored;
  const apiVersion = apiVersionOf(resource);
  const missing = stored.filter((object) => known(object, apiVersion) === undefined);
  if (resource.convert === undefined) {
    for (const object of missing)
      if (object.apiVersion !== apiVersion) keep(object, { ...object, apiVersion });
  } else if (missing.length > 0) return convertAndServe(resource, stored, missing);
  return stored.map((object) => known(object, apiVersion) ?? object);
}

async function convertAndServe(
  resource: ServedResource,
  stored: readonly GenericObject[],
  missing: readonly GenericObject[],
): Promise<readonly GenericObject[]> {
  const apiVersion = apiVersionOf(resource);
  const results = (await resource.convert?.(missing, resource.version)) ?? [];
  if (results.length !== missing.length) {
    throw internalError(
      `conversion of ${resource.kind} gave ${results.length} objects for ${missing.length}`,
    );
  }
  for (const [index, source] of missing.entries()) {
    const result = results[index];
    if (result !== undefined) keep(source, withSortedKeys(resource, { ...result, apiVersion }));
  }
  return stored.map((object) => known(object, apiVersion) ?? object);
}

function known(object: GenericObject, apiVersion: string): GenericObject | undefined {
  return object.apiVersion === apiVersion ? object : converted.get(object)?.get(apiVersion);
}

function keep(source: GenericObject, object: GenericObject): void {
  const versions = converted.get(source) ?? new Map<string, GenericObject>();
  converted.set(source, versions);
  versions.set(object.apiVersion, object);
}
