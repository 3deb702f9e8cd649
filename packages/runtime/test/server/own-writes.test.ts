import { jsonPatch, mergePatch, NotFoundError } from "@keelson/client";
import { type KubeObject, metadataOnly, type Resource, type Stored } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { Scale } from "@keelson/core/kinds/autoscaling/v1";
import { ConfigMap, Namespace, Pod } from "@keelson/core/kinds/core/v1";
import { faults, VirtualClock } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cacheKind } from "../../src/cache/cache-settings.ts";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { TransformError } from "../../src/cache/errors.ts";
import { type CacheLab, type CacheWorld, createMap, startCacheLab } from "../support/cache-world.ts";

let lab: CacheLab;

beforeAll(async () => {
  lab = await startCacheLab();
});
afterAll(async () => {
  await lab?.stop();
});

/** A world whose cache has the maps and receives nothing more until the transport releases the watch. */
async function deafWorld(
  names: readonly string[] = ["web"],
  ...settings: Parameters<CacheLab["world"]>
): Promise<CacheWorld> {
  const world = await lab.world(...settings);
  const { namespace, client } = world;
  for (const name of names) await createMap(lab.admin, namespace, name, { data: { by: "setup" } });
  world.start();
  await expect.poll(() => namesIn(world)).toEqual([...names].sort());
  goDeaf(world);
  return { ...world, client };
}

function goDeaf({ transport }: CacheWorld): void {
  expect(transport.blackholeStreams({ watch: true })).toBeGreaterThan(0);
}

async function namesIn({ client, namespace }: CacheWorld, labelSelector = ""): Promise<readonly string[]> {
  const { items } = await client.list(ConfigMap, { namespace, labelSelector });
  return items.map(({ metadata }) => metadata.name ?? "").sort();
}

/** The network heals: nothing is held any more and reads are the server's. */
async function expectRest({ cache, transport, client, live, namespace }: CacheWorld): Promise<void> {
  transport.releaseAll();
  await expect.poll(() => cache.ownWritesHeld).toBe(0);
  const { items: there } = await live.list(ConfigMap, { namespace });
  const versions = (maps: readonly ConfigMap[]) =>
    maps.map(({ metadata }) => metadata.resourceVersion).sort();
  await expect
    .poll(async () => versions((await client.list(ConfigMap, { namespace })).items))
    .toEqual(versions(there));
}

describe("a read by one informer, woken by another one of the same objects", () => {
  /** What the cached client reads when it learns of a change from the informer of a selection. */
  function readWhenWoken(world: CacheWorld, resource: Resource = ConfigMap): string[] {
    const { cache, client, namespace } = world;
    const reads: string[] = [];
    const informer = cache.acquire(resource, { selection: { namespace, labelSelector: "app=web" } });
    informer.subscribe(async ({ type, key }) => {
      const found = await client.list(ConfigMap, { namespace, fieldSelector: `metadata.name=${key.name}` });
      reads.push(`${type} ${found.items[0]?.data?.by ?? "not found"}`);
    });
    return reads;
  }

  const change = (namespace: string, by: string) =>
    lab.admin.patch(
      ConfigMap,
      { namespace, name: "web" },
      mergePatch({ metadata: { labels: { app: "web" } }, data: { by } }),
    );

  it.each([ConfigMap, metadataOnly(ConfigMap)])(
    "[IN23] includes what woke it, while its own watch is silent: %o",
    async (resource) => {
      const world = await deafWorld(["web"], { readTimeoutMs: 100 });
      const { namespace, transport } = world;
      await change(namespace, "before the informer");
      const reads = readWhenWoken(world, resource);
      await expect.poll(() => reads).toEqual(["create before the informer"]);
      await change(namespace, "afterwards");
      await expect.poll(() => reads.at(-1)).toBe("update afterwards");
      await lab.admin.delete(ConfigMap, { namespace, name: "web" });
      await expect.poll(() => reads.at(-1)).toBe("delete not found");
      transport.releaseAll();
      await expectRest(world);
    },
  );

  it("[IN23] waits for its own watch, and needs no request", async () => {
    const world = await deafWorld();
    const { namespace, transport, staleReads } = world;
    const reads = readWhenWoken(world);
    await change(namespace, "later");
    await expect.poll(() => world.cache.ownWritesHeld).toBe(1);
    expect(reads).toEqual([]);
    transport.releaseAll();
    await expect.poll(() => reads).toEqual(["create later"]);
    expect(staleReads).toEqual([]);
  });

  it("[IN23] is not held up by objects that it has", async () => {
    const world = await lab.world();
    const { namespace } = world;
    await createMap(lab.admin, namespace, "web", { labels: { app: "web" }, data: { by: "setup" } });
    world.start();
    const reads = readWhenWoken(world);
    await expect.poll(() => reads).toEqual(["create setup"]);
    await change(namespace, "change");
    await expect.poll(() => reads).toEqual(["create setup", "update change"]);
    await expect.poll(() => world.cache.ownWritesHeld).toBe(0);
    expect(world.staleReads).toEqual([]);
  });
});

describe("a read after a write, while the watch is silent", () => {
  it("[RW1] [RW5] returns what create, update, patch and apply returned (ReadOwnUpdatesIT)", async () => {
    const world = await deafWorld();
    const { client, namespace, staleReads } = world;
    const key = { namespace, name: "web" };
    const updated = await client.update(ConfigMap, {
      ...(await client.get(ConfigMap, key)),
      data: { by: "update" },
    });
    const { managedFields, ...metadata } = updated.metadata;
    expect(managedFields).toBeDefined();
    expect(await client.get(ConfigMap, key)).toEqual({ ...updated, metadata });
    const patched = await client.patch(ConfigMap, key, mergePatch({ data: { by: "patch" } }));
    expect((await client.get(ConfigMap, key)).metadata.resourceVersion).toBe(
      patched.metadata.resourceVersion,
    );
    await client.apply(ConfigMap, { metadata: key, data: { more: "apply" } }, { fieldOwner: "me" });
    expect((await client.get(ConfigMap, key)).data).toEqual({ by: "patch", more: "apply" });
    await client.create(ConfigMap, { metadata: { namespace, name: "new" }, data: { by: "create" } });
    expect((await client.get(ConfigMap, { namespace, name: "new" })).data).toEqual({ by: "create" });
    expect(staleReads).toEqual([]);
    await expectRest(world);
  });

  it("[RW1] returns a frozen object, the same to every reader, and leaves the response to the writer", async () => {
    const { client, namespace, cache } = await deafWorld();
    const key = { namespace, name: "web" };
    const response = await client.patch(ConfigMap, key, mergePatch({ data: { by: "patch" } }));
    expect(Object.isFrozen(response.data)).toBe(false);
    const read = await client.get(ConfigMap, key);
    expect(Object.isFrozen(read.data)).toBe(true);
    expect(await client.get(ConfigMap, key)).toBe(read);
    expect(cache.peek(ConfigMap, key)).toBe(read);
    expect((await client.list(ConfigMap, { namespace })).items[0]).toBe(read);
  });

  it("[RW1] returns what a write of the status returned, with the spec that it had", async () => {
    const world = await lab.world();
    const { client, namespace } = world;
    world.start();
    await lab.admin.create(Deployment, deployment(namespace));
    await expect.poll(async () => (await client.list(Deployment, { namespace })).items.length).toBe(1);
    goDeaf(world);
    const key = { namespace, name: "web" };
    const written = await client
      .status(Deployment)
      .patch(key, mergePatch({ status: { observedGeneration: 7 } }));
    const read = await client.get(Deployment, key);
    expect(read.metadata.resourceVersion).toBe(written.metadata.resourceVersion);
    expect(read.status?.observedGeneration).toBe(7);
    expect(read.spec?.template.spec?.containers[0]?.name).toBe("main");
  });

  it("[RW1] waits for what only the watch delivers, such as the result of a scale", async () => {
    const world = await lab.world();
    const { client, namespace, transport, staleReads, cache } = world;
    world.start();
    await lab.admin.create(Deployment, deployment(namespace));
    await expect.poll(async () => (await client.list(Deployment, { namespace })).items.length).toBe(1);
    goDeaf(world);
    const key = { namespace, name: "web" };
    await client.subresource(Deployment, "scale", Scale).patch(key, mergePatch({ spec: { replicas: 3 } }));
    expect(cache.peek(Deployment, key)).toBeUndefined();
    const reads = Promise.all([client.get(Deployment, key), client.list(Deployment, { namespace })]);
    transport.releaseAll();
    const [got, { items }] = await reads;
    expect(got.spec?.replicas).toBe(3);
    expect(items[0]?.spec?.replicas).toBe(3);
    expect(staleReads).toEqual([]);
    expect(cache.ownWritesHeld).toBe(0);
  });

  it("[RW1] reads from the server, and counts it, when that takes too long", async () => {
    const world = await lab.world({ readTimeoutMs: 200 });
    const { client, namespace, staleReads } = world;
    world.start();
    await lab.admin.create(Deployment, deployment(namespace));
    await expect.poll(async () => (await client.list(Deployment, { namespace })).items.length).toBe(1);
    goDeaf(world);
    const key = { namespace, name: "web" };
    await client.subresource(Deployment, "scale", Scale).patch(key, mergePatch({ spec: { replicas: 3 } }));
    const { items, metadata } = await client.list(Deployment, { namespace });
    expect(items[0]?.spec?.replicas).toBe(3);
    expect(items[0]?.metadata.managedFields).toBeUndefined();
    expect(metadata.resourceVersion).toMatch(/^\d+$/);
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(3);
    // The server's response is known from now on.
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(3);
    expect(staleReads).toEqual([
      `list deployments.apps ${namespace}`,
      `get deployments.apps ${namespace}/web`,
    ]);
  });

  it("[RW1] reads from the server what is watched and no more", async () => {
    const open = await lab.world();
    const settings = { namespaces: { [open.namespace]: {} } };
    const world = await lab.world({ readTimeoutMs: 200, kinds: [cacheKind(Deployment, settings)] });
    const { namespace } = open;
    const { client, transport } = world;
    world.start();
    await lab.admin.create(Deployment, deployment(namespace));
    await expect.poll(async () => (await client.list(Deployment)).items.length).toBe(1);
    goDeaf(world);
    const key = { namespace, name: "web" };
    await client.subresource(Deployment, "scale", Scale).patch(key, mergePatch({ spec: { replicas: 3 } }));
    const before = transport.requests.length;
    expect((await client.list(Deployment)).items[0]?.spec?.replicas).toBe(3);
    expect(transport.requests.slice(before).map(({ path }) => path)).toEqual([
      `/apis/apps/v1/namespaces/${namespace}/deployments`,
    ]);
  });

  it("[RW1] [IN22] fails with the error of the transform, and not with NotFound; a list goes on", async () => {
    const transform = (map: Stored<ConfigMap>): Stored<ConfigMap> => {
      if (map.data?.bad !== undefined) throw new Error("bad data");
      return map;
    };
    const world = await lab.world({ readTimeoutMs: 200, kinds: [cacheKind(ConfigMap, { transform })] });
    const { client, namespace } = world;
    world.start();
    await client.list(ConfigMap, { namespace });
    goDeaf(world);
    await client.create(ConfigMap, { metadata: { namespace, name: "web" }, data: { bad: "1" } });
    await expect(client.get(ConfigMap, { namespace, name: "web" })).rejects.toThrow(TransformError);
    expect((await client.list(ConfigMap, { namespace })).items).toEqual([]);
  });

  it("[RW1] waits no longer because of writes that come while it waits", async () => {
    const clock = new VirtualClock();
    const world = await lab.world({}, { clock });
    const { client, namespace, staleReads } = world;
    world.start();
    await lab.admin.create(Deployment, deployment(namespace));
    await expect.poll(async () => (await client.list(Deployment, { namespace })).items.length).toBe(1);
    goDeaf(world);
    const key = { namespace, name: "web" };
    const scale = (replicas: number) =>
      client.subresource(Deployment, "scale", Scale).patch(key, mergePatch({ spec: { replicas } }));
    await scale(1);
    const reads = Promise.all([client.get(Deployment, key), client.list(Deployment, { namespace })]);
    await clock.advance(6_000);
    await scale(2);
    await clock.advance(6_000);
    const [got, { items }] = await reads;
    expect([got.spec?.replicas, items[0]?.spec?.replicas]).toEqual([2, 2]);
    expect(staleReads.length).toBe(2);
  });

  it("[RW1] is cancelled by its signal while it waits", async () => {
    const world = await lab.world();
    const { client, namespace } = world;
    world.start();
    await lab.admin.create(Deployment, deployment(namespace));
    await expect.poll(async () => (await client.list(Deployment, { namespace })).items.length).toBe(1);
    goDeaf(world);
    const key = { namespace, name: "web" };
    await client.subresource(Deployment, "scale", Scale).patch(key, mergePatch({ spec: { replicas: 3 } }));
    const controller = new AbortController();
    const read = client.get(Deployment, key, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(read).rejects.toThrow("enough");
  });

  it("[RW4] returns other objects from the cache, without waiting", async () => {
    const { client, namespace, transport } = await deafWorld(["web", "other"]);
    await lab.admin.patch(ConfigMap, { namespace, name: "other" }, mergePatch({ data: { by: "admin" } }));
    await client.patch(ConfigMap, { namespace, name: "web" }, mergePatch({ data: { by: "me" } }));
    expect((await client.get(ConfigMap, { namespace, name: "other" })).data).toEqual({ by: "setup" });
    transport.releaseAll();
    await expect
      .poll(async () => (await client.get(ConfigMap, { namespace, name: "other" })).data)
      .toEqual({ by: "admin" });
  });

  it("[RW1] does not record a dry run", async () => {
    const { client, namespace, cache } = await deafWorld();
    const key = { namespace, name: "web" };
    await client.patch(ConfigMap, key, mergePatch({ data: { by: "me" } }), { dryRun: true });
    await client.delete(ConfigMap, key, { dryRun: true });
    await client.deleteAllOf(ConfigMap, { namespace, dryRun: true });
    expect((await client.get(ConfigMap, key)).data).toEqual({ by: "setup" });
    expect(cache.ownWritesHeld).toBe(0);
  });

  it("[RW1] [RW3] heeds the transform and the metadata-only form of the kind", async () => {
    const shorten = cacheKind(ConfigMap, {
      transform: (map) => ({ ...map, data: { by: map.data?.by ?? "" } }),
    });
    const world = await deafWorld(["web"], { kinds: [shorten] });
    const { client, namespace, transport } = world;
    const key = { namespace, name: "web" };
    const metadata = metadataOnly(ConfigMap);
    transport.releaseAll();
    await client.get(metadata, key);
    goDeaf(world);
    const { metadata: written } = await client.patch(
      ConfigMap,
      key,
      mergePatch({ data: { by: "me", other: "thing" }, metadata: { labels: { app: "web" } } }),
    );
    expect((await client.get(ConfigMap, key)).data).toEqual({ by: "me" });
    const read = await client.get(metadata, key);
    expect(read).not.toHaveProperty("data");
    expect(read.metadata).toMatchObject({ labels: { app: "web" }, resourceVersion: written.resourceVersion });
    await expectRest(world);
  });
});

describe("a read after a delete, while the watch is silent", () => {
  it("[RW2] [RW3] [RW5] does not find the object", async () => {
    const world = await deafWorld(["web", "other"]);
    const { client, namespace, cache } = world;
    const key = { namespace, name: "web" };
    await client.delete(ConfigMap, key);
    await expect(client.get(ConfigMap, key)).rejects.toThrow(NotFoundError);
    expect(cache.peek(ConfigMap, key)).toBeUndefined();
    expect(await namesIn(world)).toEqual(["other"]);
    await expectRest(world);
    await expect(client.get(ConfigMap, key)).rejects.toThrow(NotFoundError);
  });

  it("[RW2] does not find an object whose creation was not delivered either, not even while its events come", async () => {
    const world = await deafWorld([]);
    const { client, namespace, transport, cache } = world;
    const key = { namespace, name: "brief" };
    await client.create(ConfigMap, { metadata: key });
    expect((await client.get(ConfigMap, key)).metadata.name).toBe("brief");
    await client.delete(ConfigMap, key);
    const seen: unknown[] = [];
    cache.acquire(ConfigMap).subscribe(async ({ type, key: changed }) => {
      if (changed.namespace === namespace)
        seen.push(type, await client.get(ConfigMap, key).catch((error: Error) => error.name));
    });
    transport.releaseAll();
    await expect.poll(() => seen).toEqual(["create", "NotFoundError", "delete", "NotFoundError"]);
    await expectRest(world);
  });

  it("[RW2] does not find it either when its events come later than a reader would wait", async () => {
    const clock = new VirtualClock();
    const world = await deafWorld([], {}, { clock });
    const { client, namespace, transport, cache } = world;
    const key = { namespace, name: "brief" };
    await client.create(ConfigMap, { metadata: key });
    await client.delete(ConfigMap, key);
    const seen: unknown[] = [];
    cache.acquire(ConfigMap).subscribe(async ({ type, key: { name } }) => {
      if (name === "brief")
        seen.push(type, await client.get(ConfigMap, key).catch((error: Error) => error.name));
    });
    await clock.advance(30_000);
    transport.releaseAll();
    await expect.poll(() => seen).toEqual(["create", "NotFoundError", "delete", "NotFoundError"]);
    await expectRest(world);
  });

  it("[RW2] does not find an object that had left the informer's selection before and came back", async () => {
    const world = await lab.world({ kinds: [cacheKind(ConfigMap, { labelSelector: "app=web" })] });
    const { client, namespace, transport, cache } = world;
    const key = { namespace, name: "web" };
    await createMap(lab.admin, namespace, "web", { labels: { app: "web" } });
    world.start();
    await expect.poll(() => namesIn(world)).toEqual(["web"]);
    goDeaf(world);
    for (const app of [null, "web"])
      await lab.admin.patch(ConfigMap, key, mergePatch({ metadata: { labels: { app } } }));
    await client.delete(ConfigMap, key);
    const seen: unknown[] = [];
    const subscription = cache.acquire(ConfigMap).subscribe(async ({ type, key: changed }) => {
      if (changed.namespace === namespace)
        seen.push(type, await client.get(ConfigMap, key).catch((error: Error) => error.name));
    });
    await subscription.synced();
    transport.releaseAll();
    const none = "NotFoundError";
    await expect.poll(() => seen).toEqual(["create", none, "delete", none, "create", none, "delete", none]);
  });

  it("[RW2] returns a namespace that is being deleted, also after a delete through its metadata", async () => {
    const world = await lab.world();
    const { client, transport } = world;
    const name = `${world.namespace}-victim`;
    await lab.admin.create(Namespace, { metadata: { name } });
    world.start();
    await client.get(Namespace, { name });
    goDeaf(world);
    await client.delete(metadataOnly(Namespace), { name });
    const read = client.get(Namespace, { name });
    transport.releaseAll();
    expect((await read).status?.phase).toBe("Terminating");
  });

  it("[RW2] of a collection hides objects without finalizers if the remaining ones cannot be listed", async () => {
    const world = await deafWorld(["a", "held"]);
    const { client, namespace, transport } = world;
    const held = { namespace, name: "held" };
    await client.patch(ConfigMap, held, mergePatch({ metadata: { finalizers: ["test.io/held"] } }));
    transport.fault({ method: "GET", watch: false }, faults.refuse("Forbidden"));
    await client.deleteAllOf(ConfigMap, { namespace });
    expect(await namesIn(world)).toEqual(["held"]);
    await lab.admin.patch(ConfigMap, held, mergePatch({ metadata: { finalizers: null } }));
    await expectRest(world);
  });

  it("[RW2] returns an object that a finalizer holds with its deletionTimestamp", async () => {
    const world = await deafWorld();
    const { client, namespace } = world;
    const key = { namespace, name: "web" };
    await client.patch(ConfigMap, key, mergePatch({ metadata: { finalizers: ["test.io/held"] } }));
    await client.delete(ConfigMap, key);
    expect((await client.get(ConfigMap, key)).metadata.deletionTimestamp).toBeDefined();
    await client.patch(ConfigMap, key, jsonPatch([{ op: "remove", path: "/metadata/finalizers" }]));
    await expect(client.get(ConfigMap, key)).rejects.toThrow(NotFoundError);
    expect(await namesIn(world)).toEqual([]);
    await expectRest(world);
  });

  it("[RW2] returns an object of the same name that was created afterwards", async () => {
    const world = await deafWorld();
    const { client, namespace } = world;
    const key = { namespace, name: "web" };
    const old = await client.get(ConfigMap, key);
    await client.delete(ConfigMap, key);
    const made = await client.create(ConfigMap, { metadata: key });
    expect((await client.get(ConfigMap, key)).metadata.uid).toBe(made.metadata.uid);
    expect(made.metadata.uid).not.toBe(old.metadata.uid);
    await expectRest(world);
  });

  it("[RW2] [RW3] finds none of a collection that was deleted, except what a finalizer holds", async () => {
    const world = await deafWorld(["a", "b", "held", "stays"]);
    const { client, namespace, transport } = world;
    for (const name of ["a", "b", "held"])
      await client.patch(
        ConfigMap,
        { namespace, name },
        mergePatch({ metadata: { labels: { app: "web" } } }),
      );
    const held = { namespace, name: "held" };
    await client.patch(ConfigMap, held, mergePatch({ metadata: { finalizers: ["test.io/held"] } }));
    await client.deleteAllOf(ConfigMap, { namespace, labelSelector: "app=web" });
    await expect(client.get(ConfigMap, { namespace, name: "a" })).rejects.toThrow(NotFoundError);
    const reads = Promise.all([namesIn(world), client.get(ConfigMap, held)]);
    transport.releaseAll();
    const [names, map] = await reads;
    expect(names.filter((name) => name !== "kube-root-ca.crt")).toEqual(["held", "stays"]);
    expect(map.metadata.deletionTimestamp).toBeDefined();
    await expectRest(world);
    await lab.admin.patch(ConfigMap, held, mergePatch({ metadata: { finalizers: null } }));
  });

  it("[RW2] [RW3] finds none of a collection if the response to its delete was a Status", async () => {
    const world = await deafWorld(["a", "b"]);
    const { client, namespace, transport } = world;
    await lab.admin.delete(ConfigMap, { namespace, name: "a" });
    const status = { apiVersion: "v1", kind: "Status", status: "Success" };
    const response = {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(status),
    };
    transport.fault({ method: "DELETE" }, { kind: "respond", response: response });
    await client.deleteAllOf(ConfigMap, { namespace, labelSelector: "app=none" });
    await expect(client.get(ConfigMap, { namespace, name: "a" })).rejects.toThrow(NotFoundError);
    expect((await client.get(ConfigMap, { namespace, name: "b" })).metadata.name).toBe("b");
    await expectRest(world);
  });

  it.each([
    ["pod", Pod],
    ["pod of which only the metadata is watched", metadataOnly(Pod)],
  ])("[RW2] returns an evicted %s as the eviction left it", async (_, watched) => {
    const world = await lab.world();
    const { client, namespace } = world;
    const key = { namespace, name: "web" };
    world.start();
    await lab.admin.create(Pod, {
      metadata: key,
      spec: { containers: [{ name: "main", image: "nothing" }], automountServiceAccountToken: false },
    });
    await expect
      .poll(async () => (await client.list<KubeObject>(watched, { namespace })).items.length)
      .toBe(1);
    goDeaf(world);
    const eviction = { group: "policy", version: "v1", kind: "Eviction" };
    await client.subresource(Pod, "eviction", eviction).submit(key, { metadata: key });
    const { items } = await lab.admin.list(Pod, { namespace });
    const read = await client.get<KubeObject>(watched, key).then(
      ({ metadata }) => metadata.deletionTimestamp,
      (error: Error) => error.name,
    );
    expect(read).toBe(items.length === 0 ? "NotFoundError" : items[0]?.metadata.deletionTimestamp);
    expect(read).toBeDefined();
  });
});

describe("a list after a write, while the watch is silent", () => {
  it("[RW3] contains an object that matches now, and not one that matches no more", async () => {
    const world = await deafWorld(["web", "other"]);
    const { client, namespace } = world;
    const label = (name: string, app: string | null) =>
      client.patch(ConfigMap, { namespace, name }, mergePatch({ metadata: { labels: { app } } }));
    await label("web", "shop");
    expect(await namesIn(world, "app=shop")).toEqual(["web"]);
    await label("other", "shop");
    await label("web", null);
    expect(await namesIn(world, "app=shop")).toEqual(["other"]);
    expect(await namesIn(world)).toEqual(["other", "web"]);
    await expectRest(world);
  });

  it("[RW3] selects by index what was written", async () => {
    const world = await deafWorld(["web", "other"]);
    const { client, namespace, cache } = world;
    cache.addIndex(ConfigMap, "data.by", ({ data }) => [data?.by ?? ""]);
    await client.patch(ConfigMap, { namespace, name: "web" }, mergePatch({ data: { by: "me" } }));
    const by = async (value: string) =>
      (await client.list(ConfigMap, { namespace, fieldSelector: `data.by=${value}` })).items.map(
        ({ metadata }) => metadata.name,
      );
    expect(await by("me")).toEqual(["web"]);
    expect(await by("setup")).toEqual(["other"]);
  });

  it("[RW1] [RW3] has an object that a write of its metadata has brought into the informer's selection", async () => {
    const world = await lab.world({
      kinds: [cacheKind(ConfigMap, { labelSelector: "app=web" })],
      readTimeoutMs: 60_000,
    });
    const { client, namespace, transport, staleReads } = world;
    const key = { namespace, name: "joins" };
    const metadata = metadataOnly(ConfigMap);
    await createMap(lab.admin, namespace, "joins");
    world.start();
    expect(await namesIn(world)).toEqual([]);
    expect((await client.list(metadata, { namespace })).items).toEqual([]);
    goDeaf(world);
    const { metadata: written } = await client.patch(
      metadata,
      key,
      mergePatch({ metadata: { labels: { app: "web" } } }),
    );
    expect((await client.get(metadata, key)).metadata.resourceVersion).toBe(written.resourceVersion);
    const whole = client.get(ConfigMap, key);
    transport.releaseAll();
    expect((await whole).metadata.resourceVersion).toBe(written.resourceVersion);
    expect(staleReads).toEqual([]);
  });

  it("[RW3] [RW5] keeps to the informer's own selection", async () => {
    const world = await lab.world({ kinds: [cacheKind(ConfigMap, { labelSelector: "app=web" })] });
    const { client, namespace, cache } = world;
    await createMap(lab.admin, namespace, "in", { labels: { app: "web" } });
    world.start();
    await expect.poll(() => namesIn(world)).toEqual(["in"]);
    goDeaf(world);
    await client.create(ConfigMap, { metadata: { namespace, name: "out" } });
    await expect(client.get(ConfigMap, { namespace, name: "out" })).rejects.toThrow(NotFoundError);
    expect(cache.ownWritesHeld).toBe(0);
    const joined = { namespace, name: "out" };
    await client.patch(ConfigMap, joined, mergePatch({ metadata: { labels: { app: "web" } } }));
    expect(await namesIn(world)).toEqual(["in", "out"]);
    const left = { namespace, name: "in" };
    await client.patch(ConfigMap, left, mergePatch({ metadata: { labels: { app: "other" } } }));
    await expect(client.get(ConfigMap, left)).rejects.toThrow(NotFoundError);
    expect(await namesIn(world)).toEqual(["out"]);
    world.transport.releaseAll();
    await expect.poll(() => cache.ownWritesHeld).toBe(0);
    expect(await namesIn(world)).toEqual(["out"]);
  });
});

describe("a write of another client", () => {
  it("[RW6] that is later than ours wins (ExternalUpdateDuringOwnUpdateIT)", async () => {
    const world = await deafWorld();
    const { client, namespace, transport } = world;
    const key = { namespace, name: "web" };
    await client.patch(ConfigMap, key, mergePatch({ data: { by: "me" } }));
    await lab.admin.patch(ConfigMap, key, mergePatch({ data: { by: "admin" } }));
    expect((await client.get(ConfigMap, key)).data).toEqual({ by: "me" });
    transport.releaseAll();
    await expect.poll(async () => (await client.get(ConfigMap, key)).data).toEqual({ by: "admin" });
    await expectRest(world);
  });

  it("[RW6] that comes through the watch before our response is not hidden by the response", async () => {
    const world = await deafWorld();
    const { client, namespace, transport, cache } = world;
    const key = { namespace, name: "web" };
    transport.releaseAll();
    transport.fault({ method: "PATCH" }, { kind: "holdResponse" });
    const write = client.patch(ConfigMap, key, mergePatch({ data: { by: "me" } }));
    await expect.poll(async () => (await lab.admin.get(ConfigMap, key)).data).toEqual({ by: "me" });
    await lab.admin.patch(ConfigMap, key, mergePatch({ data: { by: "admin" } }));
    await expect.poll(async () => (await client.get(ConfigMap, key)).data).toEqual({ by: "admin" });
    transport.releaseAll();
    expect((await write).data).toEqual({ by: "me" });
    expect((await client.get(ConfigMap, key)).data).toEqual({ by: "admin" });
    expect(cache.ownWritesHeld).toBe(0);
  });

  it("[RW6] to the spec is seen together with our status (SpecChangeDuringStatusPatchIT)", async () => {
    const world = await lab.world();
    const { client, namespace, transport, cache } = world;
    world.start();
    await lab.admin.create(Deployment, deployment(namespace));
    await expect.poll(async () => (await client.list(Deployment, { namespace })).items.length).toBe(1);
    goDeaf(world);
    const key = { namespace, name: "web" };
    await lab.admin.patch(Deployment, key, mergePatch({ spec: { minReadySeconds: 5 } }));
    await client.status(Deployment).patch(key, mergePatch({ status: { observedGeneration: 1 } }));
    const read = await client.get(Deployment, key);
    expect(read.spec?.minReadySeconds).toBe(5);
    expect(read.status?.observedGeneration).toBe(1);
    transport.releaseAll();
    await expect.poll(() => cache.ownWritesHeld).toBe(0);
  });

  it("[RW2] [RW6] that deletes the object during our write ends it (DeletionDuringStatusUpdateIT)", async () => {
    const world = await deafWorld();
    const { client, namespace, transport } = world;
    const key = { namespace, name: "web" };
    await client.patch(ConfigMap, key, mergePatch({ data: { by: "me" } }));
    await lab.admin.delete(ConfigMap, key);
    expect((await client.get(ConfigMap, key)).data).toEqual({ by: "me" });
    transport.releaseAll();
    await expect.poll(() => namesIn(world)).toEqual([]);
    await expect(client.get(ConfigMap, key)).rejects.toThrow(NotFoundError);
    await expectRest(world);
  });
});

describe("writes to several kinds and informers", () => {
  it("[RW1] [RW4] are read of a secondary kind as of the first (OwnSecondaryUpdateIT)", async () => {
    const world = await deafWorld();
    const { client, namespace, transport, cache } = world;
    transport.releaseAll();
    await client.list(Deployment, { namespace });
    goDeaf(world);
    await client.create(Deployment, deployment(namespace));
    await client.patch(ConfigMap, { namespace, name: "web" }, mergePatch({ data: { by: "me" } }));
    expect((await client.get(Deployment, { namespace, name: "web" })).spec?.replicas).toBe(0);
    expect((await client.get(ConfigMap, { namespace, name: "web" })).data).toEqual({ by: "me" });
    transport.releaseAll();
    await expect.poll(() => cache.ownWritesHeld).toBe(0);
  });

  it("[RW1] reach a second client of the same cache", async () => {
    const { client, namespace, cache, live } = await deafWorld();
    const key = { namespace, name: "web" };
    await client.patch(ConfigMap, key, mergePatch({ data: { by: "me" } }));
    expect((await cachedClient(live, cache).get(ConfigMap, key)).data).toEqual({ by: "me" });
  });

  it("[RW1] from before the kind was watched hold for an informer that begins with an old list", async () => {
    const world = await lab.world({ readTimeoutMs: 2_000 });
    const { client, namespace, live } = world;
    world.start();
    const old = await live.list(ConfigMap, { namespace });
    const body = `${JSON.stringify(old)}\n`;
    await client.create(ConfigMap, { metadata: { namespace, name: "web" } });
    beginWith(world, body);
    expect((await client.get(ConfigMap, { namespace, name: "web" })).metadata.name).toBe("web");
  });

  it("[RW2] that deleted an object before the kind was watched hide it from an informer with an old list", async () => {
    const world = await lab.world();
    const { client, namespace, live } = world;
    const key = { namespace, name: "web" };
    await createMap(lab.admin, namespace, "web");
    world.start();
    const body = `${JSON.stringify(await live.list(ConfigMap, { namespace }))}\n`;
    await client.delete(ConfigMap, key);
    beginWith(world, body);
    const seen: unknown[] = [];
    world.cache.acquire(ConfigMap).subscribe(async ({ type, key: changed }) => {
      if (changed.name === "web")
        seen.push(type, await client.get(ConfigMap, key).catch((error: Error) => error.name));
    });
    await expect.poll(() => seen).toEqual(["create", "NotFoundError", "delete", "NotFoundError"]);
  });
});

/** The next informer of config maps begins with a list of which this is the body. */
function beginWith({ transport }: CacheWorld, body: string): void {
  transport.fault({ query: { sendInitialEvents: "true" } }, { kind: "respond", response: invalid() });
  transport.fault(
    { watch: false, path: /configmaps$/, query: { resourceVersion: "0" } },
    { kind: "respond", response: { status: 200, headers: { "content-type": "application/json" }, body } },
  );
}

/** The response of a server without watch-lists. */
function invalid(): { status: number; headers: Record<string, string>; body: string } {
  const status = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "Invalid", code: 422 };
  const headers = { "content-type": "application/json" };
  return {
    status: 422,
    headers,
    body: `${JSON.stringify({ ...status, message: "sendInitialEvents is forbidden" })}\n`,
  };
}

function deployment(namespace: string) {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "nothing" }] } };
  return {
    metadata: { namespace, name: "web" },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}
