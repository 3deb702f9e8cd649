import { type Client, mergePatch, type ObjectToWrite } from "@keelson/client";
import { deepEqual, draft, formatJson, type KubeObject, parseJson, type Resource } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { Job } from "@keelson/core/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { applyOwned } from "../../src/object/apply-owned.ts";
import { type CacheLab, type CacheWorld, startCacheLab } from "../support/cache-world.ts";

/** A kind with a field of any content. */
interface Tree extends KubeObject {
  readonly spec: { readonly free: unknown; readonly size?: number };
}

const Tree: Resource<Tree> = {
  group: "trees.example.com",
  version: "v1",
  kind: "Tree",
  plural: "trees",
  scope: "Namespaced",
};

const definition: ObjectToWrite<CustomResourceDefinition> = {
  metadata: { name: "trees.trees.example.com" },
  spec: {
    group: Tree.group,
    scope: "Namespaced",
    names: { kind: "Tree", plural: "trees", singular: "tree", listKind: "TreeList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  size: { type: "integer" },
                },
              },
            },
          },
        },
      },
    ],
  },
};

let lab: CacheLab;

beforeAll(async () => {
  lab = await startCacheLab();
  await lab.admin.create(CustomResourceDefinition, definition);
  await vi.waitUntil(() => isServed(lab.admin), { timeout: 10_000 });
});
afterAll(async () => {
  await lab?.stop();
});

async function isServed(client: Client): Promise<boolean> {
  return client.list(Tree).then(
    () => true,
    () => false,
  );
}

const tree = (namespace: string, name: string, spec: Tree["spec"]) => ({
  metadata: { namespace, name },
  spec,
});

const namesIn = async ({ client, namespace }: CacheWorld): Promise<readonly string[]> =>
  (await client.list(Tree, { namespace })).items.map(({ metadata }) => metadata.name ?? "").sort();

/** JSON of so many levels. */
const nested = (levels: number, inner = "1"): unknown =>
  parseJson(`${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`);

describe("an object that is nested deeper than the stack", () => {
  it("[IN18] is read, listed and watched like every other one", async () => {
    const world = await lab.world();
    const { namespace, client, cache } = world;
    const free = nested(6_000);
    await lab.admin.create(Tree, tree(namespace, "small", { free: { a: 1 } }));
    await lab.admin.create(Tree, tree(namespace, "deep", { free }));
    world.start();
    expect(await namesIn(world)).toEqual(["deep", "small"]);
    const found = await client.get(Tree, { namespace, name: "deep" });
    expect(deepEqual(found.spec.free, free)).toBe(true);
    expect(deepEqual(draft(found).spec, { free })).toBe(true);
    const seen: string[] = [];
    cache.acquire(Tree).subscribe(({ key }) => {
      seen.push(key.name);
    });
    await expect.poll(() => seen.toSorted()).toEqual(["deep", "small"]);
    await client.patch(Tree, { namespace, name: "deep" }, mergePatch({ metadata: { labels: { app: "x" } } }));
    expect((await client.get(Tree, { namespace, name: "deep" })).metadata.labels).toEqual({ app: "x" });
    expect(await namesIn(world)).toEqual(["deep", "small"]);
  });

  it("is applied as an owned object, and a second time it writes nothing", async () => {
    const { namespace, client, requestsSince, start } = await lab.world();
    start();
    const object = await lab.admin.create(Tree, tree(namespace, "owner", { free: {} }));
    const owner = { resource: Tree, object };
    const desired = tree(namespace, "owned", { free: nested(1_500) });
    await applyOwned(client, owner, Tree, desired, { fieldOwner: "test" });
    requestsSince();
    await applyOwned(client, owner, Tree, desired, { fieldOwner: "test" });
    expect(requestsSince().filter((request) => !request.startsWith("GET"))).toEqual([]);
  });
});

describe("an integer that a number would round", () => {
  const large = 9007199254740993n;
  const text = '{"a":[9007199254740993,-9223372036854775808],"b":"9007199254740993"}';

  it("[IN24] is a bigint in what is read, and comes back unchanged when it is written", async () => {
    const world = await lab.world();
    const { namespace, client } = world;
    world.start();
    const key = { namespace, name: "large" };
    await client.create(Tree, tree(namespace, "large", { free: parseJson(text) }));
    await expect.poll(() => world.cache.ownWritesHeld).toBe(0);
    const read = await client.get(Tree, key);
    expect(read.spec.free).toEqual({ a: [large, -9223372036854775808n], b: "9007199254740993" });
    const written = await client.update(Tree, {
      ...draft(read),
      metadata: { ...read.metadata, labels: { a: "b" } },
    });
    expect(formatJson(written.spec.free)).toBe(text);
    await client.patch(Tree, key, mergePatch({ spec: { free: { c: large } } }));
    await client.apply(Tree, tree(namespace, "large", { free: { d: [large] } }), { fieldOwner: "test" });
    await expect.poll(() => world.cache.ownWritesHeld).toBe(0);
    const { free } = (await client.get(Tree, key)).spec;
    expect(free).toEqual({ ...Object(parseJson(text)), c: large, d: [large] });
    const live = await lab.admin.get(Tree, key);
    expect(formatJson(live.spec.free)).toBe(formatJson(free));
  });

  it("[IN24] stays in a field of a built-in kind", async () => {
    const { namespace, client, start } = await lab.world();
    start();
    const body = parseJson(
      formatJson({
        metadata: { namespace, name: "web" },
        spec: {
          suspend: true,
          activeDeadlineSeconds: large,
          template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "web" }] } },
        },
      }),
    );
    await client.create(Job, Object(body));
    await client.patch(Job, { namespace, name: "web" }, mergePatch({ metadata: { labels: { a: "b" } } }));
    const { spec } = await lab.admin.get(Job, { namespace, name: "web" });
    expect(String(spec?.activeDeadlineSeconds)).toBe("9007199254740993");
  });
});
