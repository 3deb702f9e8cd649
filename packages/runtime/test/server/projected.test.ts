import { InvalidCallError, mergePatch, NotFoundError } from "@keelson/client";
import { projected, type Stored } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { faults } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { cacheKind } from "../../src/cache/cache-settings.ts";
import { ProjectionConflictError, TransformError } from "../../src/cache/errors.ts";
import { controller } from "../../src/controller/builder.ts";
import { controllerFor } from "../../src/controller/key-builder.ts";
import { Manager } from "../../src/manager/manager.ts";
import { defineOperator, operatorCacheKinds } from "../../src/manager/operator.ts";
import { type CacheLab, type CacheWorld, createMap, startCacheLab } from "../support/cache-world.ts";

let lab: CacheLab;

beforeAll(async () => {
  lab = await startCacheLab();
});
afterAll(async () => {
  await lab?.stop();
});

const project = ({ data = {}, metadata: { annotations } }: ConfigMap) => {
  if (data.by === "broken") throw new Error("it is broken");
  return {
    sizes: Object.entries(data).map(([key, text]) => `${key} ${text.length}`),
    metadata: { annotations: annotations ?? {} },
  };
};
const Sizes = projected(ConfigMap, { name: "sizes", project });

const key = (namespace: string, name = "web") => ({ namespace, name });

async function worldWithMap(...settings: Parameters<CacheLab["world"]>): Promise<CacheWorld> {
  const world = await lab.world(...settings);
  await createMap(lab.admin, world.namespace, "web", { labels: { app: "web" }, data: { by: "setup" } });
  world.start();
  return world;
}

describe("a projection of a kind", () => {
  it("[IN26] is read from a cache of its own, beside whole objects and with own writes included", async () => {
    const world = await worldWithMap();
    const { client, namespace, watches, transport, staleReads } = world;
    const read = await client.get(Sizes, key(namespace));
    expect(read).toMatchObject({
      apiVersion: "projected.keelson.dev/sizes",
      metadata: { labels: { app: "web" } },
      sizes: ["by 5"],
    });
    expect(read).not.toHaveProperty("data");
    expect(Object.isFrozen(read)).toBe(true);
    expect((await client.get(ConfigMap, key(namespace))).data).toEqual({ by: "setup" });
    expect(watches(/configmaps$/)).toBe(2);
    const listed = async (labelSelector: string) =>
      (await client.list(Sizes, { namespace, labelSelector })).items.map(({ sizes }) => sizes);
    expect(await listed("app=web")).toEqual([["by 5"]]);
    expect(await listed("app=other")).toEqual([]);
    await expect(client.get(Sizes, key(namespace, "none"))).rejects.toThrow(NotFoundError);

    expect(transport.blackholeStreams({ watch: true })).toBe(2);
    await client.patch(ConfigMap, key(namespace), mergePatch({ data: { by: "a patch" } }));
    await client.create(ConfigMap, { metadata: { namespace, name: "new" }, data: {} });
    expect((await client.get(Sizes, key(namespace))).sizes).toEqual(["by 7"]);
    expect((await client.get(Sizes, key(namespace, "new"))).sizes).toEqual([]);
    await client.delete(ConfigMap, key(namespace, "new"));
    expect(await listed("")).toEqual([["by 7"]]);
    expect(staleReads).toEqual([]);
    transport.releaseAll();
  });

  it("[IN26] is read from the server as well, by a live client and where the watch is late", async () => {
    const world = await worldWithMap({ readTimeoutMs: 50 });
    const { client, live, namespace, cache, transport, staleReads } = world;
    expect((await live.get(Sizes, key(namespace))).sizes).toEqual(["by 5"]);
    expect((await live.list(Sizes, { namespace, labelSelector: "app=web" })).items).toEqual([
      await live.get(Sizes, key(namespace)),
    ]);
    const cached = await client.get(Sizes, key(namespace));
    expect(cached).toEqual(await live.get(Sizes, key(namespace)));
    transport.blackholeStreams({ watch: true });
    const { metadata } = await live.patch(ConfigMap, key(namespace), mergePatch({ data: { by: "a" } }));
    cache.recordWrite(ConfigMap, {
      type: "version",
      key: key(namespace),
      uid: metadata.uid,
      version: metadata.resourceVersion,
    });
    const { items } = await client.list(Sizes, { namespace });
    expect(items.map(({ sizes }) => sizes)).toEqual([["by 1"]]);
    expect((await client.get(Sizes, key(namespace))).sizes).toEqual(["by 1"]);
    expect(staleReads).not.toEqual([]);
    transport.releaseAll();
  });

  it.each([true, false])(
    "[IN26] has projections in events and indexes, watch-lists %s",
    async (useWatchList) => {
      const world = await lab.world();
      const { cache, client, namespace, transport } = world;
      if (!useWatchList) transport.fault({ query: { sendInitialEvents: "true" } }, faults.refuse("Invalid"));
      await createMap(lab.admin, namespace, "web", { data: { by: "setup" } });
      cache.addIndex(Sizes, "size", ({ sizes }) => sizes);
      const events: string[] = [];
      const informer = cache.acquire(Sizes, { selection: { namespace, fieldSelector: "metadata.name=web" } });
      informer.subscribe((event) => {
        const old = event.type === "update" ? [event.old.sizes.join()] : [];
        events.push([event.type, ...old, event.object.sizes.join()].join(" "));
        expect(event.object).not.toHaveProperty("data");
      });
      world.start();
      await expect.poll(() => events).toEqual(["create by 5"]);
      await lab.admin.patch(ConfigMap, key(namespace), mergePatch({ data: { by: "x" } }));
      await expect.poll(() => events.at(-1)).toBe("update by 5 by 1");
      await expect
        .poll(async () => (await client.list(Sizes, { namespace, fieldSelector: "size=by 1" })).items.length)
        .toBe(1);
      await lab.admin.delete(ConfigMap, key(namespace));
      await expect.poll(() => events.at(-1)).toBe("delete by 1");
      expect(informer.statuses[0]?.name).toBe(
        `projection sizes of configmaps in ${namespace} with metadata.name=web`,
      );
    },
  );

  it("[IN22] [IN26] that fails for an object leaves the others readable", async () => {
    const world = await worldWithMap();
    const { client, namespace } = world;
    await createMap(lab.admin, namespace, "broken", { data: { by: "broken" } });
    const names = (items: readonly Stored[]) => items.map(({ metadata }) => metadata.name);
    expect(names((await client.list(Sizes, { namespace })).items)).toEqual(["web"]);
    await expect(client.get(Sizes, key(namespace, "broken"))).rejects.toThrow(TransformError);
    await lab.admin.patch(ConfigMap, key(namespace), mergePatch({ data: { by: "broken" } }));
    await expect
      .poll(() => client.get(Sizes, key(namespace)).catch((error: Error) => error.message))
      .toContain("it is broken");
    await lab.admin.patch(ConfigMap, key(namespace), mergePatch({ data: { by: "fine" } }));
    await expect
      .poll(() => client.get(Sizes, key(namespace)).catch(() => undefined))
      .toMatchObject({ sizes: ["by 4"] });
  });

  it("[IN26] cannot be written", async () => {
    const { client, live, namespace } = await worldWithMap();
    const object = await client.get(Sizes, key(namespace));
    for (const writer of [client, live]) {
      await expect(writer.update(Sizes, object)).rejects.toThrow(InvalidCallError);
      await expect(writer.delete(Sizes, key(namespace))).rejects.toThrow(
        "the projection sizes of ConfigMap can only be read; write with the kind itself",
      );
    }
    expect((await live.get(ConfigMap, key(namespace))).data).toEqual({ by: "setup" });
  });

  it("[IN26] of the same name with another function is refused", async () => {
    const { client, cache, namespace } = await worldWithMap();
    await client.get(Sizes, key(namespace));
    const Other = projected(ConfigMap, { name: "sizes", project: () => ({}) });
    await expect(client.get(Other, key(namespace))).rejects.toThrow(ProjectionConflictError);
    expect(() => cache.acquire(Other)).toThrow("another function is known by this name");
    expect(
      (await client.get(projected(ConfigMap, { name: "sizes", project }), key(namespace))).sizes,
    ).toEqual(["by 5"]);
  });

  it("[IN26] [IN23] is watched by one operator while another one of the same manager has the whole objects", async () => {
    const { live, namespace } = await worldWithMap();
    const seen: string[] = [];
    const whole = defineOperator({
      name: "whole",
      cache: [cacheKind(ConfigMap, { labelSelector: "app=web" })],
      controllers: [
        controller(ConfigMap)
          .named("whole")
          .reconcile(({ object }) => void seen.push(`whole ${object.data?.by}`)),
      ],
    });
    const reducing = defineOperator({
      name: "reducing",
      controllers: [
        controllerFor<string>({ name: "reducing", formatKey: String })
          .watches(Sizes, ({ metadata }) => (metadata.namespace === namespace ? [metadata.name] : []))
          .reconcileKey(async ({ key: name, client }) => {
            const { sizes } = await client.get(Sizes, { namespace, name });
            seen.push(`${name} ${sizes.join()}`);
          }),
      ],
    });
    const manager = new Manager({
      client: live,
      cache: { kinds: operatorCacheKinds([whole, reducing]) },
      metrics: { port: -1 },
      health: { port: -1 },
    });
    for (const operator of [whole, reducing]) await operator.setup(manager);
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    await expect.poll(() => seen).toEqual(expect.arrayContaining(["whole setup", "web by 5"]));
    await createMap(lab.admin, namespace, "unlabelled", { data: { by: "another" } });
    await expect.poll(() => seen).toContain("unlabelled by 7");
    expect(seen).not.toContain("whole another");
    await lab.admin.patch(ConfigMap, key(namespace), mergePatch({ data: { by: "x" } }));
    await expect.poll(() => seen).toEqual(expect.arrayContaining(["whole x", "web by 1"]));
  });
});
