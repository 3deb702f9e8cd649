import { createHash } from "node:crypto";
import { type Client, find, InvalidError, jsonPatch, type Reader } from "@keelson/client";
import {
  type ApplyConfiguration,
  apiVersionOf,
  controllerOf,
  isControlledBy,
  isCoveredBy,
  isRecord,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  type ObjectOfKind,
  pointer,
  type Resource,
  type Stored,
  setControllerReference,
  toError,
} from "@keelson/core";
import { ForeignObjectError, StaleObjectError } from "./errors.ts";
import { isStillThere } from "./is-still-there.ts";
import { isRefusedPatch } from "./refused-patch.ts";
import { isRefusedForRivals, rivalOperations } from "./rivals.ts";
import { withEncodedText, withoutSecretText } from "./secret-text.ts";

export interface ApplyOwnedOptions {
  /** Who is writing; one name for all that an operator applies. */
  readonly fieldOwner: string;
  /**
   * Reads from the server, such as `liveClient`. With it, orphans of ours are taken back; without it they are somebody
   * else's. It is asked whether the owner stays: one that is being deleted may just have left them behind on purpose, and
   * what is given back to it goes with it.
   */
  readonly live?: Reader;
}

export interface AppliedObject<T extends KubeObject> {
  readonly result: "created" | "updated" | "unchanged";
  /** As the server has it now. */
  readonly object: Stored<T>;
}

/** Says by whom an object was applied last, and what was said: only so is it known what is no longer said. */
export const appliedAnnotation = "keelson.dev/applied";

/**
 * Brings an object that `owner` controls to where it is wanted, by server-side apply. Writes nothing if it is there
 * already (law 4): what others added is no difference, what others changed or what is no longer wanted is. Needs a
 * client that reads from a cache in which the object is. Where a webhook overrules what is wanted, it is applied each
 * time: the server changes nothing then, and only so is it noticed when the webhook has gone.
 *
 * Throws a ForeignObjectError if the name is taken by an object of somebody else. One without a controller that was
 * applied by the same field owner is an orphan of ours; see `live`. What happened since the cache heard of it is not run
 * over: a name that was taken is a ConflictError, an object that was replaced a StaleObjectError.
 *
 * The text of a Secret may be given as `stringData`.
 */
export async function applyOwned<Owner extends KubeObject, T extends KubeObject>(
  client: Client,
  owner: ObjectOfKind<Owner>,
  resource: Resource<T>,
  wanted: ApplyConfiguration<T>,
  { fieldOwner, live }: ApplyOwnedOptions,
): Promise<AppliedObject<T>> {
  const key = keyOfOwned(owner, resource, wanted);
  const existing = await find(client, resource, key);
  const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { metadata } = setControllerReference(owner, { object: { ...identity, metadata: key }, resource });
  const configuration = signed(resource, withEncodedText(resource, wanted), metadata, fieldOwner);
  if (existing === undefined) {
    const object = await client.apply(resource, guarded(configuration, { resourceVersion: noVersion }), {
      fieldOwner,
    });
    return { result: "created", object };
  }
  if (!(await isOurs(existing, owner, { fieldOwner, live })))
    throw new ForeignObjectError(resource, existing, controllerOf(existing));
  if (isThere(resource, existing, owner, configuration)) return { result: "unchanged", object: existing };
  return { result: "updated", object: await update(client, resource, existing, configuration, fieldOwner) };
}

/** Never that of an object; so there must be none, whatever it might say. Where there is none, it is not looked at. */
const noVersion = "1";

async function update<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  existing: Stored<T>,
  configuration: ApplyConfiguration<T>,
  fieldOwner: string,
): Promise<Stored<T>> {
  const { uid = "" } = existing.metadata;
  const key = keyOf(existing);
  const unlessStale = async (
    write: Promise<Stored<T>>,
    isStale: (error: unknown) => boolean,
  ): Promise<Stored<T>> => {
    try {
      return await write;
    } catch (error) {
      throw isStale(error)
        ? new StaleObjectError({ verb: "apply", resource, key }, { cause: error })
        : toError(error);
    }
  };
  const options = { fieldOwner, force: true };
  const apply = (): Promise<Stored<T>> =>
    unlessStale(client.apply(resource, guarded(configuration, { uid }), options), hasOtherUid);
  try {
    return await apply();
  } catch (error) {
    const replacements = isRefusedForRivals(error) ? rivalOperations(existing, configuration) : [];
    if (replacements.length === 0) throw error;
    const isSame = { op: "test" as const, path: pointer("metadata", "uid"), value: uid };
    const patch = jsonPatch([isSame, ...replacements]);
    await unlessStale(client.patch(resource, key, patch, { fieldOwner }), isRefusedPatch);
    return apply();
  }
}

/** For the server a uid is a field that may not be changed. */
function hasOtherUid(error: unknown): boolean {
  if (!(error instanceof InvalidError)) return false;
  return (error.status.details?.causes ?? []).some(({ field }) => field === "metadata.uid");
}

function guarded<T extends KubeObject>(
  configuration: ApplyConfiguration<T>,
  guard: { readonly uid: string } | { readonly resourceVersion: string },
): ApplyConfiguration<T> {
  return { ...configuration, metadata: Object.assign({}, configuration.metadata, guard) };
}

/** An object on its way out is nobody's any more: what is applied to it is lost with it. */
async function isOurs(
  existing: KubeObject,
  owner: ObjectOfKind,
  { fieldOwner, live }: { readonly fieldOwner: string; readonly live: Reader | undefined },
): Promise<boolean> {
  if (existing.metadata.deletionTimestamp !== undefined) return false;
  if (isControlledBy(existing, owner.object)) return true;
  return live !== undefined && isOrphanOf(fieldOwner, existing) && (await isStillThere(live, owner));
}

/** Whether an object was applied by this field owner, and has lost the owner that it had: it may be taken back. */
export function isOrphanOf(fieldOwner: string, object: KubeObject): boolean {
  return controllerOf(object) === undefined && appliedBy(object)?.startsWith(`${fieldOwner}:`) === true;
}

function keyOfOwned(
  owner: ObjectOfKind,
  { scope }: Resource,
  { metadata }: ApplyConfiguration<KubeObject>,
): ObjectKey {
  const namespace = metadata.namespace ?? owner.object.metadata.namespace;
  return { name: metadata.name, ...(scope === "Namespaced" && namespace !== undefined && { namespace }) };
}

function signed<T extends KubeObject>(
  resource: Resource<T>,
  wanted: ApplyConfiguration<T>,
  metadata: ObjectMeta,
  fieldOwner: string,
): ApplyConfiguration<T> {
  const stated = { ...wanted, metadata: Object.assign({}, wanted.metadata, metadata) };
  const told = { ...withoutSecretText(resource, stated), apiVersion: undefined, kind: undefined };
  const text = JSON.stringify(told, withSortedFields);
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  const annotations = { ...wanted.metadata.annotations, [appliedAnnotation]: `${fieldOwner}:${digest}` };
  return { ...stated, metadata: Object.assign(stated.metadata, { annotations }) };
}

/** Whoever says the same in another order says the same. */
function withSortedFields(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Other owners beside ours are no difference; what kind it is need not be compared. */
function isThere(
  resource: Resource,
  existing: KubeObject,
  owner: ObjectOfKind,
  { apiVersion: _apiVersion, kind: _kind, ...configuration }: ApplyConfiguration<KubeObject>,
): boolean {
  const { ownerReferences: _, ...metadata } = configuration.metadata;
  return (
    isControlledBy(existing, owner.object) &&
    appliedBy(existing) === appliedBy(configuration) &&
    isCoveredBy({ ...configuration, metadata }, existing, resource)
  );
}

function appliedBy({
  metadata,
}: Pick<ApplyConfiguration<KubeObject>, "metadata"> | KubeObject): string | undefined {
  return metadata.annotations?.[appliedAnnotation];
}
