import type { GenericObject } from "@keelson/core";

/** By these finalizers a deletion says what is to become of dependents. */
export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

export function isBeingDeleted({ metadata }: GenericObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Waits for its dependents to go first. */
export function isDeletingDependents(object: GenericObject): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, foregroundFinalizer);
}

/** Waits for its dependents to be let go. */
export function isOrphaningDependents(object: GenericObject): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, orphanFinalizer);
}

export function hasFinalizer({ metadata }: GenericObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}
