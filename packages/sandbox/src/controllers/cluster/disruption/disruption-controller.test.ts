import type { Condition, Stored } from "@keelson/core";
import { ReplicaSet } from "@keelson/core/kinds/apps/v1";
import { Namespace, Pod } from "@keelson/core/kinds/core/v1";
import { PodDisruptionBudget } from "@keelson/core/kinds/policy/v1";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ClusterWorld,
  clusterWorld,
  namespaceNamed,
  podNamed,
  runningStatus,
} from "../../../../test/support/cluster-world.ts";
import { startDisruptionController } from "./disruption-controller.ts";

let world: ClusterWorld;
beforeEach(async () => {
  world = clusterWorld([startDisruptionController]);
  await world.create(Namespace, namespaceNamed("shop"));
});
afterEach(async () => {
  expect(world.errors).toEqual([]);
  await world.stop();
  expect(world.clock.pendingTimers).toEqual([]);
});

const key = { namespace: "shop", name: "web" };
const selector = { matchLabels: { app: "web" } };

async function budget(spec: Partial<PodDisruptionBudget["spec"]>): Promise<void> {
  await world.create(PodDisruptionBudget, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: key,
    spec: { selector, ...spec },
  });
}

async function runPod(name: string, owner?: Stored<ReplicaSet>): Promise<void> {
  const labels = { app: "web" };
  await world.create(Pod, podNamed(name, owner === undefined ? { labels } : { labels, owner }));
  const status = runningStatus("10.0.0.1");
  await world.change(Pod, { namespace: "shop", name }, (pod) => ({ ...pod, status }), "status");
}

const statusOf = () => world.get(PodDisruptionBudget, key)?.status;
const reasonOf = (): string | undefined => statusOf()?.conditions?.map(({ reason }: Condition) => reason)[0];

describe("the disruption controller", () => {
  it("allows none while there are no pods", async () => {
    await budget({ minAvailable: 1 });
    expect(statusOf()).toEqual({
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "False",
          reason: "InsufficientPods",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
          observedGeneration: 1,
        },
      ],
      currentHealthy: 0,
      desiredHealthy: 1,
      disruptionsAllowed: 0,
      expectedPods: 0,
      observedGeneration: 1,
    });
    expect(world.events()).toEqual(["PodDisruptionBudget web: Normal NoPods No matching pods found"]);
  });

  it("allows as many as are healthy beyond the desired number", async () => {
    await budget({ minAvailable: 1 });
    await runPod("a");
    await runPod("b");
    await runPod("c");
    expect(statusOf()).toMatchObject({
      currentHealthy: 3,
      desiredHealthy: 1,
      disruptionsAllowed: 2,
      expectedPods: 3,
    });
    expect(reasonOf()).toBe("SufficientPods");
  });

  it("takes percentages of the desired replicas of the controllers", async () => {
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "a", image: "b" }] },
    };
    const set = await world.create(ReplicaSet, {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "web", namespace: "shop" },
      spec: { replicas: 4, selector, template },
    });
    await budget({ maxUnavailable: "50%" });
    for (const name of ["a", "b", "c"]) await runPod(name, set);
    expect(statusOf()).toMatchObject({
      currentHealthy: 3,
      desiredHealthy: 2,
      disruptionsAllowed: 1,
      expectedPods: 4,
    });
  });

  it("forgets evictions that did not happen within two minutes", async () => {
    await budget({ minAvailable: 1 });
    await runPod("a");
    await runPod("b");
    const disruptedPods = { a: "2026-01-01T00:00:00Z" };
    await world.change(
      PodDisruptionBudget,
      key,
      (object) => ({
        ...object,
        status: {
          currentHealthy: 0,
          desiredHealthy: 0,
          expectedPods: 0,
          disruptionsAllowed: 0,
          disruptedPods,
        },
      }),
      "status",
    );
    expect(statusOf()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0, disruptedPods });
    await world.clock.advance(120_000);
    expect(statusOf()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(statusOf()?.disruptedPods).toBeUndefined();
  });

  it("reports pods without a controller where the budget is a percentage", async () => {
    await budget({ maxUnavailable: 1 });
    await runPod("a");
    expect(world.events().join("\n")).toContain(
      "UnmanagedPods Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged.",
    );
  });
});
