import { createHash } from "node:crypto";
import { type Client, InvalidError } from "@keelson/client";
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
  type Resource,
  setControllerReference,
} from "@keelson/core";
import { ForeignObjectError, StaleObjectError } from "./errors.ts";
import { getIfThere } from "./get-if-there.ts";
import { withEncodedText } from "./secret-text.ts";

export interface ApplyOwnedOptions {
  /** Who is writing; one name for all that an operator applies. */
  readonly fieldOwner: string;
}

export interface AppliedObject<T> {
  readonly result: "created" | "updated" | "unchanged";
  /** As the server has it now. */
  readonly object: T;
}

/** Says by whom an object was applied last, and what was said: only so is it known what is no longer said. */
export const appliedAnnotation = "keelson.dev/applied";

/**
 * Brings an object that `owner` controls to where it is wanted, by server-side apply. Writes nothing if it is there
 * already (law 4): what others added is no difference, what others changed or what is no longer wanted is. Needs a
 * client that reads from a cache in which the object is.
 *
 * Throws a ForeignObjectError if the name is taken by an object of somebody else. One without a controller that was
 * applied by the same field owner is an orphan of ours, and is taken back. What happened since the cache heard of it
 * is not run over: a name that was taken is a ConflictError, an object that was replaced a StaleObjectError.
 *
 * The text of a Secret may be given as `stringData`.
 */
export async function applyOwned<T extends KubeObject>(
  client: Client,
  owner: ObjectOfKind,
  resource: Resource<T>,
  wanted: ApplyConfiguration<T>,
  { fieldOwner }: ApplyOwnedOptions,
): Promise<AppliedObject<T>> {
  const key = keyOfOwned(owner, resource, wanted);
  const existing = await getIfThere(client, resource, key);
  const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const { metadata } = setControllerReference(owner, { object: { ...identity, metadata: key }, resource });
  const configuration = signed(withEncodedText(resource, wanted), metadata, fieldOwner);
  if (existing === undefined) {
    const object = await client.apply(resource, guarded(configuration, { resourceVersion: noVersion }), {
      fieldOwner,
    });
    return { result: "created", object };
  }
  if (!isOurs(existing, owner, fieldOwner))
    throw new ForeignObjectError(resource, existing, controllerOf(existing));
  if (isThere(resource, existing, owner, configuration)) return { result: "unchanged", object: existing };
  return { result: "updated", object: await update(client, resource, existing, configuration, fieldOwner) };
}

/** Never that of an object; so there must be none, whatever it might say. Where there is none, it is not looked at. */
const noVersion = "1";

async function update<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  existing: T,
  configuration: ApplyConfiguration<T>,
  fieldOwner: string,
): Promise<T> {
  const { uid = "" } = existing.metadata;
  try {
    return await client.apply(resource, guarded(configuration, { uid }), { fieldOwner, force: true });
  } catch (error) {
    if (hasOtherUid(error))
      throw new StaleObjectError({ verb: "apply", resource, key: keyOf(existing) }, { cause: error });
    throw error;
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
function isOurs(existing: KubeObject, owner: ObjectOfKind, fieldOwner: string): boolean {
  if (existing.metadata.deletionTimestamp !== undefined) return false;
  if (isControlledBy(existing, owner.object)) return true;
  const isOrphan = controllerOf(existing) === undefined;
  return isOrphan && appliedBy(existing)?.startsWith(`${fieldOwner}:`) === true;
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
  wanted: ApplyConfiguration<T>,
  metadata: ObjectMeta,
  fieldOwner: string,
): ApplyConfiguration<T> {
  const stated = { ...wanted, metadata: Object.assign({}, wanted.metadata, metadata) };
  const text = JSON.stringify({ ...stated, apiVersion: undefined, kind: undefined }, withSortedFields);
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
