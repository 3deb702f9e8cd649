import { ReplicaSet } from "@keelson/core/kinds/apps/v1";
import { Pod, ReplicationController } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { readyStatus, startHollowPods, workloadWorld } from "../../../../test/support/workload-world.ts";
import { startReplicaSetController, startReplicationControllerController } from "./replica-controller.ts";

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "nginx" }] },
};

function replicaSet(replicas: number, minReadySeconds = 0): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { namespace: "shop", name: "web" },
    spec: { replicas, minReadySeconds, selector: { matchLabels: { app: "web" } }, template },
  };
}

function withSpec(set: ReplicaSet, { spec }: ReplicaSet): ReplicaSet {
  return { ...set, ...(spec === undefined ? {} : { spec }) };
}

const hollow = startHollowPods(readyStatus);

describe("the ReplicaSet controller", () => {
  it("creates the missing pods, and records an Event for each", async () => {
    const world = workloadWorld([startReplicaSetController]);
    await world.create(ReplicaSet, replicaSet(3));
    const pods = world.list(Pod);
    expect(pods).toHaveLength(3);
    const set = world.get(ReplicaSet, "web");
    for (const pod of pods) {
      expect(pod.metadata).toMatchObject({ generateName: "web-", labels: { app: "web" } });
      expect(pod.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
      expect(pod.metadata.ownerReferences).toEqual([
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web",
          uid: set.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    expect(set.status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      observedGeneration: 1,
      terminatingReplicas: 0,
    });
    const names = pods.map(({ metadata }) => `Normal SuccessfulCreate Created pod: ${metadata.name}`);
    expect(world.events().toSorted()).toEqual(names.toSorted());
    expect(world.errors).toEqual([]);
    await world.stop();
  });

  it("counts the pods that are ready, and writes nothing more when all is settled", async () => {
    const world = workloadWorld([startReplicaSetController, hollow]);
    await world.create(ReplicaSet, replicaSet(2));
    expect(world.get(ReplicaSet, "web").status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    const { revision } = world.store;
    await world.clock.advance(3_600_000);
    expect(world.store.revision).toBe(revision);
    expect(world.clock.pendingTimers).toEqual([]);
    await world.stop();
  });

  it("replaces pods that were deleted or have failed", async () => {
    const world = workloadWorld([startReplicaSetController, hollow]);
    await world.create(ReplicaSet, replicaSet(2));
    const [first, second] = world.list(Pod);
    await world.remove(Pod, first?.metadata.name ?? "");
    await world.setPodStatus(second?.metadata.name ?? "", { phase: "Failed" });
    const active = world.list(Pod).filter(({ status }) => status?.phase === "Running");
    expect(active).toHaveLength(2);
    await world.stop();
  });

  it("deletes pods that are too many", async () => {
    const world = workloadWorld([startReplicaSetController, hollow]);
    await world.create(ReplicaSet, replicaSet(4));
    await world.change(ReplicaSet, "web", (set) => withSpec(set, replicaSet(1)));
    expect(world.list(Pod)).toHaveLength(1);
    expect(world.get(ReplicaSet, "web").status).toMatchObject({ replicas: 1, observedGeneration: 2 });
    expect(world.events().filter((text) => text.includes("SuccessfulDelete"))).toHaveLength(3);
    await world.stop();
  });

  it("adopts orphans that its selector finds and gives up pods that it no longer finds", async () => {
    const world = workloadWorld([startReplicaSetController, hollow]);
    await world.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "shop", name: "stray", labels: { app: "web" } },
      spec: template.spec,
    });
    await world.create(ReplicaSet, replicaSet(2));
    expect(world.list(Pod)).toHaveLength(2);
    expect(world.get(Pod, "stray").metadata.ownerReferences).toMatchObject([
      { name: "web", controller: true },
    ]);
    await world.change(Pod, "stray", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { app: "x" } },
    }));
    expect(world.get(Pod, "stray").metadata.ownerReferences ?? []).toEqual([]);
    expect(world.list(Pod)).toHaveLength(3);
    await world.stop();
  });

  it("counts a pod as available once it has been ready for long enough", async () => {
    const world = workloadWorld([startReplicaSetController, hollow]);
    await world.create(ReplicaSet, replicaSet(1, 30));
    expect(world.get(ReplicaSet, "web").status).toMatchObject({ readyReplicas: 1 });
    expect(world.get(ReplicaSet, "web").status?.availableReplicas).toBeUndefined();
    await world.clock.advance(30_000);
    expect(world.get(ReplicaSet, "web").status).toMatchObject({ availableReplicas: 1 });
    await world.stop();
  });

  it("creates nothing while it is being deleted", async () => {
    const world = workloadWorld([startReplicaSetController, hollow]);
    await world.create(ReplicaSet, replicaSet(1));
    await world.change(ReplicaSet, "web", (set) => ({
      ...set,
      metadata: { ...set.metadata, finalizers: ["example.com/keep"] },
    }));
    await world.remove(ReplicaSet, "web");
    for (const { metadata } of world.list(Pod)) await world.remove(Pod, metadata.name);
    expect(world.list(Pod)).toEqual([]);
    await world.stop();
  });

  it("shows as a condition that pods cannot be created, and tries again", async () => {
    const world = workloadWorld([startReplicaSetController]);
    const create = world.objects.create;
    let refusals = 2;
    Object.assign(world.objects, {
      create: (...call: Parameters<typeof create>) => {
        if (call[0].kind !== "Pod" || refusals-- <= 0) return create(...call);
        return Promise.reject(new Error("no room"));
      },
    });
    await world.objects.create(ReplicaSet, replicaSet(1), { manager: "tester" });
    await world.clock.advance(1);
    expect(world.get(ReplicaSet, "web").status?.conditions).toMatchObject([
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no room" },
    ]);
    await world.clock.advance(100);
    expect(world.get(ReplicaSet, "web").status).toMatchObject({ replicas: 1 });
    expect(world.get(ReplicaSet, "web").status?.conditions).toBeUndefined();
    expect(world.events()).toContain("Warning FailedCreate Error creating: no room");
    await world.stop();
  });
});

describe("the ReplicationController controller", () => {
  it("keeps pods in the same way", async () => {
    const world = workloadWorld([startReplicationControllerController, hollow]);
    await world.create(ReplicationController, {
      apiVersion: "v1",
      kind: "ReplicationController",
      metadata: { namespace: "shop", name: "web" },
      spec: { replicas: 2, selector: { app: "web" }, template },
    });
    expect(world.get(ReplicationController, "web").status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 1,
    });
    await world.stop();
  });
});
