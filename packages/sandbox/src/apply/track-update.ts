import { deepEqual, type ManagedFieldsEntry } from "@keelson/core";
import type { FieldSchema } from "../schema/field-schema.ts";
import { fieldOf, type JsonObject } from "../schema/json-document.ts";
import { capUpdaters } from "./cap-updaters.ts";
import { type Comparison, compareObjects } from "./compare.ts";
import { emptyObject } from "./empty-object.ts";
import { difference, type FieldSet, isEmpty, union } from "./field-set.ts";
import { typeOfObject } from "./field-type.ts";
import {
  entriesOf,
  narrowOwners,
  type Owner,
  type Owners,
  ownerKey,
  ownersOf,
  readOwners,
} from "./managers.ts";
import { type FieldNames, ignoredFields, metadataOf, ownable, storedEntries } from "./object-fields.ts";
import { reconcileOwners } from "./reconcile-owners.ts";

/** A write that is not an apply: a create, an update or a patch. */
export interface TrackedUpdate {
  /** As it is stored; undefined for a create. */
  readonly live: Readonly<JsonObject> | undefined;
  /** With defaults, before admission and before the strategy prepares it. */
  readonly updated: Readonly<JsonObject>;
  readonly schema: FieldSchema;
  readonly isCustom: boolean;
  readonly apiVersion: string;
  readonly kind: string;
  /** The field manager; `unknown` if it is empty. */
  readonly manager: string;
  /** Undefined for the object itself. */
  readonly subresource: string | undefined;
  /** The fields that this write may contain but not change; see `resetFieldsOf`. */
  readonly resetFields: readonly FieldNames[];
  /** Now, as `2026-01-02T03:04:05Z`. */
  readonly time: string;
}

/**
 * The managed fields of an object after a write: the writer is the only owner of the fields that it changed, and removed
 * fields have no owner. If nothing changed, the result is the array of the live object. See `setManagedFields`.
 */
export function trackUpdate(write: TrackedUpdate): readonly ManagedFieldsEntry[] {
  const stored = storedEntries(write.live);
  const owners = requestedOwners(write, stored);
  // Once the managed fields of an object were cleared, they are not tracked until it is applied.
  if (write.live !== undefined && (owners === undefined ? stored.length === 0 : owners.size === 0)) return [];
  const comparison = compareWrite(write);
  if (owners === undefined && isEmpty(comparison.changed) && isEmpty(comparison.removed)) return stored;
  return entriesOf(ownersAfterUpdate(owners ?? ownersOf(stored), comparison, write));
}

/** The owners in the request itself; undefined if those of the stored object apply. */
function requestedOwners(
  { live, updated, subresource }: TrackedUpdate,
  stored: readonly ManagedFieldsEntry[],
): Owners | undefined {
  if (subresource !== undefined) return undefined;
  const requested = fieldOf(metadataOf(updated), "managedFields");
  if (!Array.isArray(requested)) return undefined;
  if (requested.length === 0 || (requested.length === 1 && isBlank(requested[0]))) return new Map();
  if (live !== undefined && deepEqual(requested, stored)) return undefined;
  return readOwners(requested);
}

function isBlank(entry: unknown): boolean {
  return typeof entry === "object" && entry !== null && Object.keys(entry).length === 0;
}

/** The fields that a write changes, without those that it cannot change. */
export function compareWrite(write: TrackedUpdate): Comparison {
  const before = write.live ?? emptyObject(write);
  return compareObjects(before, write.updated, typeOfObject(write.schema), ignoredFields(write.resetFields));
}

/** Changes the owners and returns them. */
export function ownersAfterUpdate(owners: Owners, comparison: Comparison, write: TrackedUpdate): Owners {
  reconcileOwners(owners, typeOfObject(write.schema));
  narrowOwners(owners, ({ set }) => difference(difference(set, comparison.changed), comparison.removed));
  const own = ownable(comparison.changed);
  if (!isEmpty(own)) addFields(owners, own, write);
  capUpdaters(owners);
  return owners;
}

function addFields(owners: Owners, set: FieldSet, write: TrackedUpdate): void {
  const owner: Owner = {
    manager: write.manager === "" ? "unknown" : write.manager,
    operation: "Update",
    apiVersion: write.apiVersion,
    subresource: write.subresource ?? "",
    time: write.time,
    set,
  };
  const key = ownerKey(owner);
  const previous = owners.get(key);
  owners.set(key, previous === undefined ? owner : { ...owner, set: union(set, previous.set) });
}
