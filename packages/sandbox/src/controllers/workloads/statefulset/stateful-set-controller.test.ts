import { ControllerRevision, StatefulSet, type StatefulSetSpec } from "@keelson/core/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import {
  readyStatus,
  startHollowPods,
  type WorkloadWorld,
  workloadWorld,
} from "../../../../test/support/workload-world.ts";
import { startGarbageCollector } from "../../cluster/gc/garbage-collector.ts";
import { startStatefulSetController } from "./stateful-set-controller.ts";

const hollow = startHollowPods(readyStatus);

function statefulSet(spec: Partial<StatefulSetSpec> = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { namespace: "shop", name: "db" },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: template("pg:1"),
      ...spec,
    },
  };
}

function template(image: string): StatefulSetSpec["template"] {
  return { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "main", image }] } };
}

const claims: Partial<StatefulSetSpec> = {
  volumeClaimTemplates: [
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

async function change(world: WorkloadWorld, update: Partial<StatefulSetSpec>): Promise<void> {
  await world.change(StatefulSet, "db", (set) => {
    const { spec } = set;
    return spec === undefined ? set : { ...set, spec: { ...spec, ...update } };
  });
}

function names(world: WorkloadWorld): readonly (string | undefined)[] {
  return world.list(Pod).map(({ metadata }) => metadata.name);
}

function images(world: WorkloadWorld): readonly (string | undefined)[] {
  return world.list(Pod).map(({ spec }) => spec?.containers[0]?.image);
}

describe("the StatefulSet controller", () => {
  it("creates pods one after another, each when the one before is ready", async () => {
    const world = workloadWorld([startStatefulSetController]);
    await world.create(StatefulSet, statefulSet());
    expect(names(world)).toEqual(["db-0"]);
    await world.setPodStatus("db-0", readyStatus({}, "2026-01-01T00:00:00Z"));
    expect(names(world)).toEqual(["db-0", "db-1"]);
    await world.stop();
  });

  it("gives pods their identity, and reports as the real one does", async () => {
    const world = workloadWorld([startStatefulSetController, hollow]);
    await world.create(StatefulSet, statefulSet({ replicas: 2, ...claims }));
    const [revision] = world.list(ControllerRevision);
    const name = revision?.metadata.name;
    const hash = name?.slice("db-".length);
    expect(revision?.metadata.labels).toEqual({ app: "db", "controller.kubernetes.io/hash": hash });
    expect(revision).toMatchObject({ revision: 1, data: { spec: { template: { $patch: "replace" } } } });
    expect(world.get(Pod, "db-1")).toMatchObject({
      metadata: {
        generateName: "db-",
        labels: {
          app: "db",
          "apps.kubernetes.io/pod-index": "1",
          "controller-revision-hash": name,
          "statefulset.kubernetes.io/pod-name": "db-1",
        },
      },
      spec: {
        hostname: "db-1",
        subdomain: "db",
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-db-1" } }],
      },
    });
    expect(world.get(PersistentVolumeClaim, "data-db-1").metadata.labels).toEqual({ app: "db" });
    expect(world.get(StatefulSet, "db").status).toEqual({
      availableReplicas: 2,
      collisionCount: 0,
      currentReplicas: 2,
      currentRevision: name,
      observedGeneration: 1,
      readyReplicas: 2,
      replicas: 2,
      updateRevision: name,
      updatedReplicas: 2,
    });
    expect(world.events()).toContain(
      "Normal SuccessfulCreate Create Claim data-db-0 Pod db-0 in StatefulSet db success",
    );
    expect(world.events()).toContain("Normal SuccessfulCreate Create Pod db-0 in StatefulSet db successful");
    const before = world.store.revision;
    await world.clock.advance(3_600_000);
    expect(world.store.revision).toBe(before);
    expect(world.errors).toEqual([]);
    await world.stop();
  });

  it("creates all pods at once with the policy Parallel, from the first ordinal on", async () => {
    const world = workloadWorld([startStatefulSetController]);
    await world.create(StatefulSet, statefulSet({ podManagementPolicy: "Parallel", ordinals: { start: 5 } }));
    expect(names(world)).toEqual(["db-5", "db-6", "db-7"]);
    await world.stop();
  });

  it("removes the highest ordinals first, and keeps their claims", async () => {
    const world = workloadWorld([startStatefulSetController, hollow]);
    await world.create(StatefulSet, statefulSet(claims));
    await change(world, { replicas: 1 });
    expect(names(world)).toEqual(["db-0"]);
    expect(world.list(PersistentVolumeClaim)).toHaveLength(3);
    const deletions = world.events().filter((text) => text.includes("SuccessfulDelete"));
    expect(deletions).toHaveLength(2);
    expect(deletions).toContain("Normal SuccessfulDelete Delete Pod db-2 in StatefulSet db successful");
    await world.stop();
  });

  it("sets the owners of claims as the retention policy says", async () => {
    const world = workloadWorld([startStatefulSetController]);
    const policy = { whenDeleted: "Delete", whenScaled: "Delete" };
    await world.create(
      StatefulSet,
      statefulSet({
        ...claims,
        podManagementPolicy: "Parallel",
        persistentVolumeClaimRetentionPolicy: policy,
      }),
    );
    expect(world.get(PersistentVolumeClaim, "data-db-2").metadata.ownerReferences).toMatchObject([
      { kind: "StatefulSet", controller: true },
    ]);
    const { uid } = world.get(Pod, "db-2").metadata;
    await change(world, { replicas: 2 });
    expect(world.get(PersistentVolumeClaim, "data-db-2").metadata.ownerReferences).toMatchObject([
      { kind: "Pod", name: "db-2", uid },
    ]);
    await world.stop();
  });

  it("sets the owner of a claim that it creates again for a pending pod", async () => {
    const world = workloadWorld([startStatefulSetController]);
    const policy = { whenDeleted: "Delete", whenScaled: "Retain" };
    await world.create(StatefulSet, statefulSet({ ...claims, persistentVolumeClaimRetentionPolicy: policy }));
    const { uid } = world.get(PersistentVolumeClaim, "data-db-0").metadata;
    await world.remove(PersistentVolumeClaim, "data-db-0");
    const { metadata } = world.get(PersistentVolumeClaim, "data-db-0");
    expect(metadata.uid).not.toBe(uid);
    expect(metadata.ownerReferences).toMatchObject([{ kind: "StatefulSet", name: "db", controller: true }]);
    await world.stop();
  });

  it("updates pods from the highest ordinal down to the partition", async () => {
    const world = workloadWorld([startStatefulSetController, hollow]);
    await world.create(StatefulSet, statefulSet());
    await change(world, {
      template: template("pg:2"),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    });
    expect(images(world)).toEqual(["pg:1", "pg:1", "pg:2"]);
    const { currentRevision, updateRevision } = world.get(StatefulSet, "db").status ?? {};
    expect(currentRevision).not.toBe(updateRevision);
    expect(world.get(StatefulSet, "db").status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
    await world.remove(Pod, "db-0");
    expect(images(world)).toEqual(["pg:1", "pg:1", "pg:2"]);
    await change(world, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } });
    expect(images(world)).toEqual(["pg:2", "pg:2", "pg:2"]);
    expect(world.get(StatefulSet, "db").status).toMatchObject({
      currentRevision: updateRevision,
      currentReplicas: 3,
    });
    expect(
      world
        .list(ControllerRevision)
        .map(({ revision }) => revision)
        .toSorted(),
    ).toEqual([1, 2]);
    await world.stop();
  });

  it("updates a pod only after a user deleted it, with OnDelete", async () => {
    const world = workloadWorld([startStatefulSetController, hollow]);
    await world.create(StatefulSet, statefulSet({ updateStrategy: { type: "OnDelete" } }));
    await change(world, { template: template("pg:2") });
    expect(images(world)).toEqual(["pg:1", "pg:1", "pg:1"]);
    await world.remove(Pod, "db-1");
    expect(images(world)).toEqual(["pg:1", "pg:2", "pg:1"]);
    await world.stop();
  });

  it("replaces a pod that has failed", async () => {
    const world = workloadWorld([startStatefulSetController, hollow]);
    await world.create(StatefulSet, statefulSet({ replicas: 1 }));
    const { uid } = world.get(Pod, "db-0").metadata;
    await world.setPodStatus("db-0", { phase: "Failed" });
    expect(world.get(Pod, "db-0").metadata.uid).not.toBe(uid);
    await world.stop();
  });

  it("uses the revision of a template again when it returns", async () => {
    const world = workloadWorld([startStatefulSetController, hollow]);
    await world.create(StatefulSet, statefulSet());
    await change(world, { template: template("pg:2") });
    await change(world, { template: template("pg:1") });
    expect(
      world
        .list(ControllerRevision)
        .map(({ revision }) => revision)
        .toSorted(),
    ).toEqual([2, 3]);
    await world.stop();
  });

  it("leaves history and pods to a successor when they are to stay", async () => {
    const world = workloadWorld([startStatefulSetController, startGarbageCollector, hollow]);
    await world.create(StatefulSet, statefulSet());
    const uids = (): readonly unknown[] => world.list(Pod).map(({ metadata }) => metadata.uid);
    const before = uids();
    const [revision] = world.list(ControllerRevision);
    const policy = { manager: "tester", propagationPolicy: "Orphan" } as const;
    await world.objects.delete(StatefulSet, { namespace: "shop", name: "db" }, policy);
    await world.settle();
    expect(world.list(StatefulSet)).toEqual([]);
    await world.create(StatefulSet, statefulSet());
    expect(uids()).toEqual(before);
    expect(world.list(ControllerRevision)).toMatchObject([{ metadata: { uid: revision?.metadata.uid } }]);
    expect(world.get(StatefulSet, "db").status?.collisionCount).toBe(0);
    await world.stop();
  });

  it("still counts the pods of a set that waits for them to go", async () => {
    const world = workloadWorld([startStatefulSetController, hollow]);
    await world.create(StatefulSet, statefulSet());
    const { currentRevision } = world.get(StatefulSet, "db").status ?? {};
    const policy = { manager: "tester", propagationPolicy: "Foreground" } as const;
    await world.objects.delete(StatefulSet, { namespace: "shop", name: "db" }, policy);
    await world.remove(Pod, "db-1");
    expect(world.get(StatefulSet, "db").status).toMatchObject({ replicas: 2, currentRevision });
    await world.stop();
  });
});
