import { type ApiCall, type Caller, describeCall, NotFoundError } from "@keelson/client";
import { isRecord, type KubeObject, metadataOnly, toError } from "@keelson/core";
import type { InformerCache } from "./informer-cache.ts";
import { isObjectOf, keyFrom } from "./resource-identity.ts";
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
  const before = cache.peek(resource, key);
  try {
    const { body, subresource, ...place } = call;
    const answer = await next.json({ ...place, verb: "get", query: {} });
    if (isObjectOf(resource, answer)) cache.noteWrite(resource, { type: "state", object: answer });
  } catch (error) {
    const uid = before?.metadata.uid;
    if (error instanceof NotFoundError && uid !== undefined)
      cache.noteWrite(resource, { type: "gone", key, uid });
    else cache.noteUnseen(describeCall(call), toError(error));
  }
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
  const leftByUid = new Map(left?.map((object) => [object.metadata.uid, object]));
  for (const { metadata } of deleted) {
    const { namespace, name = "", uid = "", finalizers = [] } = metadata;
    const key = keyFrom(namespace, name);
    const version = leftByUid.get(uid)?.metadata.resourceVersion;
    if (version !== undefined) cache.noteWrite(resource, { type: "version", key, uid, version });
    // Without the list, an object that nothing held is taken to be gone.
    else if (left !== undefined || (isList && finalizers.length === 0))
      cache.noteWrite(resource, { type: "gone", key, uid });
  }
}

async function listLeft(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
): Promise<readonly KubeObject[] | undefined> {
  const { body, ...place } = call;
  try {
    const resource = metadataOnly(call.resource);
    return objectsIn(await next.json({ ...place, resource, verb: "list", query: {} }));
  } catch (error) {
    cache.noteUnseen(describeCall(call), toError(error));
    return undefined;
  }
}

function objectsIn(answer: unknown): readonly KubeObject[] {
  const items = isRecord(answer) && Array.isArray(answer.items) ? answer.items : [];
  return items.filter((item): item is KubeObject => isRecord(item) && isRecord(item.metadata));
}
