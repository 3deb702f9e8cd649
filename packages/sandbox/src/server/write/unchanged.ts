import { deepEqual, type GenericObject, type ManagedFieldsEntry, type ObjectMeta } from "@keelson/core";

/**
 * Whether an update leaves the object unchanged. The times of managed fields do not count, nor does the resourceVersion,
 * which is checked separately.
 */
export function isUnchanged(object: GenericObject, old: GenericObject): boolean {
  if (!isMetadataUnchanged(object.metadata, old.metadata)) return false;
  for (const field of Object.keys(object)) {
    if (field !== "metadata" && !deepEqual(object[field], old[field])) return false;
  }
  return Object.keys(old).every((field) => old[field] === undefined || Object.hasOwn(object, field));
}

function isMetadataUnchanged(metadata: ObjectMeta, old: ObjectMeta): boolean {
  const { resourceVersion: _new, managedFields, ...rest } = metadata;
  const { resourceVersion: _old, managedFields: oldManagedFields, ...oldRest } = old;
  return deepEqual(rest, oldRest) && areSameButTimes(managedFields ?? [], oldManagedFields ?? []);
}

function areSameButTimes(one: readonly ManagedFieldsEntry[], other: readonly ManagedFieldsEntry[]): boolean {
  return (
    one.length === other.length &&
    one.every((entry, index) => deepEqual({ ...entry, time: "" }, { ...other[index], time: "" }))
  );
}
