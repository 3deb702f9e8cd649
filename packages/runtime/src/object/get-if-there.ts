import { NotFoundError, type Reader } from "@keelson/client";
import type { KubeObject, ObjectKey, Resource, Stored } from "@keelson/core";

/** The object, or undefined if there is none. */
export async function getIfThere<T extends KubeObject>(
  reader: Reader,
  resource: Resource<T>,
  key: ObjectKey,
): Promise<Stored<T> | undefined> {
  try {
    return await reader.get(resource, key);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
