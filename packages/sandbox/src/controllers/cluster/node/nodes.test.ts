import { Lease } from "@keelson/core/kinds/coordination/v1";
import { Namespace, Node, Pod } from "@keelson/core/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ClusterWorld,
  clusterWorld,
  namespaceNamed,
  podNamed,
  readyNode,
  runningStatus,
} from "../../../../test/support/cluster-world.ts";
import { nodeLifecycle } from "./node-lifecycle.ts";
import { startPodGarbageCollector } from "./pod-garbage-collector.ts";
import { startTaintEviction } from "./taint-eviction.ts";

let world: ClusterWorld;
beforeEach(async () => {
  world = clusterWorld([nodeLifecycle(), startTaintEviction, startPodGarbageCollector]);
  await world.create(Namespace, namespaceNamed("shop"));
  await world.create(Namespace, namespaceNamed("kube-node-lease"));
  await world.create(Node, readyNode("n1"));
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

const taintsOf = () =>
  (world.get(Node, { name: "n1" })?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const pod = () => world.get(Pod, { namespace: "shop", name: "web" });

async function runPod(tolerationSeconds: number): Promise<void> {
  const tolerations = [
    { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds },
  ] as const;
  await world.create(Pod, podNamed("web", { spec: { nodeName: "n1", tolerations } }));
  const status = runningStatus("10.0.0.1");
  await world.change(Pod, { namespace: "shop", name: "web" }, (object) => ({ ...object, status }), "status");
}

describe("nodes", () => {
  it("that fall silent become unknown, are tainted, and lose their pods after the tolerated time", async () => {
    await runPod(300);
    await world.clock.advance(45_000);
    expect(taintsOf()).toEqual([]);
    await world.clock.advance(15_000);
    const ready = world.get(Node, { name: "n1" })?.status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect(taintsOf()).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect(pod()?.status?.conditions?.[0]).toMatchObject({ type: "Ready", status: "False" });
    expect(pod()?.metadata.deletionTimestamp).toBeUndefined();
    await world.clock.advance(300_000);
    expect(pod()?.metadata.deletionTimestamp).toBeDefined();
    expect(pod()?.status?.conditions?.at(-1)).toMatchObject({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    });
    expect(world.events()).toContain("Node n1: Normal NodeNotReady Node n1 status is now: NodeNotReady");
    expect(world.events()).toContain(
      "Node n1: Normal RegisteredNode Node n1 event: Registered Node n1 in Controller",
    );
  });

  it("without heartbeats become Unknown after the configured grace period", async () => {
    const impatient = clusterWorld([nodeLifecycle({ graceMs: 5_000, periodMs: 500 })]);
    await impatient.create(Node, readyNode("n1"));
    await impatient.clock.advance(5_600);
    expect(impatient.get(Node, { name: "n1" })?.status?.conditions?.[0]?.status).toBe("Unknown");
    await impatient.stop();
  });

  it("stay ready as long as their Lease is renewed", async () => {
    const key = { namespace: "kube-node-lease", name: "n1" };
    await world.create(Lease, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: key });
    for (let round = 0; round < 12; round++) {
      await world.clock.advance(10_000);
      await world.change(Lease, key, (lease) => ({ ...lease, spec: { leaseTransitions: round } }));
    }
    expect(taintsOf()).toEqual([]);
  });

  it("lose their taints when they are heard of again", async () => {
    await world.clock.advance(60_000);
    expect(taintsOf()).not.toEqual([]);
    const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-01T00:02:00Z" }];
    await world.change(
      Node,
      { name: "n1" },
      (node) => ({ ...node, status: { ...node.status, conditions } }),
      "status",
    );
    expect(taintsOf()).toEqual([]);
  });

  it("that are cordoned get the taint that says so", async () => {
    await world.change(Node, { name: "n1" }, (node) => ({
      ...node,
      spec: { ...node.spec, unschedulable: true },
    }));
    expect(taintsOf()).toEqual(["node.kubernetes.io/unschedulable:NoSchedule"]);
  });

  it("that are deleted leave pods which go after 40 seconds", async () => {
    await runPod(300);
    await world.remove(Node, { name: "n1" });
    await world.clock.advance(39_000);
    expect(pod()).toBeDefined();
    await world.clock.advance(2_000);
    expect(pod()).toBeUndefined();
  });

  it("that never were leave each pod which is bound to them 40 seconds, however long they are missed", async () => {
    for (const name of ["first", "second"]) {
      const key = { namespace: "shop", name };
      await world.create(Pod, podNamed(name, { spec: { nodeName: "never-made" } }));
      await world.clock.advance(39_000);
      expect(world.get(Pod, key)).toBeDefined();
      await world.clock.advance(60_000);
      expect(world.get(Pod, key)).toBeUndefined();
    }
  });
});
