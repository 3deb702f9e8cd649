import { ConfigMap, Namespace, Pod } from "@keelson/core/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ClusterWorld,
  clusterWorld,
  namespaceNamed,
  podNamed,
  runningStatus,
} from "../../../../test/support/cluster-world.ts";
import { startDefaultAccounts } from "../service-accounts.ts";
import { namespaceController } from "./namespace-controller.ts";

let world: ClusterWorld;
beforeEach(async () => {
  world = clusterWorld([namespaceController(), startDefaultAccounts]);
  await world.create(Namespace, namespaceNamed("shop"));
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

const conditionsOf = (): readonly string[] =>
  (world.get(Namespace, { name: "shop" })?.status?.conditions ?? []).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );

describe("the namespace controller", () => {
  it("removes an empty namespace after five seconds", async () => {
    await world.remove(Namespace, { name: "shop" });
    expect(world.get(Namespace, { name: "shop" })?.status?.phase).toBe("Terminating");
    await world.clock.advance(5_000);
    expect(world.get(Namespace, { name: "shop" })).toBeUndefined();
  });

  it("deletes the objects in the namespace first, and reports what remains", async () => {
    const metadata = { name: "held", namespace: "shop", finalizers: ["example.com/hold"] };
    await world.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
    const other = { name: "free", namespace: "shop" };
    await world.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: other });
    await world.remove(Namespace, { name: "shop" });
    await world.clock.advance(5_000);
    expect(world.objects.list(ConfigMap, "shop").map((map) => map.metadata.name)).toEqual(["held"]);
    expect(conditionsOf()).toEqual([
      "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered: All resources successfully discovered",
      "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions: All legacy kube types successfully parsed",
      "NamespaceDeletionContentFailure=False ContentDeleted: All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining=True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
      "NamespaceFinalizersRemaining=True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    ]);
    await world.change(ConfigMap, { namespace: "shop", name: "held" }, (map) => ({
      ...map,
      metadata: { ...map.metadata, finalizers: [] },
    }));
    expect(world.get(Namespace, { name: "shop" })).toBeUndefined();
  });

  it("deletes pods before everything else", async () => {
    await world.create(Pod, podNamed("web", { spec: { nodeName: "n" } }));
    await world.change(
      Pod,
      { namespace: "shop", name: "web" },
      (pod) => ({ ...pod, status: runningStatus("10.0.0.1") }),
      "status",
    );
    const metadata = { name: "settings", namespace: "shop" };
    await world.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata });
    await world.remove(Namespace, { name: "shop" });
    await world.clock.advance(5_000);
    expect(world.get(Pod, { namespace: "shop", name: "web" })?.metadata.deletionTimestamp).toBeDefined();
    expect(world.get(ConfigMap, { namespace: "shop", name: "settings" })).toBeDefined();
    await world.remove(Pod, { namespace: "shop", name: "web" }, { gracePeriodSeconds: 0 });
    expect(world.get(Namespace, { name: "shop" })).toBeUndefined();
  });
});
