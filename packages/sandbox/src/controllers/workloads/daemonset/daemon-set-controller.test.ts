import { ControllerRevision, DaemonSet, type DaemonSetSpec } from "@keelson/core/kinds/apps/v1";
import { Node, Pod, type Taint } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import {
  readyStatus,
  startHollowPods,
  type WorkloadWorld,
  workloadWorld,
} from "../../../../test/support/workload-world.ts";
import { targetNode } from "./daemon-pod.ts";
import { startDaemonSetController } from "./daemon-set-controller.ts";

const hollow = startHollowPods(readyStatus);

function daemonSet(spec: Partial<DaemonSetSpec> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { namespace: "shop", name: "agent" },
    spec: { selector: { matchLabels: { app: "agent" } }, template: template("agent:1"), ...spec },
  };
}

function template(image: string, nodeSelector?: Readonly<Record<string, string>>): DaemonSetSpec["template"] {
  return {
    metadata: { labels: { app: "agent" } },
    spec: { containers: [{ name: "main", image }], ...(nodeSelector === undefined ? {} : { nodeSelector }) },
  };
}

async function addNode(
  world: WorkloadWorld,
  name: string,
  labels = {},
  taints: readonly Taint[] = [],
): Promise<void> {
  await world.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints } });
}

function tainted(node: Node, effect: NonNullable<Taint["effect"]>): Node {
  return { ...node, spec: { taints: [{ key: "full", effect }] } };
}

async function change(world: WorkloadWorld, update: Partial<DaemonSetSpec>): Promise<void> {
  await world.change(DaemonSet, "agent", (set) => {
    const { spec } = set;
    return spec === undefined ? set : { ...set, spec: { ...spec, ...update } };
  });
}

function places(world: WorkloadWorld): readonly string[] {
  return world
    .list(Pod)
    .map((pod) => `${targetNode(pod)} ${pod.spec?.containers[0]?.image}`)
    .toSorted();
}

describe("the DaemonSet controller", () => {
  it("puts a pod on each node, also on those that come later", async () => {
    const world = workloadWorld([startDaemonSetController, hollow]);
    await addNode(world, "a");
    await world.create(DaemonSet, daemonSet());
    await addNode(world, "b");
    expect(places(world)).toEqual(["a agent:1", "b agent:1"]);
    const [revision] = world.list(ControllerRevision);
    const hash = revision?.metadata.name?.slice("agent-".length);
    expect(revision?.metadata.labels).toEqual({ app: "agent", "controller-revision-hash": hash });
    const [pod] = world.list(Pod);
    expect(pod?.metadata).toMatchObject({
      generateName: "agent-",
      labels: { app: "agent", "controller-revision-hash": hash, "pod-template-generation": "1" },
    });
    expect(pod?.spec?.tolerations?.map(({ key, effect }) => `${key} ${effect}`)).toEqual([
      "node.kubernetes.io/not-ready NoExecute",
      "node.kubernetes.io/unreachable NoExecute",
      "node.kubernetes.io/disk-pressure NoSchedule",
      "node.kubernetes.io/memory-pressure NoSchedule",
      "node.kubernetes.io/pid-pressure NoSchedule",
      "node.kubernetes.io/unschedulable NoSchedule",
    ]);
    expect(world.get(DaemonSet, "agent").status).toEqual({
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberAvailable: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
    });
    expect(world.errors).toEqual([]);
    const before = world.store.revision;
    await world.clock.advance(3_600_000);
    expect(world.store.revision).toBe(before);
    await world.stop();
  });

  it("keeps to the nodes that the template selects and whose taints it tolerates", async () => {
    const world = workloadWorld([startDaemonSetController, hollow]);
    await addNode(world, "ssd", { disk: "ssd" });
    await addNode(world, "hdd", { disk: "hdd" });
    await addNode(world, "tainted", { disk: "ssd" }, [{ key: "gpu", effect: "NoSchedule" }]);
    await world.create(DaemonSet, daemonSet({ template: template("agent:1", { disk: "ssd" }) }));
    expect(places(world)).toEqual(["ssd agent:1"]);
    await world.change(Node, "ssd", (node) => tainted(node, "NoSchedule"));
    expect(places(world)).toEqual(["ssd agent:1"]);
    expect(world.get(DaemonSet, "agent").status).toMatchObject({
      numberMisscheduled: 1,
      desiredNumberScheduled: 0,
    });
    await world.change(Node, "ssd", (node) => tainted(node, "NoExecute"));
    expect(places(world)).toEqual([]);
    await world.stop();
  });

  it("replaces pods a few at a time when the template changes", async () => {
    const world = workloadWorld([startDaemonSetController, hollow]);
    for (const name of ["a", "b", "c"]) await addNode(world, name);
    await world.create(DaemonSet, daemonSet());
    let fewest = 3;
    world.context.watch(Pod, () => {
      fewest = Math.min(fewest, world.list(Pod).length);
    });
    await change(world, { template: template("agent:2") });
    expect(places(world)).toEqual(["a agent:2", "b agent:2", "c agent:2"]);
    expect(fewest).toBe(2);
    await world.stop();
  });

  it("starts the new pod before it deletes the old one when it may surge", async () => {
    const world = workloadWorld([startDaemonSetController, hollow]);
    for (const name of ["a", "b"]) await addNode(world, name);
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await world.create(DaemonSet, daemonSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate } }));
    const counts: number[] = [];
    world.context.watch(Pod, () => counts.push(world.list(Pod).length));
    await change(world, { template: template("agent:2") });
    expect(places(world)).toEqual(["a agent:2", "b agent:2"]);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([2, 3]);
    await world.stop();
  });

  it("updates a pod only after a user deleted it, with OnDelete", async () => {
    const world = workloadWorld([startDaemonSetController, hollow]);
    await addNode(world, "a");
    await world.create(DaemonSet, daemonSet({ updateStrategy: { type: "OnDelete" } }));
    await change(world, { template: template("agent:2") });
    expect(places(world)).toEqual(["a agent:1"]);
    await world.remove(Pod, world.list(Pod)[0]?.metadata.name ?? "");
    expect(places(world)).toEqual(["a agent:2"]);
    await world.stop();
  });

  it("replaces failed pods, and waits longer each time", async () => {
    const world = workloadWorld([startDaemonSetController]);
    await addNode(world, "a");
    await world.create(DaemonSet, daemonSet());
    const fail = async (): Promise<string> => {
      const name = world.list(Pod)[0]?.metadata.name ?? "";
      await world.setPodStatus(name, { phase: "Failed" });
      return name;
    };
    const first = await fail();
    expect(world.list(Pod)[0]?.metadata.name).not.toBe(first);
    const second = await fail();
    expect(world.list(Pod)[0]?.metadata.name).toBe(second);
    await world.clock.advance(1000);
    expect(world.list(Pod)[0]?.metadata.name).not.toBe(second);
    await world.stop();
  });
});
