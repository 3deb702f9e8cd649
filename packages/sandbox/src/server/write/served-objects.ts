import { apiVersionOf, freeze, type GenericObject } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { type ReadFormOptions, readForm } from "../../schema/read-form.ts";
import { internalError } from "../../status/api-error.ts";
import { withSortedKeys } from "./sorted-keys.ts";

/**
 * How a resource serves stored objects, so that each is brought into this form once. A definition that changes makes new
 * resources, and with them new forms.
 */
const formsOf = new WeakMap<ServedResource, WeakMap<GenericObject, GenericObject>>();

/** A stored object in the version of the resource; the object itself if it is served as it is stored. */
export function servedObject(
  resource: ServedResource,
  stored: GenericObject,
): GenericObject | Promise<GenericObject> {
  const form = formNow(resource, stored);
  if (form !== undefined) return form;
  return convertMissing(resource, [stored]).then(() => formNow(resource, stored) ?? stored);
}

/** Stored objects in the version of the resource, in their order; objects that are stored so are shared. */
export function servedObjects(
  resource: ServedResource,
  stored: readonly GenericObject[],
): readonly GenericObject[] | Promise<readonly GenericObject[]> {
  const missing: GenericObject[] = [];
  let served: GenericObject[] | undefined;
  for (let index = 0; index < stored.length; index += 1) {
    const object = stored[index];
    if (object === undefined) continue;
    const form = formNow(resource, object);
    if (form === undefined) missing.push(object);
    if (form === object || missing.length > 0) continue;
    served ??= [...stored];
    if (form !== undefined) served[index] = form;
  }
  if (missing.length === 0) return served ?? stored;
  return convertMissing(resource, missing).then(() =>
    stored.map((object) => formNow(resource, object) ?? object),
  );
}

/** The form of an object, unless only a webhook can make it. */
export function formNow(resource: ServedResource, stored: GenericObject): GenericObject | undefined {
  const { isCustom, convert } = resource;
  const apiVersion = apiVersionOf(resource);
  if (!isCustom && stored.apiVersion === apiVersion) return stored;
  const known = formsOf.get(resource)?.get(stored);
  if (known !== undefined) return known;
  const decoded = decodedForm(resource, stored);
  if (decoded.apiVersion === apiVersion) return keep(resource, stored, decoded);
  if (convert !== undefined) return undefined;
  return keep(resource, stored, convertedForm(resource, { ...decoded, apiVersion }));
}

async function convertMissing(resource: ServedResource, missing: readonly GenericObject[]): Promise<void> {
  const decoded = missing.map((object) => decodedForm(resource, object));
  const results = (await resource.convert?.(decoded, resource.version)) ?? [];
  if (results.length !== missing.length) {
    throw internalError(
      `conversion of ${resource.kind} gave ${results.length} objects for ${missing.length}`,
    );
  }
  const apiVersion = apiVersionOf(resource);
  for (const [index, source] of missing.entries()) {
    const result = results[index];
    if (result !== undefined) keep(resource, source, convertedForm(resource, { ...result, apiVersion }));
  }
}

/**
 * The object in the version in which it is stored, as the definition describes it now: an object that was stored before
 * the definition changed may have fields that are pruned, and lack defaults.
 */
function decodedForm(resource: ServedResource, stored: GenericObject): GenericObject {
  return formBySchema(resource, stored, { prunes: resource.prunesUnknownFields, defaults: true });
}

/** After a conversion the real server prunes, and sets no defaults. */
function convertedForm(resource: ServedResource, object: GenericObject): GenericObject {
  return formBySchema(resource, object, { prunes: resource.prunesUnknownFields, defaults: false });
}

/** In the form of the schema of its version. */
export function formBySchema(
  resource: ServedResource,
  object: GenericObject,
  options: ReadFormOptions,
): GenericObject {
  const schema = resource.schemas?.get(object.apiVersion);
  const form = schema === undefined ? object : readForm(object, schema, options);
  return form === object ? object : withSortedKeys(resource, form);
}

function keep(resource: ServedResource, stored: GenericObject, form: GenericObject): GenericObject {
  const forms = formsOf.get(resource) ?? new WeakMap<GenericObject, GenericObject>();
  formsOf.set(resource, forms);
  // What is shared with the stored object is frozen already.
  forms.set(stored, form === stored ? form : freeze(form));
  return form;
}
