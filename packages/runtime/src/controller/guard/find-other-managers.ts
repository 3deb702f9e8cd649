import type { KubeObject } from "@keelson/core";
import { type FieldManager, fieldManagers, managedFieldOwners } from "./managed-field-owners.ts";

/**
 * Who set a field that is not what it was set to. A field that is gone has no owner: then it is whoever wrote last to
 * that part of the object. Empty if only the own name is found.
 */
export function findOtherManagers(
  live: KubeObject,
  path: string,
  ownManagers: readonly string[],
): readonly FieldManager[] {
  const isOther = ({ manager }: FieldManager): boolean => !ownManagers.includes(manager);
  const owners = managedFieldOwners(live, path);
  if (owners.length > 0) return owners.filter(isOther);
  const isOfStatus = /^status\b/.test(path);
  return fieldManagers(live)
    .filter(({ subresource }) => (subresource === "status") === isOfStatus)
    .filter(isOther)
    .slice(0, 1);
}
