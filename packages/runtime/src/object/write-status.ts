import { type Client, jsonPatch, NotFoundError } from "@keelson/client";
import {
  deepEqual,
  isRecord,
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
  if (before === undefined)
    return definedFields(after).length === 0 ? [] : [{ op: "add", path: pointer("status"), value: after }];
  return fieldOperations(["status"], new Map(Object.entries(before)), definedFields(after));
}

function definedFields(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

function fieldOperations(
  path: readonly string[],
  before: ReadonlyMap<string, unknown>,
  after: readonly (readonly [string, unknown])[],
): readonly JsonPatchOperation[] {
  const kept = new Set(after.map(([name]) => name));
  const removed = [...before.keys()].filter((name) => !kept.has(name));
  return [
    ...removed.map((name) => ({ op: "remove" as const, path: pointer(...path, name) })),
    ...after.flatMap(([name, value]) => {
      const old = before.get(name);
      if (deepEqual(old, value)) return [];
      if (isRecord(old) && isRecord(value))
        return fieldOperations([...path, name], new Map(Object.entries(old)), definedFields(value));
      return [{ op: "add" as const, path: pointer(...path, name), value }];
    }),
  ];
}
