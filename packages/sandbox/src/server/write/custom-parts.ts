import { draft, type GenericObject } from "@keelson/core";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";

/** A create of a custom kind with a status subresource cannot set the status. */
export function prepareCustomCreate({ subresources }: ServedResource, object: MutableObject): void {
  if (subresources.has("status")) delete object.status;
}

/**
 * For a custom kind with a status subresource, a write of the object keeps the old status, and a write of the status
 * keeps everything else, including metadata except managed fields.
 */
export function prepareCustomUpdate(
  { subresources }: ServedResource,
  object: MutableObject,
  old: GenericObject,
  subresource: string | undefined,
): void {
  if (!subresources.has("status")) return;
  if (subresource === "status") takeOnlyStatus(object, old);
  else if (old.status === undefined) delete object.status;
  else object.status = draft(old.status);
}

function takeOnlyStatus(object: MutableObject, old: GenericObject): void {
  const { status, metadata } = object;
  const { managedFields } = metadata;
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, draft(old));
  if (status === undefined) delete object.status;
  else object.status = status;
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}
