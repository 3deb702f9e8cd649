import { type ApiCall, type Caller, describeCall, isDryRun, NotFoundError } from "@keelson/client";
import {
  isRecord,
  metadataOnly,
  type ObjectKey,
  type ObjectMeta,
  type Resource,
  type Stored,
  toError,
} from "@keelson/core";
import { plainKey } from "../../watch/snapshot.ts";
import type { InformerCache } from "../informer-cache.ts";
import { isObjectOf } from "../representation.ts";
import { latestOf } from "./version-order.ts";
import { outcomeOf } from "./write-outcome.ts";

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
