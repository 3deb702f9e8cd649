import type { KubeObject, ObjectKey, ObjectMeta, OwnerReference, Resource, Stored } from "@keelson/core";
import { formatKey } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { informerHarness } from "../../test/support/source-harness.ts";
import { stored } from "../../test/support/stored.ts";
import { type EventHandler, enqueueMapped, enqueueOwner, enqueueSelf } from "./handlers.ts";
import type { SourceEvent } from "./source-event.ts";

const WebApp: Resource = {
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
};
const Fleet: Resource = { ...WebApp, kind: "Fleet", plural: "fleets", scope: "Cluster" };

const { context } = informerHarness(ConfigMap);

/** The keys that the handler names, with what it names twice. */
async function keysOf<T extends KubeObject>(
  handler: EventHandler<T, ObjectKey>,
  event: SourceEvent<T>,
): Promise<readonly string[]> {
  return [...(await handler(event, context))].map(formatKey);
}

const child = (ownerReferences: readonly OwnerReference[], metadata: ObjectMeta = {}): Stored =>
  stored({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "shop", name: "child", ownerReferences, ...metadata },
  });

const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "example.com/v1",
  kind: "WebApp",
  name,
  uid: name,
  controller: true,
  ...more,
});

const create = (object: Stored): SourceEvent<KubeObject> => ({
  type: "create",
  key: { namespace: "shop", name: "child" },
  object,
  isInInitialList: false,
});
const update = (old: Stored, object: Stored, isSync = false): SourceEvent<KubeObject> => ({
  type: "update",
  key: { namespace: "shop", name: "child" },
  old,
  object,
  isSync,
});
const remove = (object: Stored, finalStateUnknown = false): SourceEvent<KubeObject> => ({
  type: "delete",
  key: { namespace: "shop", name: "child" },
  object,
  finalStateUnknown,
});

describe("enqueueSelf", () => {
  it("names the object of every event", async () => {
    const object = child([]);
    for (const event of [create(object), update(object, object), remove(object)]) {
      expect(await keysOf(enqueueSelf(), event)).toEqual(["shop/child"]);
    }
    expect(await keysOf(enqueueSelf(), { type: "generic", object })).toEqual(["shop/child"]);
  });

  it("does not look at the object", async () => {
    const unread: SourceEvent<KubeObject> = {
      type: "create",
      key: { name: "node" },
      get object(): Stored {
        throw new Error("the object was parsed");
      },
      isInInitialList: true,
    };
    expect(await keysOf(enqueueSelf(), unread)).toEqual(["node"]);
  });
});

describe("enqueueOwner", () => {
  it("[EV2] enqueues the first owner that is a controller, and no other", async () => {
    const object = child([owner("plain", { controller: false }), owner("first"), owner("second")]);
    expect(await keysOf(enqueueOwner(WebApp), create(object))).toEqual(["shop/first"]);
  });

  it("[EV2] enqueues nothing if the first controller is of another kind", async () => {
    const object = child([owner("other", { kind: "Other" }), owner("web")]);
    expect(await keysOf(enqueueOwner(WebApp), create(object))).toEqual([]);
  });

  it("[EV2] compares group and kind, and not the version", async () => {
    const handler = enqueueOwner(WebApp);
    const otherVersion = child([owner("web", { apiVersion: "example.com/v1beta1" })]);
    const otherGroup = child([owner("web", { apiVersion: "example.org/v1" })]);
    const noGroup = child([owner("web", { apiVersion: "v1" })]);
    expect(await keysOf(handler, create(otherVersion))).toEqual(["shop/web"]);
    expect(await keysOf(handler, create(otherGroup))).toEqual([]);
    expect(await keysOf(handler, create(noGroup))).toEqual([]);
  });

  it("[EV2] enqueues every owner of the kind with everyOwner", async () => {
    const object = child([
      owner("a", { controller: false }),
      owner("b"),
      owner("other", { kind: "Other" }),
      owner("c", { controller: false }),
    ]);
    const keys = await keysOf(enqueueOwner(WebApp, { everyOwner: true }), create(object));
    expect(keys).toEqual(["shop/a", "shop/b", "shop/c"]);
  });

  it("[EV3] seeks a cluster-scoped owner outside of the child's namespace", async () => {
    const object = child([owner("all", { kind: "Fleet" })]);
    const [key] = await enqueueOwner(Fleet)(create(object), context);
    expect(key).toStrictEqual({ name: "all" });
  });

  it("[EV3] names no namespaced owner of an object that is in no namespace", async () => {
    const { namespace: _, ...metadata } = child([owner("web")]).metadata;
    const object: Stored = { apiVersion: "v1", kind: "ConfigMap", metadata };
    expect(await keysOf(enqueueOwner(WebApp), create(object))).toEqual([]);
    const owned: Stored = {
      ...object,
      metadata: { ...metadata, ownerReferences: [owner("all", { kind: "Fleet" })] },
    };
    expect(await keysOf(enqueueOwner(Fleet), create(owned))).toEqual(["all"]);
  });

  it("[EV4] names the owner before an update and the one after it", async () => {
    const event = update(child([owner("old")]), child([owner("new")]));
    expect(await keysOf(enqueueOwner(WebApp), event)).toEqual(["shop/old", "shop/new"]);
  });

  it("[EV5] names the owner of an object whose deletion was not seen", async () => {
    expect(await keysOf(enqueueOwner(WebApp), remove(child([owner("web")]), true))).toEqual(["shop/web"]);
  });
});

describe("enqueueMapped", () => {
  const byLabel = enqueueMapped((object: Stored) => [{ name: object.metadata.labels?.for ?? "" }]);
  const labelled = (name: string) => child([], { labels: { for: name } });

  it("[EV4] maps the old and the new object of an update", async () => {
    expect(await keysOf(byLabel, create(labelled("a")))).toEqual(["a"]);
    expect(await keysOf(byLabel, update(labelled("a"), labelled("b")))).toEqual(["a", "b"]);
    expect(await keysOf(byLabel, remove(labelled("b")))).toEqual(["b"]);
    expect(await keysOf(byLabel, { type: "generic", object: labelled("c") })).toEqual(["c"]);
  });

  it("maps what has not changed once", async () => {
    expect(await keysOf(byLabel, update(labelled("a"), labelled("a"), true))).toEqual(["a"]);
  });

  it("[EV4] maps old and new also if the map looks something up", async () => {
    const later = enqueueMapped(async (object: Stored) => [{ name: object.metadata.labels?.for ?? "" }]);
    expect(await keysOf(later, update(labelled("a"), labelled("b")))).toEqual(["a", "b"]);
    const sometimes = enqueueMapped((object: Stored) => {
      const keys = [{ name: object.metadata.labels?.for ?? "" }];
      return keys[0]?.name === "b" ? Promise.resolve(keys) : keys;
    });
    expect(await keysOf(sometimes, update(labelled("a"), labelled("b")))).toEqual(["a", "b"]);
    expect(await keysOf(sometimes, update(labelled("b"), labelled("a")))).toEqual(["b", "a"]);
  });

  it("passes a client and the signal to the map", async () => {
    const given: unknown[] = [];
    const handler = enqueueMapped((_: KubeObject, { client, signal }) => {
      given.push(client, signal);
      return [];
    });
    await keysOf(handler, create(labelled("a")));
    expect(given).toEqual([context.client, context.signal]);
  });
});
