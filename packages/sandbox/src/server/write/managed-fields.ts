import { apiVersionOf, formatTime, type GenericObject } from "@keelson/core";
import { applyConfiguration } from "../../apply/apply-configuration.ts";
import { setManagedFields, storedEntries } from "../../apply/object-fields.ts";
import { resetFieldsOf } from "../../apply/reset-fields.ts";
import { type TrackedUpdate, trackUpdate } from "../../apply/track-update.ts";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { DecodeError } from "../../schema/decode.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { readForm } from "../../schema/read-form.ts";
import { badRequest } from "../../status/api-error.ts";
import { decodeValue } from "../body/decode-value.ts";
import type { Patch } from "../body/patch-body.ts";
import type { WriteOptions } from "../options/write-options.ts";
import type { WriterDependencies, WriteTarget } from "./object-writer.ts";

/** Sets the managed fields of an object after a create, an update or a patch. */
export function recordManager(
  dependencies: WriterDependencies,
  target: WriteTarget,
  object: MutableObject,
  current: GenericObject | undefined,
  options: WriteOptions,
): void {
  const update = { ...trackedBy(dependencies, target, current, options), updated: object };
  const isTracked = current === undefined || fitsManagedVersions(target.resource, current, object);
  setManagedFields(object, isTracked ? trackUpdate(update) : []);
}

/**
 * Whether both states of a custom object fit the schemas of all versions in which their fields are managed. Without a
 * webhook a conversion keeps the fields of the other version, and the real server gives up tracking such an object.
 */
function fitsManagedVersions(
  resource: ServedResource,
  current: GenericObject,
  object: MutableObject,
): boolean {
  if (!resource.isCustom || resource.convert !== undefined) return true;
  const versions = new Set(storedEntries(current).map(({ apiVersion = "" }) => apiVersion));
  versions.delete(apiVersionOf(resource));
  return [...versions].every((apiVersion) => {
    const schema = resource.schemas?.get(apiVersion);
    return schema === undefined || [current, object].every((state) => isPruned(state, schema));
  });
}

/** The current object with a configuration applied, and its new managed fields. Throws ApiError. */
export function applyManaged(
  dependencies: WriterDependencies,
  target: WriteTarget,
  { configuration, force }: Extract<Patch, { readonly type: "apply" }>,
  options: WriteOptions,
  current: GenericObject | undefined,
): MutableObject {
  const application = { ...trackedBy(dependencies, target, current, options), configuration, force };
  const applied = applyConfiguration(application);
  // The entries share frozen parts with those of the current object, and need no decoding.
  const entries = storedEntries(applied);
  setManagedFields(applied, []);
  try {
    const { object } = decodeValue(target.resource, applied);
    setManagedFields(object, entries);
    return object;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}

function isPruned(object: GenericObject, schema: FieldSchema): boolean {
  return readForm(object, schema, { prunes: true, defaults: false }) === object;
}

function trackedBy(
  { clock }: WriterDependencies,
  { resource, subresource }: WriteTarget,
  current: GenericObject | undefined,
  { manager }: WriteOptions,
): Omit<TrackedUpdate, "updated"> {
  const { group, plural, kind, schema, isCustom, subresources } = resource;
  const hasStatus = subresources.has("status");
  return {
    live: current,
    schema,
    isCustom,
    apiVersion: apiVersionOf(resource),
    kind,
    manager,
    subresource,
    resetFields: resetFieldsOf({ group, plural, isCustom, hasStatus, subresource }),
    time: formatTime(clock.now()),
  };
}
