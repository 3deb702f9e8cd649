import type { ManagedFieldsEntry } from "@keelson/core";
import { difference, hasPath, isEmpty, setOfFields } from "./field-set.ts";
import { entriesOf, type Owner, type Owners, ownerKey, ownersOf, withSet } from "./managers.ts";
import type { FieldNames } from "./object-fields.ts";
import { fieldElement } from "./path-element.ts";

/** The path of the replicas of a kind by apiVersion: `apps/v1` → `["spec", "replicas"]`. */
export type ReplicasPaths = ReadonlyMap<string, FieldNames>;

const scaleVersion = "autoscaling/v1";
const replicasOfScale: FieldNames = ["spec", "replicas"];

function owns({ set }: Owner, path: FieldNames): boolean {
  return hasPath(set, path.map(fieldElement));
}

/** The managed fields of the Scale of an object: the owners of its replicas. */
export function managedFieldsOfScale(
  entries: readonly ManagedFieldsEntry[],
  paths: ReplicasPaths,
): readonly ManagedFieldsEntry[] {
  const owners: Owners = new Map();
  for (const [key, owner] of ownersOf(entries)) {
    const path = paths.get(owner.apiVersion);
    if (path === undefined || !owns(owner, path)) continue;
    owners.set(key, { ...withSet(owner, setOfFields(replicasOfScale)), apiVersion: scaleVersion });
  }
  return entriesOf(owners);
}

/**
 * The managed fields of an object after its Scale was written. As in the real server, an owner of the replicas by an
 * update of the object itself gets a separate entry for them, without a time, even if the write changed nothing.
 */
export function managedFieldsAfterScale(
  entries: readonly ManagedFieldsEntry[],
  scaleEntries: readonly ManagedFieldsEntry[],
  paths: ReplicasPaths,
  apiVersion: string,
): readonly ManagedFieldsEntry[] {
  const before = ownersOf(entries);
  const ofScale = ownersOf(scaleEntries);
  const owners: Owners = new Map();
  for (const [key, owner] of before) {
    const path = paths.get(owner.apiVersion);
    if (path === undefined) continue;
    if (ofScale.delete(key) || !owns(owner, path)) owners.set(key, owner);
    else {
      const left = difference(owner.set, setOfFields(path));
      if (!isEmpty(left)) owners.set(key, withSet(owner, left));
    }
  }
  const path = paths.get(apiVersion) ?? replicasOfScale;
  for (const owner of ofScale.values()) {
    if (!owns(owner, replicasOfScale)) continue;
    const { entry: _entry, ...scaler } = owner;
    const key = ownerKey(owner);
    owners.set(key, { ...scaler, apiVersion, set: setOfFields(path), time: before.get(key)?.time });
  }
  return entriesOf(owners);
}
