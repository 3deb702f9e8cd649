import { type ApiCall, apiErrorFrom, type Caller, describeCall, RequestTimeoutError } from "@keelson/client";
import {
  abortable,
  type Clock,
  formatLabelSelector,
  groupResourceOf,
  identityOf,
  isRecord,
  type KubeList,
  type KubeObject,
  type ObjectKey,
  type Stored,
  servedIdentityOf,
} from "@keelson/core";
import { plainKey } from "../../watch/snapshot.ts";
import { NamespaceNotCachedError } from "../errors.ts";
import type { CachedInformer } from "../informer/cached-informer.ts";
import type { InformerCache } from "../informer-cache.ts";
import { hasReached } from "../own-writes/version-order.ts";
import { type CacheListRequest, hasRequestedName, isWellFormed, toListRequest } from "./read-request.ts";

/** The same as for calls to the server. A sync that takes longer goes on, for the next read. */
const defaultTimeoutMs = 30_000;
/** The continue token of a list that a limit has cut; a call with it is refused. */
const continueToken = "not-in-a-cache";

interface TimeLimit {
  readonly timeoutMs: number;
  readonly startedMs: number;
}

type Informers = readonly CachedInformer<KubeObject>[];
/** Until when an informer cannot serve a read, because it waits for an own write; undefined if it can. */
type UnknownUntil = (informer: CachedInformer<KubeObject>) => number | undefined;

/**
 * Serves a get or a list from the cache as the server would [IN15], own writes included [RW1, RW3]. Waits for informers
 * that have not synced [IN16] and, for a while, for own writes whose result only the watch delivers; then it reads from
 * the server.
 */
export async function readFromCache(cache: InformerCache, next: Caller, call: ApiCall): Promise<unknown> {
  if (!isWellFormed(call)) return next.json(call);
  const { namespace, name } = call;
  if (name === undefined) return listFromCache(cache, next, call);
  return getFromCache(cache, next, call, plainKey({ namespace, name }));
}

async function getFromCache(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
  key: ObjectKey,
): Promise<unknown> {
  const { informers, isReady } = await readyInformers(cache, call, key.namespace, (informer) =>
    informer.unknownUntil(key),
  );
  if (isReady) {
    for (const informer of informers) {
      const object = informer.peek(key);
      if (object === undefined) continue;
      call.onCacheHit?.();
      return object;
    }
    throw notFound(call, key);
  }
  reportStaleRead(cache, call);
  const response = await next.json(call);
  if (!isObject(response)) return response;
  // The next read of the object need not wait for the watch.
  cache.recordWrite(call.resource, { type: "state", object: response });
  return toStored(informers, response) ?? failWith(notFound(call, key));
}

async function listFromCache(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
): Promise<KubeList<KubeObject>> {
  const found = cache.informersForReads(call.resource, describeCall(call));
  const request = toListRequest(call, (name) => found.every((informer) => informer.hasIndex(name)));
  const { informers, isReady } = await informersForList(cache, call, request);
  const { limit } = request;
  if (!isReady && !request.isEmpty) return liveList(cache, next, call, { informers, request });
  call.onCacheHit?.();
  if (request.isEmpty) return listResponse(call, [], { resourceVersion: oldestVersion(informers) });
  const objects = informers.flatMap((informer) => objectsIn(informer, request));
  return listResponse(call, objects, { resourceVersion: oldestVersion(informers), limit });
}

/**
 * The informers of a list, which can then be made without blocking the event loop for long [IN25]. What is written while
 * objects are read in slices is waited for as well, and the list is the state of one moment after them.
 */
async function informersForList(
  cache: InformerCache,
  call: ApiCall,
  { query, name, isEmpty }: CacheListRequest,
): Promise<ReadyInformers> {
  const { namespace } = query;
  for (;;) {
    const ready = await readyInformers(cache, call, namespace, (informer) =>
      informer.anyUnknownUntil(namespace),
    );
    if (!ready.isReady || isEmpty || name !== undefined) return ready;
    const reading = ready.informers.flatMap((informer) => informer.readAhead(query) ?? []);
    if (reading.length === 0) return ready;
    await abortable(Promise.all(reading), call.signal);
  }
}

/** An object that is selected by its name is found without a scan of the store. */
function objectsIn(informer: CachedInformer<KubeObject>, request: CacheListRequest): readonly KubeObject[] {
  const { query, name } = request;
  if (name === undefined) return informer.listWithOwnWrites(query);
  if (query.namespace === undefined && informer.resource.scope === "Namespaced")
    return informer.listWithOwnWrites(query).filter((object) => hasRequestedName(request, object));
  const object = informer.peek(plainKey({ namespace: query.namespace, name }));
  return object !== undefined && informer.matches(query, object) ? [object] : [];
}

/**
 * The server does not know the indexes of the cache, so its objects are selected by them here. The requests cover what
 * each informer watches and no more: a user that may read some namespaces may not read all.
 */
async function liveList(
  cache: InformerCache,
  next: Caller,
  call: ApiCall,
  { informers, request }: { readonly informers: Informers; readonly request: CacheListRequest },
): Promise<KubeList<KubeObject>> {
  reportStaleRead(cache, call);
  const lists = await Promise.all(informers.map((informer) => next.json(callFor(informer, call, request))));
  const identity = servedIdentityOf(call.resource);
  const objects = informers.flatMap((informer, index) =>
    itemsOf(lists[index]).flatMap((item) => {
      const object = { ...identity, ...item };
      const converted = isObject(object) ? informer.toListed(object) : undefined;
      const isRequested =
        converted !== undefined &&
        hasRequestedName(request, converted) &&
        informer.matches(request.query, converted);
      return isRequested ? [converted] : [];
    }),
  );
  const resourceVersion = oldestOf(lists.map(versionOf));
  return listResponse(call, objects, { resourceVersion, limit: request.limit });
}

/** The part of a list that an informer watches. */
function callFor(
  { selection }: CachedInformer<KubeObject>,
  call: ApiCall,
  { query }: CacheListRequest,
): ApiCall {
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
  /** They can serve the read. */
  readonly isReady: boolean;
}

/** The informers of a namespace, once they have synced and can serve the read, or cannot do so in time. */
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

/** False if they take too long. An informer may end while a read waits for it: then the read finds another one. */
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
    const known = informers.map((informer) => informer.waitUntilKnown(() => unknownUntil(informer), signal));
    return (await Promise.all(known)).every(Boolean);
  } catch (error) {
    if (wait.isOver) throw timeoutError(call, informers, limit, error);
    call.signal?.throwIfAborted();
    if (ends.some(({ aborted }) => aborted)) return true;
    throw error;
  }
}

/** The error that keeps an informer from syncing explains more than the timeout. */
function timeoutError(call: ApiCall, informers: Informers, { timeoutMs }: TimeLimit, error: unknown): Error {
  const failing = informers
    .flatMap(({ statuses }) => statuses)
    .find(({ lastError }) => lastError !== undefined);
  return new RequestTimeoutError(describeCall(call), { timeoutMs, cause: failing?.lastError ?? error });
}

function toStored(informers: Informers, object: Stored): Stored | undefined {
  for (const informer of informers) {
    const converted = informer.toStored(object);
    if (converted !== undefined) return converted;
  }
  return undefined;
}

/** The version of a list is the oldest version of its informers. */
function oldestVersion(informers: Informers): string | undefined {
  return oldestOf(informers.map(({ resourceVersion }) => resourceVersion));
}

function oldestOf(versions: readonly (string | undefined)[]): string | undefined {
  return versions.reduce((oldest, version) =>
    oldest !== undefined && version !== undefined && hasReached(oldest, version) ? version : oldest,
  );
}

function reportStaleRead(cache: InformerCache, call: ApiCall): void {
  cache.reportStaleRead({ resource: call.resource, operation: describeCall(call) });
}

function isObject(value: unknown): value is Stored {
  if (!isRecord(value) || !isRecord(value.metadata)) return false;
  return typeof value.kind === "string" && typeof value.metadata.name === "string";
}

function failWith(error: Error): never {
  throw error;
}

/** What ends the wait of a read: its signal, its time limit, and the end of an informer that it waits for. */
interface ReadWait extends Disposable {
  readonly signal: AbortSignal;
  /** The time limit of the call has passed. */
  readonly isOver: boolean;
}

/** To be disposed of when the wait is over, so that no timer and no listener is left. */
function startReadWait(
  clock: Clock,
  callSignal: AbortSignal | undefined,
  timeoutMs: number,
  ends: readonly AbortSignal[],
): ReadWait {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  let isOver = false;
  for (const end of callSignal === undefined ? ends : [callSignal, ...ends]) {
    const onAbort = (): void => controller.abort(end.reason);
    if (end.aborted) onAbort();
    else end.addEventListener("abort", onAbort, { once: true });
    undo.push(() => end.removeEventListener("abort", onAbort));
  }
  undo.push(
    clock.schedule(Math.max(0, timeoutMs), () => {
      isOver = true;
      controller.abort(new Error("the time limit of the call has passed"));
    }),
  );
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    [Symbol.dispose]() {
      for (const step of undo) step();
    },
  };
}

/** The error of the server for an object that does not exist. */
function notFound(call: ApiCall, { name }: ObjectKey): Error {
  const { resource } = call;
  const { group, plural } = resource;
  return apiErrorFrom(describeCall(call), {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message: `${groupResourceOf(resource)} ${JSON.stringify(name)} not found`,
    reason: "NotFound",
    details: { name, ...(group !== "" && { group }), kind: plural },
    code: 404,
  });
}

/**
 * A list in the form of the server's response. One that a limit has cut has a continue token, as the server's has, so
 * that a caller that reads page by page is refused instead of taking the first page for the whole list.
 */
function listResponse(
  { resource }: ApiCall,
  objects: readonly KubeObject[],
  {
    resourceVersion,
    limit = objects.length,
  }: { resourceVersion: string | undefined; limit?: number | undefined },
): KubeList<KubeObject> {
  const { apiVersion, kind } = identityOf(resource);
  const remaining = objects.length - limit;
  // Frozen, like everything that comes from a cache.
  return Object.freeze({
    apiVersion,
    kind: `${kind}List`,
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(remaining > 0 && { continue: continueToken, remainingItemCount: remaining }),
    },
    items: remaining > 0 ? objects.slice(0, limit) : objects,
  });
}
