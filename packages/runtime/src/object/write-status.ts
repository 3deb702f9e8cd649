import { type Client, jsonPatch, NotFoundError } from "@keelson/client";
import {
  diffJson,
  type JsonPatchOperation,
  type KubeObject,
  keyOf,
  type ObjectOfKind,
  pointer,
  type Resource,
  type Stored,
} from "@keelson/core";
import { isRefusedPatch, StaleObjectError } from "./errors.ts";

/**
 * Makes the status of an object what is given, by one patch of what differs; false if nothing did. A field that is not
 * given is removed. Nothing is written to an object that no longer exists.
 *
 * Throws a StaleObjectError, and writes nothing, if another object has the name by now, or if a field that was to be
 * changed has been removed since the object was read.
 */
export function writeStatus<T extends KubeObject & { readonly status?: object }>(
  client: Client,
  resource: Resource<T>,
  object: Stored<T>,
  status: NonNullable<T["status"]>,
  options: { readonly fieldOwner: string },
): Promise<boolean> {
  return patchStatus(client, { object, resource }, { before: object.status, after: status }, options);
}

/** As `writeStatus`, with the status as it was read or last written. */
export async function patchStatus<T extends KubeObject>(
  client: Client,
  { object, resource }: ObjectOfKind<T>,
  { before, after }: { readonly before: object | undefined; readonly after: object },
  { fieldOwner }: { readonly fieldOwner: string },
): Promise<boolean> {
  const operations = statusOperations(before, after);
  if (operations.length === 0) return false;
  const key = keyOf(object);
  // The server ignores a uid in a merge patch or an apply of the status of a custom resource.
  const isSame = { op: "test" as const, path: pointer("metadata", "uid"), value: object.metadata.uid };
  try {
    await client.status(resource).patch(key, jsonPatch([isSame, ...operations]), { fieldOwner });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    if (isRefusedPatch(error))
      throw new StaleObjectError({ verb: "write the status of", resource, key }, { cause: error });
    throw error;
  }
}

/**
 * The operations that make a status what it should be. What is missing or undefined in it is removed; lists are replaced
 * whole, because another writer may have moved their elements.
 */
export function statusOperations(before: object | undefined, after: object): readonly JsonPatchOperation[] {
  if (before !== undefined) return diffJson(before, after, { path: ["status"], mayHaveChanged: true });
  const isEmpty = Object.values(after).every((field) => field === undefined);
  return isEmpty ? [] : [{ op: "add", path: pointer("status"), value: after }];
}
