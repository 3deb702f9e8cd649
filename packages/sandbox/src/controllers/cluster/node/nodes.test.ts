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

const taintsOf = (name = "n1") =>
  (world.get(Node, { name })?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const pod = () => world.get(Pod, { namespace: "shop", name: "web" });

async function runPod(tolerationSeconds: number): Promise<void> {
  const tolerations = [
    { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds },
  ] as const;
  await world.create(Pod, podNamed("web", { spec: { nodeName: "n1", tolerations } }));
  const status = runningStatus("10.0.0.1");
  await world.change(Pod, { namespace: "shop", name: "web" }, (object) => ({ ...object, status }), "status");
}

/** Lets time pass while the node n2 renews its Lease. */
async function advanceWithHeartbeats(ms: number): Promise<void> {
  const key = { namespace: "kube-node-lease", name: "n2" };
  if (world.get(Lease, key) === undefined) {
    await world.create(Node, readyNode("n2"));
    await world.create(Lease, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: key });
  }
  for (let left = ms; left > 0; left -= 15_000) {
    await world.clock.advance(Math.min(left, 15_000));
    await world.change(Lease, key, (lease) => ({ ...lease, spec: { leaseTransitions: left } }));
  }
}

async function reportReady(name: string, status: "True" | "False"): Promise<void> {
  const conditions = [{ type: "Ready", status, reason: "Test", message: "" }];
  await world.change(
    Node,
    { name },
    (node) => ({ ...node, status: { ...node.status, conditions } }),
    "status",
  );
  await world.settle();
}

describe("nodes", () => {
  it("that fall silent become unknown, are tainted, and lose their pods after the tolerated time", async () => {
    await runPod(300);
    await advanceWithHeartbeats(45_000);
    expect(taintsOf()).toEqual([]);
    await advanceWithHeartbeats(15_000);
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
    await advanceWithHeartbeats(300_000);
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

  it("that report that they are not ready are tainted, and their pods stay ready", async () => {
    await world.create(Node, readyNode("n2"));
    await runPod(300);
    await reportReady("n1", "False");
    expect(taintsOf()).toEqual([
      "node.kubernetes.io/not-ready:NoSchedule",
      "node.kubernetes.io/not-ready:NoExecute",
    ]);
    expect(pod()?.status?.conditions?.[0]).toMatchObject({ type: "Ready", status: "True" });
    expect(world.events()).not.toContain("Pod web: Warning NodeNotReady Node is not ready");
  });

  it("that are all not ready evict no pods until one is ready again", async () => {
    await world.create(Node, readyNode("n2"));
    await reportReady("n1", "False");
    expect(taintsOf("n1")).toContain("node.kubernetes.io/not-ready:NoExecute");
    await reportReady("n2", "False");
    expect(taintsOf("n1")).toEqual(["node.kubernetes.io/not-ready:NoSchedule"]);
    expect(taintsOf("n2")).toEqual(["node.kubernetes.io/not-ready:NoSchedule"]);
    await reportReady("n2", "True");
    expect(taintsOf("n1")).toContain("node.kubernetes.io/not-ready:NoExecute");
    expect(taintsOf("n2")).toEqual([]);
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
