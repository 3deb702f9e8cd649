import { mergePatch, NotFoundError } from "@keelson/client";
import {
  type GenericObject,
  genericResource,
  type KubeObject,
  metadataOnly,
  type Resource,
} from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { ConfigMap, Secret } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allNamespaces, type CacheSettings, cacheKind } from "../../src/cache/cache-settings.ts";
import { CacheReusedError, CacheStoppedError, InformerReleasedError } from "../../src/cache/errors.ts";
import type { InformerEvent } from "../../src/cache/informer/informer.ts";
import { type CacheLab, createMap, startCacheLab } from "../support/cache-world.ts";

let lab: CacheLab;

beforeAll(async () => {
  lab = await startCacheLab();
});
afterAll(async () => {
  await lab?.stop();
});

/** A kind that no server knows: its informer never syncs. */
const unserved = genericResource({
  group: "unserved.example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  scope: "Namespaced",
});

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? "";

describe("informers", () => {
  it("[IN1] are shared by all users of the same objects, and only by them", async () => {
    const { cache, namespace, watches, start } = await lab.world();
    await createMap(lab.admin, namespace, "web", { labels: { app: "web" } });
    const leases = [
      cache.acquire(ConfigMap),
      cache.acquire(ConfigMap),
      cache.acquire(ConfigMap, { selection: { labelSelector: "a=1,b=2" } }),
      cache.acquire(ConfigMap, { selection: { labelSelector: { matchLabels: { b: "2", a: "1" } } } }),
      cache.acquire(ConfigMap, { selection: { namespace } }),
      cache.acquire(metadataOnly(ConfigMap)),
    ];
    start();
    await Promise.all(leases.map((lease) => lease.synced()));
    expect(watches(/configmaps$/)).toBe(4);
    expect(leases[0]?.get({ namespace, name: "web" })).toBe(leases[1]?.get({ namespace, name: "web" }));
    expect(cache.statuses.map(({ name }) => name).sort()).toEqual([
      "configmaps",
      `configmaps in ${namespace}`,
      "configmaps with a=1,b=2",
      "metadata of configmaps",
    ]);
  });

  it("[IN1] [IN16] end with the last who uses them, unless a read began them", async () => {
    const { cache, client, namespace, transport, start } = await lab.world();
    start();
    const [one, two] = [cache.acquire(ConfigMap), cache.acquire(ConfigMap)];
    await two.synced();
    await one.release();
    await one.release();
    expect(transport.openStreams.length).toBe(1);
    expect(two.list({ namespace })).toEqual([]);
    await two.release();
    await expect.poll(() => transport.openStreams.length).toBe(0);
    expect(() => two.list()).toThrow(InformerReleasedError);
    expect(() => two.subscribe(() => undefined)).toThrow(InformerReleasedError);
    expect(cache.statuses).toEqual([]);
    await client.list(ConfigMap, { namespace });
    const three = cache.acquire(ConfigMap);
    await three.release();
    expect(transport.openStreams.length).toBe(1);
  });

  it("that only reads use end after a time without reads, if the settings demand it", async () => {
    const { client, namespace, transport, start, cache } = await lab.world({ idleReadMs: 100 });
    start();
    await client.list(ConfigMap, { namespace });
    expect(transport.openStreams.length).toBe(1);
    await expect.poll(() => transport.openStreams.length).toBe(0);
    expect(cache.statuses).toEqual([]);
    expect((await client.list(ConfigMap, { namespace })).items).toEqual([]);
  });

  it("stay, in spite of such settings, for those who only peek", async () => {
    const clock = new VirtualClock();
    const { cache, client, namespace, start, transport } = await lab.world({ idleReadMs: 1_000 }, { clock });
    start();
    await client.list(ConfigMap, { namespace });
    for (let times = 0; times < 5; times++) {
      await clock.advance(900);
      cache.peek(ConfigMap, { namespace, name: "web" });
    }
    expect(transport.openStreams.length).toBe(1);
    await clock.advance(1_000);
    await expect.poll(() => transport.openStreams.length).toBe(0);
  });

  it("[MG1] have synced when all of them have, those included that are acquired or released meanwhile", async () => {
    const { cache, start } = await lab.world();
    await cache.synced();
    const [maps, absent] = [cache.acquire(ConfigMap), cache.acquire(unserved)];
    let secrets = false;
    const waiting = cache.synced().then(() => {
      secrets = cache.acquire(Secret).hasSynced;
    });
    const late = maps.synced().then(() => {
      cache.acquire(Secret);
    });
    start();
    await late;
    expect(cache.statuses.map(({ name, hasSynced }) => [name, hasSynced])).toEqual([
      ["configmaps", true],
      ["things.unserved.example.com", false],
      ["secrets", false],
    ]);
    await absent.release();
    await waiting;
    expect(secrets).toBe(true);
  });

  it("have not synced when the signal or the cache ends first", async () => {
    const { cache, start, stop } = await lab.world();
    cache.acquire(unserved);
    start();
    const reason = new Error("enough");
    await expect(cache.synced(AbortSignal.abort(reason))).rejects.toBe(reason);
    const waiting = cache.synced();
    const ended = expect(waiting).rejects.toThrow(CacheStoppedError);
    await stop();
    await ended;
  });

  it("[IN11] deliver nothing any more to the subscribers of a released lease", async () => {
    const { cache, namespace, start } = await lab.world();
    start();
    const events: string[] = [];
    const [released, kept] = [cache.acquire(ConfigMap), cache.acquire(ConfigMap)];
    await released.subscribe(({ key }) => void events.push(key.name)).synced();
    await released.release();
    events.length = 0;
    await createMap(lab.admin, namespace, "late");
    await expect.poll(() => kept.get({ namespace, name: "late" })).toBeDefined();
    expect(events).toEqual([]);
  });

  it("[IN21] run once, and nothing can start after the stop", async () => {
    const { cache, start, stop, transport } = await lab.world();
    start();
    await cache.acquire(ConfigMap).synced();
    await expect(cache.run(new AbortController().signal)).rejects.toThrow(CacheReusedError);
    await stop();
    expect(transport.openStreams).toEqual([]);
    expect(() => cache.acquire(Secret)).toThrow(CacheStoppedError);
    await expect(cache.run(new AbortController().signal)).rejects.toThrow(CacheReusedError);
  });

  it("are peeked at without a start", async () => {
    const { cache, client, namespace, start, transport } = await lab.world();
    await createMap(lab.admin, namespace, "web");
    const key = { namespace, name: "web" };
    expect(cache.peek(ConfigMap, key)).toBeUndefined();
    start();
    expect(cache.peek(ConfigMap, key)).toBeUndefined();
    expect(transport.requests).toEqual([]);
    const map = await client.get(ConfigMap, key);
    expect(cache.peek(ConfigMap, key)).toBe(map);
  });
});

describe("settings", () => {
  /** What of eight maps, of two namespaces and labelled a or b, a cache with these settings holds. */
  async function held(settings: (one: string, two: string) => CacheSettings): Promise<readonly string[]> {
    const [one, two, three] = [await lab.world(), await lab.world(), await lab.world()];
    const places = { one: one.namespace, two: two.namespace, three: three.namespace };
    for (const [place, namespace] of Object.entries(places)) {
      for (const app of ["a", "b"])
        await createMap(lab.admin, namespace, `${place}-${app}`, { labels: { app } });
    }
    const { cache, start } = await lab.world(settings(one.namespace, two.namespace));
    const lease = cache.acquire(ConfigMap);
    start();
    await lease.synced();
    const ours = Object.values(places);
    return lease
      .list()
      .filter(({ metadata }) => ours.includes(metadata.namespace ?? ""))
      .map(nameOf)
      .sort();
  }

  const a = { labelSelector: "app=a" };
  const b = { labelSelector: "app=b" };
  const rows: readonly (readonly [string, (one: string, two: string) => CacheSettings, string])[] = [
    ["nothing: all", () => ({}), "one-a one-b three-a three-b two-a two-b"],
    ["a default selector", () => ({ defaults: a }), "one-a three-a two-a"],
    [
      "a kind before the defaults",
      () => ({ defaults: a, kinds: [cacheKind(ConfigMap, b)] }),
      "one-b three-b two-b",
    ],
    ["another kind", () => ({ kinds: [cacheKind(Secret, b)] }), "one-a one-b three-a three-b two-a two-b"],
    [
      "default namespaces",
      (one, two) => ({ defaults: { namespaces: { [one]: {}, [two]: a } } }),
      "one-a one-b two-a",
    ],
    [
      "default namespaces that fall back to the default selector",
      (one, two) => ({ defaults: { ...b, namespaces: { [one]: {}, [two]: a } } }),
      "one-b two-a",
    ],
    [
      "a kind's selector before that of a default namespace",
      (one, two) => ({ defaults: { namespaces: { [one]: a, [two]: {} } }, kinds: [cacheKind(ConfigMap, b)] }),
      "one-b two-b",
    ],
    [
      "a kind's namespaces instead of the default ones",
      (one, two) => ({
        defaults: { namespaces: { [one]: a } },
        kinds: [cacheKind(ConfigMap, { namespaces: { [two]: {} } })],
      }),
      "two-a two-b",
    ],
    [
      "a kind's namespace that falls back to the default of that namespace",
      (one) => ({
        defaults: { ...b, namespaces: { [one]: a } },
        kinds: [cacheKind(ConfigMap, { namespaces: { [one]: {} } })],
      }),
      "one-a",
    ],
    [
      "all other namespaces beside one",
      (one) => ({ kinds: [cacheKind(ConfigMap, { namespaces: { [one]: a, [allNamespaces]: b } })] }),
      "one-a three-b two-b",
    ],
    [
      "all other namespaces with a field selector of their own",
      (one, two) => ({
        defaults: {
          namespaces: { [one]: {}, [two]: a, [allNamespaces]: { fieldSelector: "metadata.name!=three-a" } },
        },
      }),
      "one-a one-b three-b two-a",
    ],
    [
      "a field selector of a kind",
      () => ({ kinds: [cacheKind(ConfigMap, { fieldSelector: "metadata.name=one-a" })] }),
      "one-a",
    ],
  ];

  it.each(rows)("[IN17] %s", async (_, settings, expected) => {
    expect((await held(settings)).join(" ")).toBe(expected);
  });

  it("[IN12] [IN19] transform the objects of a kind or of all, and keep managedFields on request", async () => {
    const { cache, namespace, start } = await lab.world({
      defaults: {
        transform: (object) => ({ ...object, metadata: { ...object.metadata, annotations: { all: "x" } } }),
      },
      kinds: [
        cacheKind(ConfigMap, {
          transform: (map) => ({ ...map, data: { only: map.data?.only ?? "" } }),
          keepManagedFields: true,
        }),
      ],
    });
    await createMap(lab.admin, namespace, "web", { data: { only: "this", not: "that" } });
    await lab.admin.create(Secret, { metadata: { namespace, name: "web" } });
    const [maps, secrets] = [cache.acquire(ConfigMap), cache.acquire(Secret)];
    start();
    await Promise.all([maps.synced(), secrets.synced()]);
    const key = { namespace, name: "web" };
    expect(maps.get(key)?.data).toEqual({ only: "this" });
    expect(maps.get(key)?.metadata.managedFields).toBeDefined();
    expect(secrets.get(key)?.metadata).toMatchObject({ annotations: { all: "x" } });
    expect(secrets.get(key)?.metadata.managedFields).toBeUndefined();
  });

  it("[IN10] [IN17] make one informer of several namespaces, which syncs when all have", async () => {
    const [one, two] = [await lab.world(), await lab.world()];
    for (const { namespace } of [one, two]) await createMap(lab.admin, namespace, "web");
    const world = await lab.world({ defaults: { namespaces: { [one.namespace]: {}, [two.namespace]: {} } } });
    const { cache, transport, start } = world;
    transport.fault({ path: `/api/v1/namespaces/${two.namespace}/configmaps` }, { kind: "hold" });
    const lease = cache.acquire(ConfigMap);
    const events: InformerEvent<ConfigMap>[] = [];
    const subscription = lease.subscribe((event) => void events.push(event));
    start();
    await expect.poll(() => events.length).toBe(1);
    expect([lease.hasSynced, subscription.hasSynced]).toEqual([false, false]);
    transport.releaseAll();
    await Promise.all([lease.synced(), subscription.synced()]);
    expect(events.map(({ type, key }) => `${type} ${key.namespace}`)).toEqual([
      `create ${one.namespace}`,
      `create ${two.namespace}`,
    ]);
    lease.addIndex("name", ({ metadata }) => [metadata.name ?? ""]);
    expect(lease.list({ indexed: [{ index: "name", value: "web" }] }).length).toBe(2);
    expect(lease.list({ limit: 1 }).length).toBe(1);
    expect(lease.list({ namespace: two.namespace })).toEqual([
      lease.get({ namespace: two.namespace, name: "web" }),
    ]);
    expect(lease.statuses.length).toBe(2);
    await subscription.remove();
    await createMap(lab.admin, one.namespace, "late");
    await expect.poll(() => lease.get({ namespace: one.namespace, name: "late" })).toBeDefined();
    expect(events.length).toBe(2);
  });

  it("[IN13] define the resync of subscribers without a period of their own", async () => {
    const { cache, namespace, start } = await lab.world({ defaults: { resyncMs: 1_000 } });
    await createMap(lab.admin, namespace, "web");
    start();
    let syncs = 0;
    cache.acquire(ConfigMap, { selection: { namespace } }).subscribe((event) => {
      if (event.type === "update" && event.isSync) syncs += 1;
    });
    await expect.poll(() => syncs).toBeGreaterThanOrEqual(1);
  });

  it("[IN13] define a resync about every ten hours by default", async () => {
    const clock = new VirtualClock();
    const { cache, namespace, start } = await lab.world({}, { clock });
    await createMap(lab.admin, namespace, "web");
    start();
    let syncs = 0;
    const lease = cache.acquire(ConfigMap, { selection: { namespace } });
    await lease
      .subscribe((event) => {
        if (event.type === "update" && event.isSync) syncs += 1;
      })
      .synced();
    await clock.advance(0.89 * 36_000_000);
    expect(syncs).toBe(0);
    await clock.advance(0.22 * 36_000_000);
    await expect.poll(() => syncs).toBeGreaterThanOrEqual(1);
  });
});

describe("a kind whose CRD is created and deleted", () => {
  const widgets = genericResource({
    group: "test.keelson.dev",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  });
  const definition = {
    metadata: { name: "widgets.test.keelson.dev" },
    spec: {
      group: "test.keelson.dev",
      scope: "Namespaced",
      names: { kind: "Widget", plural: "widgets" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  } as const;

  async function createWidget(namespace: string, name: string): Promise<GenericObject> {
    let made: GenericObject | undefined;
    await expect
      .poll(
        async () => {
          // An error is tried again, and the last one is reported when the time is over.
          made = await lab.admin.create(widgets, { metadata: { namespace, name } });
          return made;
        },
        { timeout: 20_000 },
      )
      .toBeDefined();
    return made ?? Promise.reject(new Error("no widget"));
  }

  it("[IN16] syncs once the CRD exists, loses its objects with it, and works again with the next", async () => {
    const failures: string[] = [];
    const onInformerError = (error: Error, { plural }: Resource) =>
      void failures.push(`${plural} ${error.name}`);
    const { cache, client, namespace, start } = await lab.world({}, { onInformerError });
    start();
    const lease = cache.acquire(widgets);
    const events: string[] = [];
    lease.subscribe(({ type, object }) => void events.push(`${type} ${nameOf(object)}`));
    await expect.poll(() => failures).toContain("widgets NotFoundError");
    expect(lease.hasSynced).toBe(false);
    await lab.admin.create(CustomResourceDefinition, definition);
    const first = await createWidget(namespace, "first");
    await lease.synced();
    await expect.poll(() => events).toEqual(["create first"]);
    const key = { namespace, name: "first" };
    expect((await client.get(widgets, key)).metadata.uid).toBe(first.metadata.uid);
    // A deletion between the list and the first watch is not delivered before the kind can be listed again.
    await lab.admin.patch(widgets, key, mergePatch({ data: 1 }));
    await expect.poll(() => events).toEqual(["create first", "update first"]);
    await lab.admin.delete(CustomResourceDefinition, { name: definition.metadata.name });
    await expect
      .poll(() => events, { timeout: 20_000 })
      .toEqual(["create first", "update first", "delete first"]);
    await expect
      .poll(
        () =>
          lab.admin
            .get(CustomResourceDefinition, { name: definition.metadata.name })
            .catch((error: unknown) => error),
        { timeout: 20_000 },
      )
      .toBeInstanceOf(NotFoundError);
    await lab.admin.create(CustomResourceDefinition, definition);
    await createWidget(namespace, "second");
    await expect.poll(() => events.at(-1), { timeout: 40_000 }).toBe("create second");
    const next = { namespace, name: "second" };
    await client.patch(widgets, next, mergePatch({ data: 1 }));
    expect((await client.get(widgets, next)).data).toBe(1);
    await expect.poll(() => cache.ownWritesHeld).toBe(0);
  }, 90_000);
});
