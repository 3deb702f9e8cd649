import { type ApiCall, type Caller, type Client, isWrite } from "@keelson/client";
import type { InformerCache } from "./informer-cache.ts";
import { writeThrough } from "./own-writes/write-through.ts";
import { readFromCache } from "./reads/cache-reader.ts";
import { isCacheRead } from "./reads/read-request.ts";

/**
 * A client that reads from a cache and writes to the server, and that reads what it wrote: from the moment when a write
 * has returned, reads return its result or something newer [RW1, RW2, RW3].
 *
 * Objects that come from the cache are frozen and the same for all readers [IN18]. The cache serves `get` and `list` of
 * whole objects without a resource version; every other call goes to the server. A kind without an informer is watched
 * from its first read on [IN16]. A write through another client, such as the one passed here, is visible when the watch
 * delivers it and no earlier; so is a write whose response was lost.
 */
export function cachedClient(client: Client, cache: InformerCache): Client {
  return client.with((next) => ({
    json: (call) => execute(cache, next, call),
    stream: (call) => next.stream(call),
    raw: (call) => next.raw(call),
  }));
}

async function execute(cache: InformerCache, next: Caller, call: ApiCall): Promise<unknown> {
  if (isCacheRead(call)) return readFromCache(cache, next, call);
  return isWrite(call) ? writeThrough(cache, next, call) : next.json(call);
}

/** A get or a list that shows, once its response has arrived, whether a cache served it. */
export class TrackedRead {
  /** The call to make instead of the one that it was created from. */
  readonly call: ApiCall;
  isFromCache = false;

  constructor(call: ApiCall) {
    const onCacheHit = (): void => {
      this.isFromCache = true;
      call.onCacheHit?.();
    };
    this.call = { ...call, onCacheHit };
  }
}
