import { type ApiCall, type Caller, describeCall, RequestTimeoutError } from "@keelson/client";
import { formatLabelSelector, isRecord, type KubeList, type KubeObject } from "@keelson/core";
import { listAnswer, notFound } from "./cache-answer.ts";
import type { CachedInformer } from "./cached-informer.ts";
import { NamespaceNotCachedError } from "./errors.ts";
import type { InformerCache } from "./informer-cache.ts";
import { hasAskedName, isWellFormed, type ListQuestion, listQuestion } from "./read-question.ts";
import { startReadWait } from "./read-wait.ts";
import { keyFrom } from "./resource-identity.ts";
import { hasReached } from "./version-order.ts";

/** As that of calls to the server. A sync that takes longer goes on, for the next read. */
const defaultTimeoutMs = 30_000;

interface TimeLimit {
  readonly timeoutMs: number;
  readonly startedMs: number;
}

type Informers = readonly CachedInformer<KubeObject>[];
/** Until when an informer cannot answer, because it waits for a write to come back; undefined if it can. */
type UnknownUntil = (informer: CachedInformer<KubeObject>) => number | undefined;

/**
 * Answers a get or a list from the cache as the server would [IN15], own writes included [RW1, RW3]. Waits for informers
 * that have not synced [IN16] and, for a while, for writes whose result only the watch can tell; then asks the server.
 */
export async function readFromCache(cache: InformerCache, next: Caller, call: ApiCall): Promise<unknown> {
  if (!isWellFormed(call)) return next.json(call);
  return call.verb === "get" ? getFromCache(cache, next, call) : listFromCache(cache, next, call);
}

async function getFromCache(cache: InformerCache, next: Caller, call: ApiCall): Promise<unknown> {
  const { namespace, name = "" } = call;
  const key = keyFrom(namespace, name);
  const { informers, isReady } = await readyInformers(cache, call, namespace, (informer) =>
    informer.unknownUntil(key),
  );
  if (isReady) {
    for (const informer of informers) {
      const object = informer.peek(key);
      if (object === undefined) continue;
      call.onCacheHit?.();
      return object;
    }
    throw notFound(call);
  }
  noteStale(cache, call);
  const answer = await next.json(call);
  if (!isObject(answer)) return answer;
  // What is known now need not be asked for again.
  cache.noteWrite(call.resource, { type: "state", object: answer });
  return adopt(informers, answer) ?? failWith(notFound(call));
}

async function listFromCache(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
): Promise<KubeList<KubeObject>> {
  const found = cache.informersForReads(call.resource, describeCall(call));
  const question = listQuestion(call, (name) => found.every((informer) => informer.hasIndex(name)));
  const { namespace } = question.query;
  const { informers, isReady } = await readyInformers(cache, call, namespace, (informer) =>
    informer.anyUnknownUntil(namespace),
  );
  const { limit } = question;
  if (!isReady && !question.isEmpty) return liveList(cache, next, call, { informers, question });
  call.onCacheHit?.();
  if (question.isEmpty) return listAnswer(call, [], { resourceVersion: oldestVersion(informers) });
  const objects = informers.flatMap((informer) => objectsIn(informer, question));
  return listAnswer(call, objects, { resourceVersion: oldestVersion(informers), limit });
}

/** By its name an object is found without a look at the others. */
function objectsIn(informer: CachedInformer<KubeObject>, question: ListQuestion): readonly KubeObject[] {
  const { query, name } = question;
  if (name === undefined) return informer.listOwn(query);
  if (query.namespace === undefined && informer.resource.scope === "Namespaced")
    return informer.listOwn(query).filter((object) => hasAskedName(question, object));
  const object = informer.peek(keyFrom(query.namespace, name));
  return object !== undefined && informer.matches(query, object) ? [object] : [];
}

/**
 * Indexes are ours, so the server is asked without them, and its objects are selected here. It is asked for what each
 * informer watches and no more: whoever may read some namespaces may not read all.
 */
async function liveList(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
  { informers, question }: { readonly informers: Informers; readonly question: ListQuestion },
): Promise<KubeList<KubeObject>> {
  noteStale(cache, call);
  const lists = await Promise.all(informers.map((informer) => next.json(callFor(informer, call, question))));
  const { kind, apiVersion } = listAnswer(call, [], { resourceVersion: undefined });
  const identity = { kind: kind.slice(0, -"List".length), apiVersion };
  const objects = informers.flatMap((informer, index) =>
    itemsOf(lists[index]).flatMap((item) => {
      const object = { ...identity, ...item };
      const adopted = isObject(object) ? informer.adopt(object) : undefined;
      const isAsked =
        adopted !== undefined && hasAskedName(question, adopted) && informer.matches(question.query, adopted);
      return isAsked ? [adopted] : [];
    }),
  );
  const resourceVersion = oldestOf(lists.map(versionOf));
  return listAnswer(call, objects, { resourceVersion, limit: question.limit });
}

/** The list of what an informer watches, as far as it is asked for. */
function callFor({ selection }: CachedInformer<KubeObject>, call: ApiCall, { query }: ListQuestion): ApiCall {
  const { labelSelector: watched = "", fieldSelector = "" } = selection;
  const labels = typeof watched === "string" ? watched : formatLabelSelector(watched);
  const labelSelector = [labels, call.query.labelSelector ?? ""].filter((text) => text !== "").join(",");
  const namespace = query.namespace ?? selection.namespace;
  const { namespace: _, ...rest } = call;
  return {
    ...rest,
    query: {
      ...(labelSelector !== "" && { labelSelector }),
      ...(fieldSelector !== "" && { fieldSelector }),
    },
    ...(namespace !== undefined && { namespace }),
  };
}

function itemsOf(list: unknown): readonly Record<string, unknown>[] {
  return isRecord(list) && Array.isArray(list.items) ? list.items.filter(isRecord) : [];
}

function versionOf(list: unknown): string | undefined {
  const metadata = isRecord(list) && isRecord(list.metadata) ? list.metadata : {};
  return typeof metadata.resourceVersion === "string" ? metadata.resourceVersion : undefined;
}

interface ReadyInformers {
  readonly informers: Informers;
  /** They know all that is asked of them. */
  readonly isReady: boolean;
}

/** The informers of a namespace, once they have synced and know what is asked of them, or cannot know it in time. */
async function readyInformers(
  cache: InformerCache,
  call: ApiCall,
  namespace: string | undefined,
  unknownUntil: UnknownUntil,
): Promise<ReadyInformers> {
  const operation = describeCall(call);
  const limit = { timeoutMs: call.timeoutMs ?? defaultTimeoutMs, startedMs: cache.clock.monotonicNow() };
  call.signal?.throwIfAborted();
  for (;;) {
    const all = cache.informersForReads(call.resource, operation);
    using _ = cache.reading(call.resource);
    const informers = all.filter((informer) => informer.covers(namespace));
    if (informers.length === 0 && namespace !== undefined)
      throw new NamespaceNotCachedError(operation, namespace);
    if (informers.every((informer) => informer.hasSynced && unknownUntil(informer) === undefined))
      return { informers, isReady: true };
    if (!(await waitForAll(cache, call, { informers, limit }, unknownUntil)))
      return { informers, isReady: false };
  }
}

/** False if they take too long. An informer may end while a read waits for it: then the read looks for another one. */
async function waitForAll(
  cache: InformerCache,
  call: ApiCall,
  { informers, limit }: { readonly informers: Informers; readonly limit: TimeLimit },
  unknownUntil: UnknownUntil,
): Promise<boolean> {
  const ends = informers.map(({ ended }) => ended);
  const leftMs = limit.startedMs + limit.timeoutMs - cache.clock.monotonicNow();
  using wait = startReadWait(cache.clock, call.signal, leftMs, ends);
  const { signal } = wait;
  try {
    await Promise.all(informers.map((informer) => informer.synced(signal)));
    const known = informers.map((informer) => informer.passes(() => unknownUntil(informer), signal));
    return (await Promise.all(known)).every(Boolean);
  } catch (error) {
    if (wait.isOver) throw tooLate(call, informers, limit, error);
    call.signal?.throwIfAborted();
    if (ends.some(({ aborted }) => aborted)) return true;
    throw error;
  }
}

/** What keeps an informer from syncing says more than that it has not. */
function tooLate(call: ApiCall, informers: Informers, { timeoutMs }: TimeLimit, error: unknown): Error {
  const failing = informers
    .flatMap(({ statuses }) => statuses)
    .find(({ lastError }) => lastError !== undefined);
  return new RequestTimeoutError(describeCall(call), { timeoutMs, cause: failing?.lastError ?? error });
}

function adopt(informers: Informers, object: KubeObject): KubeObject | undefined {
  for (const informer of informers) {
    const adopted = informer.adopt(object);
    if (adopted !== undefined) return adopted;
  }
  return undefined;
}

/** A list is as old as the oldest of what it was made of. */
function oldestVersion(informers: Informers): string | undefined {
  return oldestOf(informers.map(({ resourceVersion }) => resourceVersion));
}

function oldestOf(versions: readonly (string | undefined)[]): string | undefined {
  return versions.reduce((oldest, version) =>
    oldest !== undefined && version !== undefined && hasReached(oldest, version) ? version : oldest,
  );
}

function noteStale(cache: InformerCache, call: ApiCall): void {
  cache.noteStaleRead({ resource: call.resource, operation: describeCall(call) });
}

function isObject(value: unknown): value is KubeObject {
  return isRecord(value) && isRecord(value.metadata) && typeof value.kind === "string";
}

function failWith(error: Error): never {
  throw error;
}
