import { type Client, jsonPatch, NotFoundError } from "@keelson/client";
import { type KubeObject, keyOf, pointer, type Resource } from "@keelson/core";
import { StaleObjectError } from "./errors.ts";
import { isRefusedPatch } from "./refused-patch.ts";
import { statusOperations } from "./status-operations.ts";

/**
 * Brings the status of an object to what it is to be, by one patch of what differs, and tells whether there was
 * anything to write. A field that the status does not have is removed. Nothing is written to an object that is gone.
 *
 * Throws a StaleObjectError, and writes nothing, if another object has the name by now, or if others removed what was
 * to be changed.
 */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  client: Client,
  resource: Resource<T>,
  object: T,
  status: NonNullable<T["status"]>,
  { fieldOwner }: { readonly fieldOwner: string },
): Promise<boolean> {
  const operations = statusOperations(object.status, status);
  if (operations.length === 0) return false;
  const key = keyOf(object);
  // The server does not look at a uid in a merge patch or an apply of the status of a custom resource.
  const isSame = { op: "test" as const, path: pointer("metadata", "uid"), value: object.metadata.uid ?? "" };
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
