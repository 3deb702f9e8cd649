import { type Client, find, NotFoundError } from "@keelson/client";
import { isControlledBy, type KubeObject, type ObjectKey, type Resource } from "@keelson/core";

/**
 * Deletes an object that `owner` no longer wants, with what it owns in turn, and tells whether there was one to delete.
 * One that is somebody else's, or already on its way out, is left alone.
 */
export async function removeOwned<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  resource: Resource<T>,
  key: ObjectKey,
): Promise<boolean> {
  const existing = await find(client, resource, key);
  if (existing === undefined || !isControlledBy(existing, owner)) return false;
  const { uid, deletionTimestamp } = existing.metadata;
  if (deletionTimestamp !== undefined || uid === undefined) return false;
  try {
    await client.delete(resource, key, { propagationPolicy: "Background", preconditions: { uid } });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
