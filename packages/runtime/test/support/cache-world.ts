import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import { systemClock, type Transport } from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { type Cluster, type FaultyTransport, faultyTransport, startCluster } from "@keelson/testkit";
import { expect, onTestFinished } from "vitest";
import type { CacheSettings } from "../../src/cache/cache-settings.ts";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { InformerCache, type InformerCacheOptions } from "../../src/cache/informer-cache.ts";

/** A control plane, and a client that writes past all faults and caches: a third party. */
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
  /** The operations of reads that the server had to answer. */
  readonly staleReads: string[];
  /** Runs the cache. Without this it does not. */
  start(): void;
  stop(): Promise<void>;
  /** How many watches were ever opened, and of what. */
  watches(path: RegExp): number;
  /** How many requests other than watches were made since the last call of this. */
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
      const others = transport.requests.filter((request) => !isWatch(request));
      const fresh = others.slice(seen).map(({ method, path }) => `${method} ${path}`);
      seen = others.length;
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

/** A config map, as the third party makes it. */
export async function createMap(
  admin: Client,
  namespace: string,
  name: string,
  { labels = {}, data = {} }: { labels?: Record<string, string>; data?: Record<string, string> } = {},
): Promise<ConfigMap> {
  return admin.create(ConfigMap, { metadata: { namespace, name, labels }, data });
}
