import { type ApiCall, type Caller, describeCall, NotFoundError } from "@keelson/client";
import {
  isRecord,
  type KubeObject,
  metadataOnly,
  type ObjectKey,
  type Resource,
  toError,
} from "@keelson/core";
import type { InformerCache } from "./informer-cache.ts";
import { isObjectOf, keyFrom } from "./resource-identity.ts";
import { latestOf } from "./version-order.ts";
import { isDryRun, outcomeOf } from "./write-outcome.ts";

/** Makes a write and has the cache's reads include what came of it, before whoever made it can read. */
export async function writeAndNote(cache: InformerCache, next: Caller, call: ApiCall): Promise<unknown> {
  const answer = await next.json(call);
  if (call.verb === "deletecollection") {
    if (!isDryRun(call)) await noteCollectionDelete(cache, next, call, answer);
    return answer;
  }
  const outcome = outcomeOf(call, answer);
  if (outcome === "unsaid") await lookUp(cache, next, call);
  else if (outcome !== "nothing") cache.noteWrite(call.resource, outcome);
  return answer;
}

/** Asks what came of a write whose answer does not tell, such as an eviction. */
async function lookUp(cache: InformerCache, next: Caller, call: ApiCall): Promise<void> {
  const { resource, namespace, name } = call;
  if (name === undefined || !cache.isWatched(resource)) return;
  const key = keyFrom(namespace, name);
  // Before the question, so that nothing is taken to be gone that was made after it.
  const before = knownUnder(cache, resource, key);
  try {
    const { body, subresource, ...place } = call;
    const answer = await next.json({ ...place, verb: "get", query: {} });
    if (isObjectOf(resource, answer)) cache.noteWrite(resource, { type: "state", object: answer });
  } catch (error) {
    if (error instanceof NotFoundError)
      for (const [uid, version] of before) cache.noteWrite(resource, { type: "gone", key, uid, version });
    else cache.noteUnseen(describeCall(call), toError(error));
  }
}

/** The uids that informers of whatever representation know under a key, with the versions in which they know them. */
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
 * The server answers with the objects as they were before. Which of them are gone, and which are only on their way out,
 * a list of the metadata tells; it takes no selectors, because an object that has left a selection is not gone.
 */
async function noteCollectionDelete(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
  answer: unknown,
): Promise<void> {
  const { resource } = call;
  if (!cache.isWatched(resource)) return;
  // A server that answers with a Status may have deleted whatever is known now.
  const isList = isRecord(answer) && Array.isArray(answer.items);
  const deleted = isList ? objectsIn(answer) : cache.knownObjects(resource, call.namespace);
  const left = await listLeft(cache, next, call);
  const leftByUid = new Map(left?.objects.map((object) => [object.metadata.uid, object]));
  for (const { metadata } of deleted) {
    const { namespace, name = "", uid = "", finalizers = [], resourceVersion } = metadata;
    const key = keyFrom(namespace, name);
    const version = leftByUid.get(uid)?.metadata.resourceVersion;
    if (version !== undefined) cache.noteWrite(resource, { type: "version", key, uid, version });
    // Without the list, an object that nothing held is taken to be gone.
    else if (left !== undefined || (isList && finalizers.length === 0))
      cache.noteWrite(resource, { type: "gone", key, uid, version: resourceVersion, goneBy: left?.version });
  }
}

interface Left {
  readonly objects: readonly KubeObject[];
  /** What is not among the objects was gone by then. */
  readonly version: string | undefined;
}

async function listLeft(cache: InformerCache, next: Caller, call: ApiCall): Promise<Left | undefined> {
  const { body, ...place } = call;
  try {
    const resource = metadataOnly(call.resource);
    const answer = await next.json({ ...place, resource, verb: "list", query: {} });
    const metadata = isRecord(answer) && isRecord(answer.metadata) ? answer.metadata : {};
    const { resourceVersion: version } = metadata;
    return { objects: objectsIn(answer), version: typeof version === "string" ? version : undefined };
  } catch (error) {
    cache.noteUnseen(describeCall(call), toError(error));
    return undefined;
  }
}

function objectsIn(answer: unknown): readonly KubeObject[] {
  const items = isRecord(answer) && Array.isArray(answer.items) ? answer.items : [];
  return items.filter((item): item is KubeObject => isRecord(item) && isRecord(item.metadata));
}
