import { type ApiCall, type Caller, type Client, isWrite } from "@keelson/client";
import type { InformerCache } from "./informer-cache.ts";
import { writeThrough } from "./own-writes/write-through.ts";
import { readFromCache } from "./reads/cache-reader.ts";
import { isCacheRead } from "./reads/read-request.ts";

/**
 * A client that reads from a cache and writes to the server, and that reads what it wrote: from the moment when a write
 * has returned, reads give its result or something newer [RW1, RW2, RW3].
 *
 * Objects that come from the cache are frozen and the same for all who read them [IN18]. `get` and `list` of whole
 * objects are answered by the cache, except when they ask for a resource version, which is a question to the server;
 * everything else goes there. A kind that nobody watches is watched from its first read on [IN16]. Writes through
 * another client, such as the one given here, are seen when the watch tells of them and no earlier; so is a write
 * whose answer was lost.
 */
export function cachedClient(client: Client, cache: InformerCache): Client {
  return client.with((next) => ({
    json: (call) => answer(cache, next, call),
    stream: (call) => next.stream(call),
    raw: (call) => next.raw(call),
  }));
}

async function answer(cache: InformerCache, next: Caller, call: ApiCall): Promise<unknown> {
  if (isCacheRead(call)) return readFromCache(cache, next, call);
  return isWrite(call) ? writeThrough(cache, next, call) : next.json(call);
}

/** The response to a read, and whether a cache served it. */
export interface ReadResponse {
  readonly response: unknown;
  readonly isFromCache: boolean;
}

/** Makes a get or a list through a caller that may be a cached client's, and reports where the response came from. */
export async function readWithOrigin(next: Caller, call: ApiCall): Promise<ReadResponse> {
  let isFromCache = false;
  const onCacheHit = (): void => {
    isFromCache = true;
    call.onCacheHit?.();
  };
  const response = await next.json({ ...call, onCacheHit });
  return { response, isFromCache };
}
