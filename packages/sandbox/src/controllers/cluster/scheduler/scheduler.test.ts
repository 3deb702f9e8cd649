import { Event, Namespace, Node, PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import { StorageClass } from "@keelson/core/kinds/storage/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ClusterWorld,
  clusterWorld,
  namespaceNamed,
  podNamed,
  readyNode,
} from "../../../../test/support/cluster-world.ts";
import { startScheduler } from "./scheduler.ts";

let world: ClusterWorld;
beforeEach(async () => {
  world = clusterWorld([startScheduler]);
  await world.create(Namespace, namespaceNamed("shop"));
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

async function addNodes(...names: readonly string[]): Promise<void> {
  for (const name of names) await world.create(Node, readyNode(name));
}

const nodeOf = (name: string): string | undefined =>
  world.get(Pod, { namespace: "shop", name })?.spec?.nodeName;
const scheduledOf = (name: string) =>
  world
    .get(Pod, { namespace: "shop", name })
    ?.status?.conditions?.find(({ type }) => type === "PodScheduled");

function asking(cpu: string): Partial<Pod["spec"]> {
  return { containers: [{ name: "main", image: "web:1", resources: { requests: { cpu } } }] };
}

function claimNamed(name: string): PersistentVolumeClaim {
  const resources = { requests: { storage: "1Gi" } };
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "shop", name },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "late", resources },
  };
}

const notHelpful =
  "no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
const noVictims =
  "no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.";

describe("the scheduler", () => {
  it("binds pods, spread over the nodes, and records Events", async () => {
    await addNodes("n1", "n2");
    await world.create(Pod, podNamed("a", { spec: asking("1") }));
    await world.create(Pod, podNamed("b", { spec: asking("1") }));
    expect([nodeOf("a"), nodeOf("b")].toSorted()).toEqual(["n1", "n2"]);
    expect(scheduledOf("a")).toEqual({
      type: "PodScheduled",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    });
    const [event] = world.objects.list(Event);
    expect(event).toMatchObject({
      reason: "Scheduled",
      message: "Successfully assigned shop/a to n1",
      action: "Binding",
      reportingComponent: "default-scheduler",
      type: "Normal",
    });
  });

  it("says why a pod fits nowhere, and binds it when it does", async () => {
    await addNodes("n1", "n2");
    await world.create(Pod, podNamed("a", { spec: { nodeSelector: { disk: "ssd" } } }));
    expect(scheduledOf("a")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      observedGeneration: 1,
      message: `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${notHelpful}`,
    });
    await world.change(Node, { name: "n2" }, (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { disk: "ssd" } },
    }));
    await world.clock.advance(1_000);
    expect(nodeOf("a")).toBe("n2");
  });

  it("reports a cluster without nodes", async () => {
    await world.create(Pod, podNamed("a"));
    expect(scheduledOf("a")?.message).toBe("no nodes available to schedule pods");
  });

  it("binds no pods to a node without a pod capacity", async () => {
    const { status: _, ...silent } = readyNode("n1");
    await world.create(Node, silent);
    await world.create(Pod, podNamed("a"));
    expect(nodeOf("a")).toBeUndefined();
    expect(scheduledOf("a")?.message).toContain("1 Too many pods");
  });

  it("counts the requests of other pods", async () => {
    await addNodes("n1", "n2");
    await world.create(Pod, podNamed("a", { spec: asking("3") }));
    await world.create(Pod, podNamed("b", { spec: asking("3") }));
    await world.create(Pod, podNamed("c", { spec: asking("3") }));
    expect(scheduledOf("c")?.message).toBe(`0/2 nodes are available: 2 Insufficient cpu. ${noVictims}`);
    await world.create(Pod, podNamed("d", { spec: asking("30") }));
    expect(scheduledOf("d")?.message).toBe(`0/2 nodes are available: 2 Insufficient cpu. ${notHelpful}`);
    await world.remove(Pod, { namespace: "shop", name: "a" }, { gracePeriodSeconds: 0 });
    await world.clock.advance(2_000);
    expect(nodeOf("c")).toBe("n1");
  });

  it("keeps pods from nodes that are tainted or closed", async () => {
    const taints = [{ key: "gpu", effect: "NoSchedule" }] as const;
    await world.create(Node, readyNode("n1", { spec: { taints } }));
    await world.create(Node, readyNode("n2", { spec: { unschedulable: true } }));
    await world.create(Pod, podNamed("a"));
    expect(scheduledOf("a")?.message).toBe(
      `0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${notHelpful}`,
    );
    await world.create(Pod, podNamed("b", { spec: { tolerations: [{ key: "gpu", operator: "Exists" }] } }));
    expect(nodeOf("b")).toBe("n1");
  });

  it("honours required anti-affinity", async () => {
    await addNodes("n1", "n2");
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    for (const name of ["a", "b", "c"]) {
      await world.create(Pod, podNamed(name, { labels: { app: "db" }, spec: { affinity } }));
    }
    expect([nodeOf("a"), nodeOf("b")].toSorted()).toEqual(["n1", "n2"]);
    expect(scheduledOf("c")?.message).toBe(
      `0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${noVictims}`,
    );
  });

  it("honours required affinity", async () => {
    await addNodes("n1", "n2");
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    await world.create(Pod, podNamed("web", { spec: { affinity } }));
    expect(scheduledOf("web")?.message).toContain("2 node(s) didn't match pod affinity rules.");
    await world.create(Pod, podNamed("db", { labels: { app: "db" } }));
    await world.clock.advance(1_000);
    expect(nodeOf("web")).toBe(nodeOf("db"));
  });

  it("honours topology spread constraints", async () => {
    await addNodes("n1", "n2");
    const constraint = {
      maxSkew: 1,
      topologyKey: "kubernetes.io/hostname",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { app: "web" } },
    } as const;
    for (const name of ["a", "b", "c", "d"]) {
      const spec = { topologySpreadConstraints: [constraint] };
      await world.create(Pod, podNamed(name, { labels: { app: "web" }, spec }));
    }
    expect(["a", "b", "c", "d"].map(nodeOf).toSorted()).toEqual(["n1", "n1", "n2", "n2"]);
  });

  it("waits for claims that do not exist", async () => {
    await addNodes("n1", "n2");
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
    await world.create(Pod, podNamed("a", { spec: { volumes } }));
    expect(scheduledOf("a")?.message).toBe(
      '0/2 nodes are available: persistentvolumeclaim "data" not found. not found',
    );
  });

  it("sees a node that comes while a pod is found to fit nowhere", async () => {
    for (let steps = 0; steps < 60; steps++) {
      const name = `p${steps}`;
      const created = world.objects.create(Pod, podNamed(name, { spec: { nodeSelector: { for: name } } }), {
        manager: "tester",
      });
      for (let step = 0; step < steps; step++) await Promise.resolve();
      const { metadata, ...node } = readyNode(`n${steps}`);
      const labels = { ...metadata.labels, for: name };
      await world.objects.create(Node, { ...node, metadata: { ...metadata, labels } }, { manager: "tester" });
      await created;
      await world.clock.advance(20_000);
      expect(nodeOf(name), `a node after ${steps} steps`).toBe(`n${steps}`);
    }
  });

  it("tries again when a claim changed while its node was chosen", async () => {
    await addNodes("n1");
    await world.create(StorageClass, {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "late" },
      provisioner: "keelson.dev/none",
      volumeBindingMode: "WaitForFirstConsumer",
    });
    for (let steps = 0; steps < 60; steps++) {
      const name = `data${steps}`;
      const claim = await world.create(PersistentVolumeClaim, claimNamed(name));
      const volumes = [{ name: "v", persistentVolumeClaim: { claimName: name } }];
      const pod = podNamed(`p${steps}`, { spec: { volumes } });
      const created = world.objects.create(Pod, pod, { manager: "tester" });
      for (let step = 0; step < steps; step++) await Promise.resolve();
      const metadata = { ...claim.metadata, labels: { changed: "yes" } };
      // The second write is refused; the scheduler must retry.
      await world.objects
        .update(PersistentVolumeClaim, { ...claim, metadata }, { manager: "tester" })
        .catch(() => {});
      await created;
      await world.clock.advance(20_000);
      const { annotations } = world.get(PersistentVolumeClaim, { namespace: "shop", name })?.metadata ?? {};
      expect(annotations, `a change after ${steps} steps`).toMatchObject({
        "volume.kubernetes.io/selected-node": "n1",
      });
    }
  });

  it("leaves pods of other schedulers alone", async () => {
    await addNodes("n1");
    await world.create(Pod, podNamed("a", { spec: { schedulerName: "mine" } }));
    expect(nodeOf("a")).toBeUndefined();
    expect(scheduledOf("a")).toBeUndefined();
  });
});
