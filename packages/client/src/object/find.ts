import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";
import type { GetOptions, Reader } from "../client.ts";
import { NotFoundError } from "../errors.ts";

/** Reads the object; undefined if it does not exist. Throws what `get` throws except NotFoundError. */
export async function find<T extends KubeObject>(
  reader: Pick<Reader, "get">,
  resource: Resource<T>,
  key: ObjectKey,
  options: GetOptions = {},
): Promise<Stored<T> | undefined> {
  try {
    return await reader.get(resource, key, options);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
