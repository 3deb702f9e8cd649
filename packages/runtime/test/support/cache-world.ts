import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import { systemClock, type Transport } from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { type Cluster, type FaultyTransport, faultyTransport, startCluster } from "@keelson/testkit";
import { expect, onTestFinished } from "vitest";
import type { CacheSettings } from "../../src/cache/cache-settings.ts";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { InformerCache, type InformerCacheOptions } from "../../src/cache/informer-cache.ts";

/** A control plane, and a client of another writer, which bypasses all faults and caches. */
export interface CacheLab {
  readonly admin: Client;
  world(settings?: CacheSettings, options?: Partial<InformerCacheOptions>): Promise<CacheWorld>;
  stop(): Promise<void>;
}

export interface CacheWorld {
  /** A namespace of its own. */
  readonly namespace: string;
  readonly transport: FaultyTransport;
  /** Goes to the server, through the faults. */
  readonly live: Client;
  readonly cache: InformerCache;
  /** Reads from the cache, writes through the faults. */
  readonly client: Client;
  /** The operations of the cached reads that were sent to the server. */
  readonly staleReads: string[];
  /** Starts the cache. */
  start(): void;
  stop(): Promise<void>;
  /** How many watches with a matching path were ever opened. */
  watches(path: RegExp): number;
  /** The requests other than watches since the last call of this function. */
  requestsSince(): readonly string[];
}

export async function startCacheLab(): Promise<CacheLab> {
  const controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  const transport = realTransport(controlPlane);
  const admin = createClient({ transport });
  let worlds = 0;
  return {
    admin,
    async world(settings = {}, options = {}) {
      worlds += 1;
      const namespace = `lab-${worlds}`;
      await admin.create(Namespace, { metadata: { name: namespace } });
      return makeWorld(namespace, faultyTransport(realTransport(controlPlane)), { settings, ...options });
    },
    async stop() {
      await transport.close();
      await controlPlane.stop();
    },
  };
}

function makeWorld(
  namespace: string,
  transport: FaultyTransport,
  options: Partial<InformerCacheOptions>,
): CacheWorld {
  const live = createClient({ transport });
  const staleReads: string[] = [];
  const onStaleRead = ({ operation }: { readonly operation: string }): unknown => staleReads.push(operation);
  const cache = new InformerCache({ client: live, onStaleRead, ...options });
  const controller = new AbortController();
  let run = Promise.resolve();
  let seen = 0;
  const stop = async (): Promise<void> => {
    controller.abort();
    await run;
  };
  onTestFinished(async () => {
    await stop();
    expect(transport.openStreams).toEqual([]);
    await transport.close();
  });
  return {
    namespace,
    transport,
    live,
    cache,
    client: cachedClient(live, cache),
    staleReads,
    start: () => {
      run = cache.run(controller.signal);
    },
    stop,
    watches: (path) =>
      transport.requests.filter((request) => isWatch(request) && path.test(request.path)).length,
    requestsSince: () => {
      const requests = transport.requests.filter((request) => !isWatch(request));
      const fresh = requests.slice(seen).map(({ method, path }) => `${method} ${path}`);
      seen = requests.length;
      return fresh;
    },
  };
}

function isWatch({ query }: { readonly query: Readonly<Record<string, string>> }): boolean {
  return query.watch === "true";
}

function realTransport({ kubeconfig }: Cluster): Transport {
  return httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
}

/** Creates a ConfigMap as another writer. */
export async function createMap(
  admin: Client,
  namespace: string,
  name: string,
  { labels = {}, data = {} }: { labels?: Record<string, string>; data?: Record<string, string> } = {},
): Promise<ConfigMap> {
  return admin.create(ConfigMap, { metadata: { namespace, name, labels }, data });
}
