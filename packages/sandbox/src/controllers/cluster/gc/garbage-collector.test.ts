import {
  type GenericObject,
  genericResource,
  type OwnerReference,
  ownerReferenceTo,
  type Stored,
} from "@keelson/core";
import { ConfigMap, Secret } from "@keelson/core/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClusterWorld, clusterWorld } from "../../../../test/support/cluster-world.ts";
import { gadget } from "../../../../test/support/writer-world.ts";
import { startGarbageCollector } from "./garbage-collector.ts";

let world: ClusterWorld;
beforeEach(() => {
  world = clusterWorld([startGarbageCollector]);
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

function config(
  name: string,
  ownerReferences: readonly OwnerReference[] = [],
  namespace = "shop",
): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, ownerReferences } };
}

function ownedBy(owner: Stored<ConfigMap>, blockOwnerDeletion = false): OwnerReference {
  return ownerReferenceTo({ resource: ConfigMap, object: owner }, { blockOwnerDeletion });
}

const at = (name: string, namespace = "shop") => ({ namespace, name });
const names = (): readonly (string | undefined)[] =>
  world.objects.list(ConfigMap).map(({ metadata }) => metadata.name);

describe("the garbage collector", () => {
  it("deletes dependents of dependents after their owner", async () => {
    const owner = await world.create(ConfigMap, config("owner"));
    const child = await world.create(ConfigMap, config("child", [ownedBy(owner)]));
    await world.create(ConfigMap, config("grandchild", [ownedBy(child)]));
    expect(names()).toEqual(["child", "grandchild", "owner"]);
    await world.remove(ConfigMap, at("owner"));
    expect(names()).toEqual([]);
  });

  it("keeps a dependent that has another owner, and removes the reference to the deleted one", async () => {
    const first = await world.create(ConfigMap, config("first"));
    const second = await world.create(ConfigMap, config("second"));
    await world.create(ConfigMap, config("child", [ownedBy(first), ownedBy(second)]));
    await world.remove(ConfigMap, at("first"));
    expect(world.get(ConfigMap, at("child"))?.metadata.ownerReferences).toEqual([ownedBy(second)]);
  });

  it("deletes what names an owner that never existed", async () => {
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "ghost", uid: "no-such-uid" };
    await world.create(ConfigMap, config("child", [reference]));
    expect(names()).toEqual([]);
  });

  it("deletes an object whose owner is in another namespace, and records an Event", async () => {
    const owner = await world.create(ConfigMap, config("owner", [], "elsewhere"));
    await world.create(ConfigMap, config("child", [ownedBy(owner)]));
    await world.settle();
    expect(names()).toEqual(["owner"]);
    const { uid } = owner.metadata;
    expect(world.events()).toEqual([
      `ConfigMap child: Warning OwnerRefInvalidNamespace ownerRef [v1/ConfigMap, namespace: shop, name: owner, uid: ${uid}] does not exist in namespace "shop"`,
    ]);
  });

  it("leaves alone what is owned by a kind that is not known", async () => {
    const reference = { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "u" };
    await world.create(ConfigMap, config("child", [reference]));
    expect(names()).toEqual(["child"]);
  });

  it("lets dependents go when the owner is deleted without them", async () => {
    const owner = await world.create(ConfigMap, config("owner"));
    await world.create(ConfigMap, config("child", [ownedBy(owner)]));
    await world.remove(ConfigMap, at("owner"), { propagationPolicy: "Orphan" });
    expect(names()).toEqual(["child"]);
    expect(world.get(ConfigMap, at("child"))?.metadata.ownerReferences).toBeUndefined();
  });

  it("deletes blocking dependents before an owner that is deleted in the foreground", async () => {
    const owner = await world.create(ConfigMap, config("owner"));
    const blocking = config("blocking", [ownedBy(owner, true)]);
    const held = { ...blocking, metadata: { ...blocking.metadata, finalizers: ["example.com/hold"] } };
    await world.create(ConfigMap, held);
    await world.create(ConfigMap, config("other", [ownedBy(owner)]));
    await world.remove(ConfigMap, at("owner"), { propagationPolicy: "Foreground" });
    expect(names()).toEqual(["blocking", "owner"]);
    expect(world.get(ConfigMap, at("owner"))?.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await world.change(ConfigMap, at("blocking"), (object) => ({
      ...object,
      metadata: { ...object.metadata, finalizers: [] },
    }));
    expect(names()).toEqual([]);
  });

  it("does not wait for ever for two that own each other", async () => {
    const one = await world.create(ConfigMap, config("one"));
    const two = await world.create(ConfigMap, config("two", [ownedBy(one, true)]));
    await world.change(ConfigMap, at("one"), (object) => ({
      ...object,
      metadata: { ...object.metadata, ownerReferences: [ownedBy(two, true)] },
    }));
    await world.remove(ConfigMap, at("one"), { propagationPolicy: "Foreground" });
    expect(names()).toEqual([]);
  });

  it("decides about dependents of a custom kind as soon as that kind is known", async () => {
    const gadgets = genericResource({ ...gadget });
    const reference = { apiVersion: "example.com/v1", kind: "Gadget", name: "gone", uid: "u" };
    await world.create(ConfigMap, config("child", [reference]));
    world.registry.replace("gadgets.example.com", [gadget]);
    await world.settle();
    expect(names()).toEqual([]);
    const metadata = { name: "owner", namespace: "shop" };
    const object = { apiVersion: "example.com/v1", kind: "Gadget", metadata };
    const owner = await world.create<GenericObject>(gadgets, object);
    await world.create(ConfigMap, config("child", [ownerReferenceTo({ resource: gadgets, object: owner })]));
    expect(names()).toEqual(["child"]);
    await world.remove(gadgets, at("owner"));
    expect(names()).toEqual([]);
  });

  it("finds dependents of other kinds", async () => {
    const owner = await world.create(ConfigMap, config("owner"));
    const metadata = { name: "key", namespace: "shop", ownerReferences: [ownedBy(owner)] };
    await world.create(Secret, { apiVersion: "v1", kind: "Secret", metadata });
    await world.remove(ConfigMap, at("owner"));
    expect(world.objects.list(Secret)).toEqual([]);
  });
});
