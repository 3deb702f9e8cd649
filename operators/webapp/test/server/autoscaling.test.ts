import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { Deployment } from "keelson/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webapp } from "../../src/operator.ts";
import { seeReplicas } from "../support/seen.ts";
import { WebAppSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

/** The garbage collector makes orphans once it has discovered the kind of their owner. */
const patient = { timeout: 120_000 };

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, {
    real: { args: { "kube-controller-manager": ["--horizontal-pod-autoscaler-sync-period=1s"] } },
  });
  operator = await world.runOperator(webapp);
});
afterAll(() => world?.stop());

const image = "web:1";
const resources = { requests: { cpu: "100m" } };

describe("autoscaling", () => {
  it("takes over the number of pods and gives it back, and no step deletes pods", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("busy", { image, replicas: 3 });
    await space.reaches("busy", "Ready");
    await using seen = await seeReplicas(world.client, space.namespace, "busy");
    await space.apply("busy", {
      image,
      replicas: 3,
      resources,
      autoscaling: { minReplicas: 2, maxReplicas: 9 },
    });
    await expect
      .poll(() => space.find(HorizontalPodAutoscaler, "busy"))
      .toMatchObject({
        spec: {
          minReplicas: 2,
          maxReplicas: 9,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "busy" },
          metrics: [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } }],
        },
      });
    await space.reaches("busy", "Ready");
    // As an autoscaler does it.
    await space.kubectl("scale", "deployment", "busy", "--replicas=5");
    await expect.poll(async () => (await space.reaches("busy", "Ready")).status?.availableReplicas).toBe(5);
    await space.apply("busy", {
      image: "web:2",
      replicas: 4,
      resources,
      autoscaling: { minReplicas: 2, maxReplicas: 9 },
    });
    await space.reaches("busy", "Ready");
    expect((await space.get(Deployment, "busy")).spec?.replicas).toBe(5);
    await space.apply("busy", { image: "web:2", replicas: 6, resources });
    await expect.poll(async () => (await space.get(Deployment, "busy")).spec?.replicas).toBe(6);
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "busy")).toBeUndefined();
    await space.reaches("busy", "Ready");
    await space.kubectl("scale", "deployment", "busy", "--replicas=1");
    await expect.poll(() => seen.values).toEqual([3, 5, 6, 1, 6]);
  });

  it("starts with minReplicas pods", async () => {
    const space = await WebAppSpace.create(world);
    await using seen = await seeReplicas(world.client, space.namespace, "new");
    await space.apply("new", { image, resources, autoscaling: { minReplicas: 2, maxReplicas: 4 } });
    const { status } = await space.reaches("new", "Ready");
    expect(status?.availableReplicas).toBe(2);
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "new")).toBeDefined();
    await operator.idle();
    await expect.poll(() => seen.values).toEqual([2]);
  });

  it("starts pods of an app that has none, which autoscalers do not do", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("asleep", { image, replicas: 0 });
    await space.reaches("asleep", "Ready");
    await using seen = await seeReplicas(world.client, space.namespace, "asleep");
    const autoscaling = { minReplicas: 2, maxReplicas: 4 };
    await space.apply("asleep", { image, replicas: 0, resources, autoscaling });
    await expect.poll(async () => (await space.reaches("asleep", "Ready")).status?.availableReplicas).toBe(2);
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "asleep")).toBeDefined();
    await operator.idle();
    await expect.poll(() => seen.values).toEqual([0, 2]);
  });

  it("adopts orphans without a change of the number of pods", patient, async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("orphan", { image, replicas: 3 });
    await space.reaches("orphan", "Ready");
    await using seen = await seeReplicas(world.client, space.namespace, "orphan");
    await space.kubectl("delete", "webapp", "orphan", "--cascade=orphan");
    await space.apply("orphan", { image, resources, autoscaling: { minReplicas: 2, maxReplicas: 4 } });
    await expect.poll(() => space.find(HorizontalPodAutoscaler, "orphan")).toBeDefined();
    await space.reaches("orphan", "Ready");
    expect(seen.values).toEqual([3]);
  });
});
