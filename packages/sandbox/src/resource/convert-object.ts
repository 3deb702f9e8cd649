import { apiVersionOf, draft, type GenericObject } from "@keelson/core";
import { internalError } from "../status/api-error.ts";
import type { MutableObject } from "./mutable-object.ts";
import type { ServedResource } from "./served-resource.ts";

/** A copy of an object of one version of a kind in another, by way of the one in which both are stored. */
export async function inVersion(
  object: GenericObject,
  from: ServedResource,
  to: ServedResource,
): Promise<MutableObject> {
  const stored = await converted(object, from, from.storageVersion);
  const wanted = await converted(stored, to, to.version);
  return { ...draft(wanted), apiVersion: apiVersionOf(to), kind: to.kind };
}

async function converted(
  object: GenericObject,
  resource: ServedResource,
  toVersion: string,
): Promise<GenericObject> {
  const apiVersion = apiVersionOf({ group: resource.group, version: toVersion });
  if (resource.convert === undefined || object.apiVersion === apiVersion) return object;
  const [first] = await resource.convert([object], toVersion);
  if (first === undefined) {
    throw internalError(`conversion of ${resource.kind} to ${apiVersion} gave no object`);
  }
  return first;
}
