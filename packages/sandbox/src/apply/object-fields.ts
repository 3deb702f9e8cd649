import type { ManagedFieldsEntry } from "@keelson/core";
import { fieldOf, isJsonObject, type JsonObject } from "../schema/json-document.ts";
import { difference, differenceWithInner, type FieldSet, setOfFields, union } from "./field-set.ts";

/** A path of plain field names: `["metadata", "labels"]`. */
export type FieldNames = readonly string[];

/** Fields without owners: those that the server sets and those that identify the object. */
const unowned = setOfFields(
  ["apiVersion"],
  ["kind"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["metadata", name]),
);
const unownedWithMetadata = union(unowned, setOfFields(["metadata"]));

export function ownable(set: FieldSet): FieldSet {
  return difference(set, unownedWithMetadata);
}

const ignoredSets = new WeakMap<readonly FieldNames[], FieldSet>();

/** Fields that a write cannot change or that have no owners. Computed once for each list of reset fields. */
export function ignoredFields(resetFields: readonly FieldNames[]): FieldSet {
  const known = ignoredSets.get(resetFields);
  if (known !== undefined) return known;
  const ignored = union(unowned, setOfFields(...resetFields));
  ignoredSets.set(resetFields, ignored);
  return ignored;
}

/** The set without the fields that a write of this resource or subresource may contain but does not change. */
export function withoutReset(set: FieldSet, resetFields: readonly FieldNames[]): FieldSet {
  return resetFields.length === 0 ? set : differenceWithInner(set, setOfFields(...resetFields));
}

export function metadataOf(object: Readonly<JsonObject>): Readonly<JsonObject> {
  const metadata = fieldOf(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

/** The entries of a stored object, which this server wrote. */
export function storedEntries(object: Readonly<JsonObject> | undefined): readonly ManagedFieldsEntry[] {
  const entries = object === undefined ? undefined : fieldOf(metadataOf(object), "managedFields");
  return Array.isArray(entries) ? entries : [];
}

/**
 * Sets the managed fields of the object, or removes them if there are no entries. The entries share frozen parts with
 * those of the stored object: copy them to change them.
 */
export function setManagedFields(
  object: { readonly metadata: object },
  entries: readonly ManagedFieldsEntry[],
): void {
  if (entries.length === 0) Reflect.deleteProperty(object.metadata, "managedFields");
  else Reflect.set(object.metadata, "managedFields", entries);
}
