import { type Client, find, NotFoundError, type Reader, type Selection } from "@keelson/client";
import {
  type ApplyConfiguration,
  controllerOf,
  isControlledBy,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ObjectOfKind,
  type Resource,
  type Stored,
} from "@keelson/core";

/** How owned objects are written. */
export interface OwnedOptions {
  /** The field owner; one name for all that an operator writes. */
  readonly fieldOwner: string;
  /**
   * Reads from the server, such as `liveClient`. With it, orphans that this field owner applied are adopted, if the owner
   * still exists and is not being deleted: an owner that is being deleted may have orphaned them on purpose. Without it
   * they are foreign objects. It also finds the field managers of an object.
   */
  readonly live?: Reader;
}

/** Where an owned object is: in the namespace of its owner unless it states another. */
export function keyOfOwned<Owner extends KubeObject>(
  owner: ObjectOfKind<Owner>,
  { scope }: Resource,
  { metadata }: ApplyConfiguration<KubeObject>,
): ObjectKey {
  const namespace = metadata.namespace ?? owner.object.metadata.namespace;
  return { name: metadata.name, ...(scope === "Namespaced" && namespace !== undefined && { namespace }) };
}

/** Whether the object still exists and is not being deleted, by a list: a controller of a kind may list it. */
export async function isExisting<T extends KubeObject>(
  live: Reader,
  { object, resource }: ObjectOfKind<T>,
): Promise<boolean> {
  const { name, namespace } = keyOf(object);
  const { items } = await live.list(resource, {
    ...(namespace !== undefined && { namespace }),
    fieldSelector: `metadata.name=${name}`,
  });
  const { uid } = object.metadata;
  return items.some(({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined);
}

/** Whether an object in the cluster may be written for its owner. */
export type Ownership = "owned" | "orphan" | "foreign";

/**
 * Whether `owner` controls the object, may adopt it, or must leave it alone. What is being deleted is foreign: what is
 * written to it is lost with it.
 */
export async function ownershipOf<Owner extends KubeObject>(
  existing: KubeObject,
  owner: ObjectOfKind<Owner>,
  { fieldOwner, live }: OwnedOptions,
): Promise<Ownership> {
  if (existing.metadata.deletionTimestamp !== undefined) return "foreign";
  if (isControlledBy(existing, owner.object)) return "owned";
  if (live === undefined || !isOrphanOf(fieldOwner, existing)) return "foreign";
  return (await isExisting(live, owner)) ? "orphan" : "foreign";
}

/** The field owner of the last apply and a digest of what it stated: a field that is no longer stated is noticed by it. */
export const appliedAnnotation = "keelson.dev/applied";

/** Whether the field owner applied the object, and its controller reference was removed since: it may be adopted. */
export function isOrphanOf(fieldOwner: string, { metadata, ...object }: KubeObject): boolean {
  const applied = metadata.annotations?.[appliedAnnotation];
  return (
    controllerOf({ ...object, metadata }) === undefined && applied?.startsWith(`${fieldOwner}:`) === true
  );
}

/** The objects of a kind that one of the owners controls, in a selection: label selectors alone also select foreign objects. */
export async function listOwned<T extends KubeObject>(
  client: Reader,
  owners: readonly Stored[],
  resource: Resource<T>,
  selection: Selection,
): Promise<readonly Stored<T>[]> {
  const uids = new Set(owners.map(({ metadata }) => metadata.uid));
  const { items } = await client.list(resource, selection);
  return items.filter((object) => uids.has(controllerOf(object)?.uid ?? ""));
}

/**
 * Deletes an object that `owner` controls, with what that object owns; false if there was none. An object that `owner` does
 * not control, or that is being deleted, is left alone.
 */
export async function removeOwned<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  resource: Resource<T>,
  key: ObjectKey,
): Promise<boolean> {
  const existing = await find(client, resource, key);
  return existing !== undefined && (await deleteOwned(client, owner, resource, existing));
}

/**
 * Deletes the objects of a kind that `owner` controls and whose names are not desired, in the namespace of the owner, or in
 * all namespaces if it has none. Returns the names of those that it deleted.
 */
export async function pruneOwned<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  resource: Resource<T>,
  desiredNames: Iterable<string>,
): Promise<readonly string[]> {
  const desired = new Set(desiredNames);
  const { namespace } = owner.metadata;
  const { items } = await client.list(resource, namespace === undefined ? {} : { namespace });
  const deleted: string[] = [];
  for (const object of items) {
    const { name } = object.metadata;
    if (!desired.has(name) && (await deleteOwned(client, owner, resource, object))) deleted.push(name);
  }
  return deleted;
}

async function deleteOwned<T extends KubeObject>(
  client: Client,
  owner: KubeObject,
  resource: Resource<T>,
  object: Stored<T>,
): Promise<boolean> {
  const { uid, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined || !isControlledBy(object, owner)) return false;
  try {
    const preconditions = { uid };
    await client.delete(resource, keyOf(object), { propagationPolicy: "Background", preconditions });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
