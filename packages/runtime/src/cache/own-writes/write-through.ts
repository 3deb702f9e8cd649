import { type ApiCall, type Caller, describeCall, isDryRun, NotFoundError } from "@keelson/client";
import {
  isRecord,
  isStatus,
  type KubeObject,
  metadataOnly,
  type ObjectKey,
  type ObjectMeta,
  type Resource,
  type Stored,
  toError,
} from "@keelson/core";
import { plainKey } from "../../watch/snapshot.ts";
import type { InformerCache } from "../informer-cache.ts";
import { isObjectOf } from "../store.ts";
import { latestOf } from "./version-order.ts";

/** What the response to a write contains about the object that was written. */
export type WriteOutcome = StateOutcome | VersionOutcome | DeletedOutcome;

/** The object is now in this state. */
export interface StateOutcome {
  readonly type: "state";
  readonly object: Stored;
}

/** The object now has this version. */
interface VersionOutcome {
  readonly type: "version";
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  readonly version: string;
}

/** The object does not exist any more. */
export interface DeletedOutcome {
  readonly type: "deleted";
  readonly key: ObjectKey;
  readonly uid: string;
  /** It existed in this version. */
  readonly version?: string | undefined;
  /** At this version it no longer existed. */
  readonly deletedBy?: string | undefined;
}

/**
 * The outcome of a write that succeeded. `nothing` if the object did not change, and `unknown` if it may have changed and
 * the response does not contain how, as with an eviction.
 */
export function outcomeOf(call: ApiCall, response: unknown): WriteOutcome | "nothing" | "unknown" {
  if (isDryRun(call)) return "nothing";
  if (isObjectOf(call.resource, response)) return outcomeFor(call, response);
  if (isStatus(response)) return outcomeOfStatus(call, response.details?.uid);
  const metadata: ObjectMeta = isRecord(response) && isRecord(response.metadata) ? response.metadata : {};
  const { uid, resourceVersion = "" } = metadata;
  // Such as a Scale. A response without a version, such as a requested token, is no state of the object.
  if (call.name === undefined || resourceVersion === "") return "nothing";
  return {
    type: "version",
    key: plainKey({ namespace: call.namespace, name: call.name }),
    uid,
    version: resourceVersion,
  };
}

function outcomeFor(call: ApiCall, object: Stored): WriteOutcome | "nothing" {
  // Aggregated API servers may omit the uid and the version.
  const { uid, deletionTimestamp, resourceVersion: version }: ObjectMeta = object.metadata;
  const isDeleted =
    call.verb === "delete" && call.subresource === undefined && deletionTimestamp === undefined;
  const isFinished = isDeleted || isReleased(call.resource, object);
  const key = plainKey(object.metadata);
  if (uid !== undefined && isFinished === true) return { type: "deleted", key, uid, version };
  if (version === undefined) return "nothing";
  return isFinished === undefined ? { type: "version", key, uid, version } : { type: "state", object };
}

/**
 * Whether the server has removed the object: one that is being deleted is removed as soon as no finalizer holds it, also
 * by an update that removes the last finalizer. Namespaces have finalizers in their spec as well, which their metadata
 * does not contain: then undefined.
 */
function isReleased(resource: Resource, object: KubeObject): boolean | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  if (resource.group !== "" || resource.plural !== "namespaces") return true;
  if (resource.isMetadataOnly === true) return undefined;
  const spec = "spec" in object && isRecord(object.spec) ? object.spec : {};
  return !(Array.isArray(spec.finalizers) && spec.finalizers.length > 0);
}

function outcomeOfStatus(
  { verb, subresource, namespace, name }: ApiCall,
  uid: string | undefined,
): DeletedOutcome | "unknown" {
  const isDelete = verb === "delete" && subresource === undefined;
  if (!isDelete || name === undefined || uid === undefined) return "unknown";
  return { type: "deleted", key: plainKey({ namespace, name }), uid };
}

/** Makes a write and records its outcome in the cache, so that every read after the write includes it. */
export async function writeThrough(cache: InformerCache, next: Caller, call: ApiCall): Promise<unknown> {
  const response = await next.json(call);
  if (call.verb === "deletecollection") {
    if (!isDryRun(call)) await recordCollectionDelete(cache, next, call, response);
    return response;
  }
  const outcome = outcomeOf(call, response);
  if (outcome === "unknown") await readOutcome(cache, next, call);
  else if (outcome !== "nothing") cache.recordWrite(call.resource, outcome);
  return response;
}

/** Reads the outcome of a write whose response does not contain it, such as an eviction. */
async function readOutcome(cache: InformerCache, next: Caller, call: ApiCall): Promise<void> {
  const { resource, namespace, name } = call;
  if (name === undefined || !cache.isWatched(resource)) return;
  const key = plainKey({ namespace, name });
  // Before the request, so that an object that was created after it does not count as deleted.
  const before = knownUnder(cache, resource, key);
  try {
    const { body, subresource, ...target } = call;
    const response = await next.json({ ...target, verb: "get", query: {} });
    if (isObjectOf(resource, response)) cache.recordWrite(resource, { type: "state", object: response });
  } catch (error) {
    if (error instanceof NotFoundError)
      for (const [uid, version] of before)
        cache.recordWrite(resource, { type: "deleted", key, uid, version });
    else cache.reportUnknownOutcome(describeCall(call), toError(error));
  }
}

/** The uids that informers of any representation know under a key, with their versions. */
function knownUnder(
  cache: InformerCache,
  resource: Resource,
  { namespace, name }: ObjectKey,
): ReadonlyMap<string, string | undefined> {
  const known = new Map<string, string | undefined>();
  for (const { metadata } of cache.knownObjects(resource, namespace)) {
    const { uid, resourceVersion } = metadata;
    if (metadata.name === name && uid !== undefined)
      known.set(uid, latestOf(known.get(uid), resourceVersion));
  }
  return known;
}

/**
 * The server responds with the objects as they were before. A list of the metadata shows which of them are deleted and
 * which are only being deleted; it takes no selectors, because an object that has left a selection is not deleted.
 */
async function recordCollectionDelete(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
  response: unknown,
): Promise<void> {
  const { resource } = call;
  if (!cache.isWatched(resource)) return;
  // A server that responds with a Status may have deleted all objects that are known now.
  const isList = isRecord(response) && Array.isArray(response.items);
  const deleted = isList ? objectsIn(response) : cache.knownObjects(resource, call.namespace);
  const remaining = await listRemaining(cache, next, call);
  const remainingByUid = new Map(remaining?.objects.map((object) => [object.metadata.uid, object]));
  for (const object of deleted) {
    const { uid = "", finalizers = [], resourceVersion }: ObjectMeta = object.metadata;
    const key = plainKey(object.metadata);
    const version = remainingByUid.get(uid)?.metadata.resourceVersion;
    if (version !== undefined) cache.recordWrite(resource, { type: "version", key, uid, version });
    // Without the list, an object without finalizers counts as deleted.
    else if (remaining !== undefined || (isList && finalizers.length === 0))
      cache.recordWrite(resource, {
        type: "deleted",
        key,
        uid,
        version: resourceVersion,
        deletedBy: remaining?.version,
      });
  }
}

interface Remaining {
  readonly objects: readonly Stored[];
  /** At this version no other object existed. */
  readonly version: string | undefined;
}

async function listRemaining(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
): Promise<Remaining | undefined> {
  const { body, ...target } = call;
  try {
    const resource = metadataOnly(call.resource);
    const response = await next.json({ ...target, resource, verb: "list", query: {} });
    const metadata = isRecord(response) && isRecord(response.metadata) ? response.metadata : {};
    const { resourceVersion: version } = metadata;
    return { objects: objectsIn(response), version: typeof version === "string" ? version : undefined };
  } catch (error) {
    cache.reportUnknownOutcome(describeCall(call), toError(error));
    return undefined;
  }
}

function objectsIn(response: unknown): readonly Stored[] {
  const items = isRecord(response) && Array.isArray(response.items) ? response.items : [];
  return items.filter(
    (item): item is Stored =>
      isRecord(item) && isRecord(item.metadata) && typeof item.metadata.name === "string",
  );
}
