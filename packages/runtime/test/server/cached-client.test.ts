import {
  InvalidCallError,
  inNamespace,
  mergePatch,
  NotFoundError,
  RequestTimeoutError,
} from "@keelson/client";
import { genericResource, type KubeList, metadataOnly, type Resource } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CacheNotStartedError,
  CacheStoppedError,
  FieldNotIndexedError,
  NamespaceNotCachedError,
  ResourceNotCachedError,
} from "../../src/cache/errors.ts";
import { type CacheLab, type CacheWorld, createMap, startCacheLab } from "../support/cache-world.ts";

let lab: CacheLab;

beforeAll(async () => {
  lab = await startCacheLab();
});
afterAll(async () => {
  await lab?.stop();
});

/** A running cache of maps that are as the test wants them. */
async function worldWith(
  maps: Readonly<Record<string, Record<string, string>>>,
  ...settings: Parameters<CacheLab["world"]>
): Promise<CacheWorld> {
  const world = await lab.world(...settings);
  const { namespace, client } = world;
  for (const [name, labels] of Object.entries(maps)) await createMap(lab.admin, namespace, name, { labels });
  world.start();
  await expect
    .poll(() => client.list(ConfigMap, { namespace }).then(({ items }) => items.length))
    .toBe(Object.keys(maps).length);
  return world;
}

async function allPages(pages: AsyncIterable<KubeList<ConfigMap>>): Promise<readonly unknown[]> {
  const names: unknown[] = [];
  for await (const page of pages) names.push(...namesOf(page));
  return names;
}

const namesOf = ({ items }: { readonly items: readonly ConfigMap[] }): readonly (string | undefined)[] =>
  items.map(({ metadata }) => metadata.name).sort();

describe("a read", () => {
  it("[IN1] [IN16] of a kind without an informer starts one watch, which serves all further reads", async () => {
    const world = await lab.world();
    const { client, namespace, watches } = world;
    await createMap(lab.admin, namespace, "web");
    world.start();
    const reads = Array.from({ length: 5 }, () => client.get(ConfigMap, { namespace, name: "web" }));
    const [first, ...rest] = await Promise.all(reads);
    for (const other of rest) expect(other).toBe(first);
    await client.list(ConfigMap);
    expect(watches(/configmaps$/)).toBe(1);
    expect(world.requestsSince()).toEqual([]);
  });

  it("[IN16] waits for the sync until its signal aborts", async () => {
    const world = await lab.world();
    const { client, namespace, transport } = world;
    world.start();
    transport.fault({ path: /configmaps$/ }, { kind: "neverRespond" }, { times: 1 });
    const controller = new AbortController();
    const read = client.get(ConfigMap, { namespace, name: "web" }, { signal: controller.signal });
    await expect.poll(() => transport.openStreams.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(read).rejects.toThrow("enough");
    await expect(client.get(ConfigMap, { namespace, name: "x" }, { timeoutMs: 50 })).rejects.toThrow(
      `get configmaps ${namespace}/x: no complete response in 0.05 s`,
    );
  });

  it("[IN16] of a kind without an informer is refused if the settings demand it", async () => {
    const world = await lab.world({ failOnMissingInformer: true });
    const { client, namespace, cache } = world;
    await createMap(lab.admin, namespace, "web");
    world.start();
    const key = { namespace, name: "web" };
    await expect(client.get(ConfigMap, key)).rejects.toThrow(ResourceNotCachedError);
    await expect(client.list(ConfigMap)).rejects.toThrow(
      "list configmaps: no informer watches configmaps and failOnMissingInformer is set",
    );
    expect(world.transport.requests).toEqual([]);
    const lease = cache.acquire(ConfigMap);
    expect((await client.get(ConfigMap, key)).metadata.name).toBe("web");
    await lease.release();
    await expect(client.get(ConfigMap, key)).rejects.toThrow(ResourceNotCachedError);
  });

  it("[IN16] [IN21] of a cache that does not run, or no more, is refused", async () => {
    const world = await lab.world();
    const { client, namespace } = world;
    const key = { namespace, name: "web" };
    await expect(client.get(ConfigMap, key)).rejects.toThrow(CacheNotStartedError);
    world.start();
    const waiting = client.get(Deployment, key);
    await world.stop();
    await expect(waiting).rejects.toThrow(CacheStoppedError);
    await expect(client.get(ConfigMap, key)).rejects.toThrow(CacheStoppedError);
  });

  it("[IN16] of a kind that does not exist ends with its time limit and the reason, also where idle watches end", async () => {
    const missing = genericResource({
      group: "test.keelson.dev",
      version: "v1",
      kind: "Gadget",
      plural: "gadgets",
      scope: "Namespaced",
    });
    for (const settings of [{}, { idleReadMs: 50 }]) {
      const world = await lab.world(settings);
      world.start();
      const read = world.client.get(
        missing,
        { namespace: world.namespace, name: "web" },
        { timeoutMs: 3_000 },
      );
      await expect(read).rejects.toThrow(RequestTimeoutError);
      await expect(read).rejects.toMatchObject({ timeoutMs: 3_000, cause: expect.any(NotFoundError) });
      // A few attempts, ever further apart; one for each 50 ms would be sixty.
      expect(world.watches(/gadgets$/)).toBeLessThanOrEqual(6);
    }
  });

  it("[IN16] continues with another watch when the one that it waits for is released", async () => {
    const world = await lab.world();
    const { client, namespace, transport, cache, watches } = world;
    await createMap(lab.admin, namespace, "web");
    world.start();
    transport.fault({ path: /configmaps$/ }, { kind: "neverRespond" });
    const lease = cache.acquire(ConfigMap);
    const read = client.get(ConfigMap, { namespace, name: "web" });
    await expect.poll(() => watches(/configmaps$/)).toBe(1);
    await lease.release();
    expect((await read).metadata.name).toBe("web");
    expect(watches(/configmaps$/)).toBe(2);
  });

  it("[IN15] of an object that does not exist fails as on the server", async () => {
    const { client, live, namespace } = await worldWith({});
    const resources: readonly Resource[] = [ConfigMap, Deployment, metadataOnly(ConfigMap)];
    for (const resource of resources) {
      const key = { namespace, name: "none" };
      const wanted: unknown = await live.get(resource, key).catch((error: unknown) => error);
      const actual: unknown = await client.get(resource, key).catch((error: unknown) => error);
      if (!(actual instanceof NotFoundError && wanted instanceof NotFoundError)) throw actual;
      expect(actual.message).toBe(wanted.message);
      expect(actual.status).toEqual(wanted.status);
    }
  });

  it("[IN15] that makes no sense fails as without a cache", async () => {
    const { client } = await worldWith({});
    await expect(client.get(ConfigMap, { name: "web" })).rejects.toThrow("lives in a namespace");
    await expect(client.get(Namespace, { name: "" })).rejects.toThrow(InvalidCallError);
  });

  it("[IN18] returns the same frozen object every time", async () => {
    const { client, namespace } = await worldWith({ web: {} });
    const map = await client.get(ConfigMap, { namespace, name: "web" });
    expect(Object.isFrozen(map) && Object.isFrozen(map.metadata)).toBe(true);
    expect((await client.list(ConfigMap, { namespace })).items[0]).toBe(map);
    expect(map.metadata.managedFields).toBeUndefined();
  });

  it("of a resource version or a subresource goes to the server", async () => {
    const world = await worldWith({ web: {} });
    const { client, namespace, requestsSince } = world;
    const key = { namespace, name: "web" };
    await client.get(ConfigMap, key, { resourceVersion: "0" });
    await client.list(ConfigMap, { namespace, resourceVersion: "0" });
    await client.status(Namespace).get({ name: namespace });
    expect(requestsSince()).toEqual([
      `GET /api/v1/namespaces/${namespace}/configmaps/web`,
      `GET /api/v1/namespaces/${namespace}/configmaps`,
      `GET /api/v1/namespaces/${namespace}/status`,
    ]);
  });

  it("of a cluster-scoped kind and of metadata alone works the same", async () => {
    const { client, namespace, watches } = await worldWith({ web: { app: "web" } });
    expect((await client.get(Namespace, { name: namespace })).status?.phase).toBe("Active");
    const partial = await client.get(metadataOnly(ConfigMap), { namespace, name: "web" });
    expect(partial).toMatchObject({ kind: "PartialObjectMetadata", metadata: { labels: { app: "web" } } });
    const list = await client.list(metadataOnly(ConfigMap), { namespace });
    expect(list.kind).toBe("PartialObjectMetadataList");
    expect(list.items).toEqual([partial]);
    expect(watches(/configmaps$/)).toBe(2);
  });

  it("is limited by wrappers of the client as without a cache", async () => {
    const { client, namespace } = await worldWith({ web: {} });
    const limited = inNamespace(client, namespace);
    expect((await limited.get(ConfigMap, { name: "web" })).metadata.namespace).toBe(namespace);
    expect(namesOf(await limited.list(ConfigMap))).toEqual(["web"]);
  });
});

describe("a list", () => {
  it("[IN15] selects by labels and by namespace", async () => {
    const { client, namespace } = await worldWith({ a: { app: "web", tier: "1" }, b: { app: "web" }, c: {} });
    const other = await lab.world();
    await createMap(lab.admin, other.namespace, "far", { labels: { far: namespace, app: "web" } });
    await createMap(lab.admin, namespace, "near", { labels: { far: namespace } });
    await expect
      .poll(async () => namesOf(await client.list(ConfigMap, { labelSelector: `far=${namespace}` })))
      .toEqual(["far", "near"]);
    const select = async (labelSelector: string) =>
      namesOf(await client.list(ConfigMap, { namespace, labelSelector }));
    expect(await select("app=web")).toEqual(["a", "b"]);
    expect(await select("app=web,!tier")).toEqual(["b"]);
    expect(await select("app in (web),tier>0")).toEqual(["a"]);
    expect(namesOf(await client.list(ConfigMap, { namespace }))).toEqual(["a", "b", "c", "near"]);
  });

  it("[IN15] is of the kind's list and has the version of the informer", async () => {
    const { client, namespace, cache } = await worldWith({ a: {} });
    const list = await client.list(ConfigMap, { namespace });
    expect(list).toMatchObject({ apiVersion: "v1", kind: "ConfigMapList" });
    expect(list.metadata).toEqual({ resourceVersion: cache.statuses[0]?.resourceVersion });
    expect((await client.list(Deployment, { namespace })).kind).toBe("DeploymentList");
  });

  it("[IN15] is cut by a limit and cannot be continued", async () => {
    const { client, namespace } = await worldWith({ a: {}, b: {}, c: {} });
    const list = await client.list(ConfigMap, { namespace, limit: 2 });
    expect(list.items.length).toBe(2);
    expect(list.metadata.remainingItemCount).toBe(1);
    expect((await client.list(ConfigMap, { namespace, limit: 3 })).metadata.continue).toBeUndefined();
    await expect(
      client.list(ConfigMap, { namespace, continue: list.metadata.continue ?? "" }),
    ).rejects.toThrow("a cache has no pages");
    await expect(allPages(client.pages(ConfigMap, { namespace, limit: 2 }))).rejects.toThrow(
      InvalidCallError,
    );
    expect(await allPages(client.pages(ConfigMap, { namespace }))).toEqual(["a", "b", "c"]);
  });

  it("[IN14] [IN15] selects by indexes, of which several must all hold", async () => {
    const { client, namespace, cache } = await worldWith({
      a: { app: "web", tier: "1" },
      b: { app: "web", tier: "2" },
      c: {},
    });
    cache.addIndex(ConfigMap, "app", ({ metadata }) => [metadata.labels?.app ?? "none"]);
    cache.addIndex(ConfigMap, "tier", ({ metadata }) => Object.values(metadata.labels ?? {}));
    cache.addIndex(Namespace, "itself", ({ metadata }) => [metadata.name ?? ""]);
    const select = async (fieldSelector: string) =>
      namesOf(await client.list(ConfigMap, { namespace, fieldSelector }));
    expect(await select("app=web")).toEqual(["a", "b"]);
    expect(await select("app=web,tier=2")).toEqual(["b"]);
    expect(await select("app=none,tier=2")).toEqual([]);
    const { items } = await client.list(Namespace, { fieldSelector: `itself=${namespace}` });
    expect(items.map(({ metadata }) => metadata.name)).toEqual([namespace]);
    const same = ({ metadata }: ConfigMap) => [metadata.name ?? ""];
    cache.addIndex(ConfigMap, "same", same);
    cache.addIndex(ConfigMap, "same", same);
    expect(() => cache.addIndex(ConfigMap, "same", () => [])).toThrow(
      "another function is known by this name",
    );
  });

  it("[IN14] [IN22] finds all objects by an index but those that its function cannot handle", async () => {
    const { client, namespace, cache } = await worldWith({ a: { app: "web" }, b: {} });
    const appOf = ({ metadata }: ConfigMap): readonly string[] => {
      if (metadata.labels?.app === undefined) throw new Error("no app");
      return [metadata.labels.app];
    };
    cache.addIndex(ConfigMap, "app", appOf);
    const select = async () => namesOf(await client.list(ConfigMap, { namespace, fieldSelector: "app=web" }));
    expect(await select()).toEqual(["a"]);
    await client.create(ConfigMap, { metadata: { namespace, name: "c" } });
    await client.create(ConfigMap, { metadata: { namespace, name: "d", labels: { app: "web" } } });
    await expect.poll(() => cache.ownWritesHeld).toBe(0);
    expect(await select()).toEqual(["a", "d"]);
    expect(namesOf(await client.list(ConfigMap, { namespace }))).toEqual(["a", "b", "c", "d"]);
    await client.patch(
      ConfigMap,
      { namespace, name: "b" },
      mergePatch({ metadata: { labels: { app: "web" } } }),
    );
    expect(await select()).toEqual(expect.arrayContaining(["a", "b", "d"]));
  });

  it("[IN14] get an index in all informers of a kind, or in none", async () => {
    const { cache, namespace } = await worldWith({});
    const [all, some] = [cache.acquire(ConfigMap), cache.acquire(ConfigMap, { selection: { namespace } })];
    await Promise.all([all.synced(), some.synced()]);
    some.addIndex("app", () => []);
    expect(() => cache.addIndex(ConfigMap, "app", () => [])).toThrow(
      "another function is known by this name",
    );
    expect(() => all.list({ indexed: [{ index: "app", value: "web" }] })).toThrow(FieldNotIndexedError);
  });

  it("[IN15] selects by name and namespace, and by no field that has no index", async () => {
    const { client, namespace } = await worldWith({ a: {}, b: {} });
    const select = async (fieldSelector: string) => namesOf(await client.list(ConfigMap, { fieldSelector }));
    expect(await select(`metadata.namespace=${namespace},metadata.name=a`)).toEqual(["a"]);
    expect(await select(`metadata.namespace=${namespace}`)).toEqual(["a", "b"]);
    expect(await select("metadata.name=a,metadata.name=b")).toEqual([]);
    expect(await select(`metadata.name=a`)).toContain("a");
    await expect(select("data.key=1")).rejects.toThrow(FieldNotIndexedError);
    await expect(select("data.key=1")).rejects.toThrow("add one with addIndex");
    await expect(select("metadata.name!=a")).rejects.toThrow(InvalidCallError);
  });
});

describe("a cache of some namespaces", () => {
  it("[IN17] refuses reads of other namespaces, and lists all of its own", async () => {
    const far = await lab.world();
    const near = await lab.world();
    await createMap(lab.admin, far.namespace, "far");
    await createMap(lab.admin, near.namespace, "near");
    const defaults = { namespaces: { [near.namespace]: {}, [far.namespace]: {} } };
    const { cache, client, namespace, start, watches } = await lab.world({ defaults });
    start();
    expect(namesOf(await client.list(ConfigMap))).toEqual(["far", "near"]);
    expect(namesOf(await client.list(ConfigMap, { namespace: far.namespace }))).toEqual(["far"]);
    expect((await client.get(ConfigMap, { namespace: near.namespace, name: "near" })).metadata.name).toBe(
      "near",
    );
    await expect(client.get(ConfigMap, { namespace, name: "near" })).rejects.toThrow(NamespaceNotCachedError);
    await expect(client.list(ConfigMap, { namespace })).rejects.toThrow(NamespaceNotCachedError);
    expect(watches(/namespaces\/.*\/configmaps$/)).toBe(2);
    expect(watches(/v1\/configmaps$/)).toBe(0);
    const isCovered = (name: string): boolean => cache.coversNamespace(ConfigMap, name);
    expect([near.namespace, far.namespace, namespace].map(isCovered)).toEqual([true, true, false]);
    await client.get(Namespace, { name: namespace });
    const key = { namespace: far.namespace, name: "far" };
    await client.patch(ConfigMap, key, mergePatch({ data: { by: "me" } }));
    expect((await client.get(ConfigMap, key)).data).toEqual({ by: "me" });
  });
});
