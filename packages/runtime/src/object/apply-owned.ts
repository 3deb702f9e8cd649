import { createHash } from "node:crypto";
import { type Client, find, InvalidError, jsonPatch, type Reader } from "@keelson/client";
import {
  type ApplyConfiguration,
  apiVersionOf,
  controllerOf,
  formatJson,
  isControlledBy,
  isCoveredBy,
  type KubeObject,
  keyOf,
  type ObjectOfKind,
  pointer,
  type Resource,
  type Stored,
  setControllerReference,
  sortFields,
  toError,
} from "@keelson/core";
import { ForeignObjectError, isRefusedPatch, StaleObjectError } from "./errors.ts";
import { withMirroredFields } from "./mirrored-fields.ts";
import { appliedAnnotation, keyOfOwned, type OwnedOptions, ownershipOf } from "./owned-objects.ts";
import { isRemnant, remnantPatch } from "./remnants.ts";
import { withEncodedText, withoutSecretText } from "./secret-text.ts";
import { isUnionConflict, unionConflictPatch } from "./union-conflicts.ts";

export interface AppliedObject<T extends KubeObject> {
  readonly result: "created" | "updated" | "unchanged";
  /** As the server has it now. */
  readonly object: Stored<T>;
}

/**
 * Brings an object that `owner` controls to the desired state by server-side apply. Writes nothing if nothing differs
 * (law 4): fields that other field managers added are no difference; fields that they changed, or that are no longer
 * desired, are. Needs a client that reads from a cache in which the object is. Where a webhook overrules the desired
 * state, the object is applied on each call: the server then changes nothing, and the end of the webhook is noticed.
 *
 * Throws a ForeignObjectError if the object exists and `owner` does not control it. An object without a controller that
 * the same field owner applied is an orphan; see `live`. Changes that the cache has not received yet are not overwritten:
 * if the name is taken by now, it throws a ConflictError; if the object was replaced, a StaleObjectError. Parts of a probe,
 * a variable or a volume that another field manager changed go with it when it is no longer desired.
 *
 * The text of a Secret may be given as `stringData`. What the server copies into another field is stated there as well; what
 * it derives only once from a field that may change, such as a pull policy from an image, the desired state should state.
 */
export async function applyOwned<Owner extends KubeObject, T extends KubeObject>(
  client: Client,
  owner: ObjectOfKind<Owner>,
  resource: Resource<T>,
  desired: ApplyConfiguration<T>,
  options: OwnedOptions,
): Promise<AppliedObject<T>> {
  const { fieldOwner } = options;
  const key = keyOfOwned(owner, resource, desired);
  const existing = await find(client, resource, key);
  const configuration = withOwner(owner, resource, desired, fieldOwner);
  if (existing === undefined)
    return { result: "created", object: await create(client, resource, configuration, fieldOwner) };
  if ((await ownershipOf(existing, owner, options)) === "foreign")
    throw new ForeignObjectError(resource, existing, controllerOf(existing));
  if (isApplied(resource, existing, owner, configuration)) return { result: "unchanged", object: existing };
  return { result: "updated", object: await update(client, resource, existing, configuration, options) };
}

/**
 * Creates an object that `owner` controls unless it exists, and never changes it: for what is generated once, such as a
 * password. `generate` returns further fields, and is called only if the object has to be created. Returns the object as the
 * server has it. An orphan is adopted as it is. Throws as `applyOwned` does.
 */
export async function createOwnedOnce<Owner extends KubeObject, T extends KubeObject>(
  client: Client,
  owner: ObjectOfKind<Owner>,
  resource: Resource<T>,
  desired: ApplyConfiguration<T>,
  { generate, ...options }: OwnedOptions & { readonly generate?: (() => GeneratedFields<T>) | undefined },
): Promise<Stored<T>> {
  const { fieldOwner } = options;
  const key = keyOfOwned(owner, resource, desired);
  const existing = await find(client, resource, key);
  if (existing === undefined) {
    const whole = Object.assign({}, desired, generate?.());
    return create(client, resource, withOwner(owner, resource, whole, fieldOwner), fieldOwner);
  }
  const ownership = await ownershipOf(existing, owner, options);
  if (ownership === "foreign") throw new ForeignObjectError(resource, existing, controllerOf(existing));
  return ownership === "owned" ? existing : adopt(client, owner, resource, existing, fieldOwner);
}

/** Fields of an object beside its metadata. */
export type GeneratedFields<T extends KubeObject> = Omit<
  ApplyConfiguration<T>,
  "apiVersion" | "kind" | "metadata"
>;

async function adopt<Owner extends KubeObject, T extends KubeObject>(
  client: Client,
  owner: ObjectOfKind<Owner>,
  resource: Resource<T>,
  orphan: Stored<T>,
  fieldOwner: string,
): Promise<Stored<T>> {
  const { ownerReferences } = setControllerReference(owner, { object: orphan, resource }).metadata;
  const key = keyOf(orphan);
  const patch = jsonPatch([
    { op: "test", path: pointer("metadata", "uid"), value: orphan.metadata.uid },
    { op: "test", path: pointer("metadata", "resourceVersion"), value: orphan.metadata.resourceVersion },
    { op: "add", path: pointer("metadata", "ownerReferences"), value: ownerReferences },
  ]);
  try {
    return await client.patch(resource, key, patch, { fieldOwner });
  } catch (error) {
    if (!isRefusedPatch(error)) throw error;
    throw new StaleObjectError({ verb: "adopt", resource, key }, { cause: error });
  }
}

function create<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  configuration: ApplyConfiguration<T>,
  fieldOwner: string,
): Promise<Stored<T>> {
  const mustNotExist = guarded(configuration, { resourceVersion: versionOfNoObject });
  return client.apply(resource, mustNotExist, { fieldOwner });
}

/** No object has this version, so the apply fails if one exists. The server ignores it if none does. */
const versionOfNoObject = "1";

async function update<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  existing: Stored<T>,
  configuration: ApplyConfiguration<T>,
  { fieldOwner, live }: OwnedOptions,
): Promise<Stored<T>> {
  const { uid } = existing.metadata;
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
    const causes = error instanceof InvalidError ? (error.status.details?.causes ?? []) : [];
    const isRepairable = causes.every((cause) => isUnionConflict(cause) || isRemnant(cause));
    if (causes.length === 0 || !isRepairable) throw error;
    // The cache has no managedFields.
    const owned = causes.some(isRemnant) ? await readLive(live ?? client, resource, existing) : undefined;
    const replacements = [
      ...unionConflictPatch(owned ?? existing, configuration),
      ...(owned === undefined ? [] : remnantPatch(owned, configuration, fieldOwner)),
    ];
    if (replacements.length === 0) throw error;
    const isSame = { op: "test" as const, path: pointer("metadata", "uid"), value: uid };
    const patch = jsonPatch([isSame, ...replacements]);
    await unlessStale(client.patch(resource, key, patch, { fieldOwner }), isRefusedPatch);
    return apply();
  }
}

/** By a list, which a controller of a kind may do. Undefined if the object does not exist any more. */
async function readLive<T extends KubeObject>(
  live: Reader,
  resource: Resource<T>,
  { metadata: { name, namespace, uid } }: Stored<T>,
): Promise<Stored<T> | undefined> {
  const { items } = await live.list(resource, {
    ...(namespace !== undefined && { namespace }),
    fieldSelector: `metadata.name=${name}`,
  });
  return items.find(({ metadata }) => metadata.uid === uid);
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

/** The desired state with the controller reference and the digest of what is stated. */
function withOwner<Owner extends KubeObject, T extends KubeObject>(
  owner: ObjectOfKind<Owner>,
  resource: Resource<T>,
  stringDesired: ApplyConfiguration<T>,
  fieldOwner: string,
): ApplyConfiguration<T> {
  const desired = withMirroredFields(resource, withEncodedText(resource, stringDesired));
  const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const object = { ...identity, metadata: keyOfOwned(owner, resource, desired) };
  const { metadata } = setControllerReference(owner, { object, resource });
  const stated = { ...desired, metadata: Object.assign({}, desired.metadata, metadata) };
  const digested = { ...withoutSecretText(resource, stated), apiVersion: undefined, kind: undefined };
  const text = formatJson(sortFields(digested));
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 16);
  const annotations = { ...desired.metadata.annotations, [appliedAnnotation]: `${fieldOwner}:${digest}` };
  return { ...stated, metadata: Object.assign(stated.metadata, { annotations }) };
}

/** Whether the object is in the desired state. Owners beside ours are no difference; the kind need not be compared. */
function isApplied<Owner extends KubeObject>(
  resource: Resource,
  existing: KubeObject,
  owner: ObjectOfKind<Owner>,
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
