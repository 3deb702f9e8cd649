import type { Stored } from "@keelson/core";
import { Deployment, type DeploymentSpec, ReplicaSet } from "@keelson/core/kinds/apps/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import {
  readyStatus,
  startHollowPods,
  type WorkloadWorld,
  workloadWorld,
} from "../../../../test/support/workload-world.ts";
import { startReplicaSetController } from "../replicaset/replica-controller.ts";
import { startDeploymentController } from "./deployment-controller.ts";

const controllers = [startDeploymentController, startReplicaSetController];
const hollow = startHollowPods(readyStatus);

function deployment(spec: Partial<DeploymentSpec> = {}): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "shop", name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: template("nginx:1"),
      ...spec,
    },
  };
}

function template(image: string): DeploymentSpec["template"] {
  return { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image }] } };
}

async function change(world: WorkloadWorld, update: Partial<DeploymentSpec>): Promise<void> {
  await world.change(Deployment, "web", (object) => {
    const { spec } = object;
    return spec === undefined ? object : { ...object, spec: { ...spec, ...update } };
  });
}

function setOf(world: WorkloadWorld, image: string): Stored<ReplicaSet> {
  const found = world
    .list(ReplicaSet)
    .find(({ spec }) => spec?.template?.spec?.containers[0]?.image === image);
  if (found === undefined) throw new Error(`there is no ReplicaSet of ${image}`);
  return found;
}

function sizes(world: WorkloadWorld): readonly string[] {
  return world
    .list(ReplicaSet)
    .map(
      ({ spec, metadata }) =>
        `${metadata.annotations?.["deployment.kubernetes.io/revision"]}: ${spec?.replicas}`,
    )
    .toSorted();
}

describe("the Deployment controller", () => {
  it("makes a ReplicaSet of the template and reports as the real one does", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment());
    const { name } = setOf(world, "nginx:1").metadata;
    expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{10}$/);
    const hash = name?.slice(4);
    expect(setOf(world, "nginx:1")).toMatchObject({
      metadata: {
        labels: { app: "web", "pod-template-hash": hash },
        annotations: {
          "deployment.kubernetes.io/desired-replicas": "3",
          "deployment.kubernetes.io/max-replicas": "4",
          "deployment.kubernetes.io/revision": "1",
        },
        ownerReferences: [{ kind: "Deployment", name: "web", controller: true, blockOwnerDeletion: true }],
      },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "web", "pod-template-hash": hash } },
        template: { metadata: { labels: { app: "web", "pod-template-hash": hash } } },
      },
    });
    const { metadata, status } = world.get(Deployment, "web");
    expect(metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
    expect(status).toMatchObject({
      availableReplicas: 3,
      observedGeneration: 1,
      readyReplicas: 3,
      replicas: 3,
      terminatingReplicas: 0,
      updatedReplicas: 3,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        },
        {
          type: "Progressing",
          status: "True",
          reason: "NewReplicaSetAvailable",
          message: `ReplicaSet "${name}" has successfully progressed.`,
        },
      ],
    });
    expect(world.events()).toContain(`Normal ScalingReplicaSet Scaled up replica set ${name} from 0 to 3`);
    const { revision } = world.store;
    await world.clock.advance(3_600_000);
    expect(world.store.revision).toBe(revision);
    expect(world.errors).toEqual([]);
    await world.stop();
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("rolls a new template out, and never exceeds the surge or the unavailable pods", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment({ replicas: 4 }));
    let most = 0;
    let fewest = 100;
    world.context.watch(ReplicaSet, () => {
      const sets = world.list(ReplicaSet);
      most = Math.max(
        most,
        sets.reduce((total, { spec }) => total + (spec?.replicas ?? 0), 0),
      );
      fewest = Math.min(
        fewest,
        sets.reduce((total, { status }) => total + (status?.availableReplicas ?? 0), 0),
      );
    });
    await change(world, { template: template("nginx:2") });
    expect(sizes(world)).toEqual(["1: 0", "2: 4"]);
    expect(most).toBe(5);
    expect(fewest).toBeGreaterThanOrEqual(3);
    expect(world.list(Pod)).toHaveLength(4);
    expect(world.get(Deployment, "web").metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "2",
    });
    const texts = world.events().filter((text) => text.includes("ScalingReplicaSet"));
    const [old, now] = [setOf(world, "nginx:1").metadata.name, setOf(world, "nginx:2").metadata.name];
    expect(texts).toContain(`Normal ScalingReplicaSet Scaled up replica set ${now} from 0 to 1`);
    expect(texts).toContain(`Normal ScalingReplicaSet Scaled down replica set ${old} from 4 to 3`);
    expect(texts).toContain(`Normal ScalingReplicaSet Scaled down replica set ${old} from 1 to 0`);
    await world.stop();
  });

  it("takes an old ReplicaSet up again when its template returns, under a new revision", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment());
    await change(world, { template: template("nginx:2") });
    await change(world, { template: template("nginx:1") });
    expect(sizes(world)).toEqual(["2: 0", "3: 3"]);
    expect(setOf(world, "nginx:1").metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    await world.stop();
  });

  it("ends all old pods before new ones with the strategy Recreate", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment({ strategy: { type: "Recreate" } }));
    let wasMixed = false;
    world.context.watch(Pod, () => {
      const images = new Set(world.list(Pod).map(({ spec }) => spec?.containers[0]?.image));
      wasMixed ||= images.size > 1;
    });
    await change(world, { template: template("nginx:2") });
    expect(sizes(world)).toEqual(["1: 0", "2: 3"]);
    expect(wasMixed).toBe(false);
    expect(world.list(Pod)).toHaveLength(3);
    await world.stop();
  });

  it("follows a new number of replicas, in one step and without a new revision", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment());
    await change(world, { replicas: 5 });
    expect(sizes(world)).toEqual(["1: 5"]);
    expect(setOf(world, "nginx:1").metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/desired-replicas": "5",
      "deployment.kubernetes.io/max-replicas": "7",
    });
    await change(world, { replicas: 0 });
    expect(world.list(Pod)).toEqual([]);
    expect(world.get(Deployment, "web").status).toMatchObject({ terminatingReplicas: 0 });
    await world.stop();
  });

  it("spreads new replicas over the ReplicaSets of a rollout that is stuck", async () => {
    const isGood = (pod: Pod): boolean => pod.spec?.containers[0]?.image === "nginx:1";
    const world = workloadWorld([
      ...controllers,
      startHollowPods((pod, now) => (isGood(pod) ? readyStatus(pod, now) : undefined)),
    ]);
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } as const;
    await world.create(Deployment, deployment({ replicas: 10, strategy }));
    await change(world, { template: template("nginx:bad") });
    expect(sizes(world)).toEqual(["1: 8", "2: 5"]);
    await change(world, { replicas: 15 });
    expect(sizes(world)).toEqual(["1: 11", "2: 7"]);
    await world.stop();
  });

  it("does not roll out while it is paused, and continues when it is resumed", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment());
    await change(world, { paused: true });
    await change(world, { template: template("nginx:2") });
    expect(sizes(world)).toEqual(["1: 3"]);
    expect(world.get(Deployment, "web").status?.conditions).toMatchObject([
      { type: "Available" },
      { type: "Progressing", status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" },
    ]);
    await change(world, { paused: false });
    expect(sizes(world)).toEqual(["1: 0", "2: 3"]);
    await world.stop();
  });

  it("says that it makes no progress once the deadline is over", async () => {
    const world = workloadWorld(controllers);
    await world.create(Deployment, deployment({ progressDeadlineSeconds: 60 }));
    const { name } = setOf(world, "nginx:1").metadata;
    expect(world.get(Deployment, "web").status).toMatchObject({
      unavailableReplicas: 3,
      conditions: [
        { type: "Available", status: "False", reason: "MinimumReplicasUnavailable" },
        { type: "Progressing", status: "True", reason: "ReplicaSetUpdated" },
      ],
    });
    await world.clock.advance(62_000);
    expect(world.get(Deployment, "web").status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "Progressing",
        status: "False",
        reason: "ProgressDeadlineExceeded",
        message: `ReplicaSet "${name}" has timed out progressing.`,
      }),
    );
    expect(world.clock.pendingTimers).toEqual([]);
    await world.stop();
  });

  it("keeps as many old revisions as revisionHistoryLimit says", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment({ revisionHistoryLimit: 1 }));
    for (const image of ["nginx:2", "nginx:3", "nginx:4"]) await change(world, { template: template(image) });
    expect(sizes(world)).toEqual(["3: 0", "4: 3"]);
    await world.stop();
  });

  it("finds another name when the name of its ReplicaSet is taken", async () => {
    const world = workloadWorld([...controllers, hollow]);
    await world.create(Deployment, deployment());
    const taken = setOf(world, "nginx:1");
    await world.remove(Deployment, "web");
    await world.remove(ReplicaSet, taken.metadata.name);
    const { uid: _uid, resourceVersion: _version, ownerReferences: _owners, ...metadata } = taken.metadata;
    await world.create(ReplicaSet, {
      ...taken,
      metadata: { ...metadata, labels: { app: "other" } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "other" } },
        template: {
          metadata: { labels: { app: "other" } },
          spec: { containers: [{ name: "main", image: "other" }] },
        },
      },
    });
    await world.create(Deployment, deployment());
    await world.clock.advance(1000);
    expect(setOf(world, "nginx:1").metadata.name).not.toBe(taken.metadata.name);
    expect(world.get(Deployment, "web").status).toMatchObject({ collisionCount: 1, readyReplicas: 3 });
    await world.stop();
  });
});
