import { readFile } from "node:fs/promises";
import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { controllerOf } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Service } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";
import { seePhases } from "../support/seen.ts";
import { WebAppSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

/** Owned objects are deleted when the garbage collector has discovered the kind of their owner. */
const patient = { timeout: 120_000 };

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(webapp);
});
afterAll(() => world?.stop());

describe("the life of a WebApp", () => {
  it("goes from Created through Reconciling and WaitingForPodsReady to Ready", async () => {
    const space = await WebAppSpace.create(world);
    world.nodes.failPulls("slow:1");
    await using seen = await seePhases(world.client, space.namespace, "slow");
    await space.apply("slow", { image: "slow:1", replicas: 2 });
    await space.reaches("slow", "WaitingForPodsReady");
    expect(await space.shows("slow", "Available", "False", "MinimumReplicasUnavailable")).toBe(
      "0 of 2 pods are available",
    );
    await space.shows("slow", "Progressing", "True", "ReplicaSetUpdated");
    world.nodes.allowPulls("slow:1");
    await space.reaches("slow", "Ready");
    await space.shows("slow", "Available", "True", "MinimumReplicasAvailable");
    await space.shows("slow", "Progressing", "True", "NewReplicaSetAvailable");
    await space.shows("slow", "Degraded", "False", "AsExpected");
    await expect.poll(() => seen.values.at(-1)).toBe("Ready");
    expect(seen.values).toEqual(["Created", "Reconciling", "WaitingForPodsReady", "Ready"]);
    await expect.poll(() => space.eventReasons("slow")).toEqual(["Created", "Ready"]);
  });

  it("is Scaling while only the number of pods differs, up and down, by kubectl scale", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("grows", { image: "grows:1", replicas: 1 });
    await space.reaches("grows", "Ready");
    world.nodes.failPulls("grows:1");
    await space.kubectl("scale", "webapp", "grows", "--replicas=3");
    const { status } = await space.reaches("grows", "Scaling");
    expect(status?.availableReplicas).toBe(1);
    await expect
      .poll(async () => (await space.get(WebApp, "grows")).status)
      .toMatchObject({
        phase: "Scaling",
        replicas: 3,
      });
    world.nodes.allowPulls("grows:1");
    await space.reaches("grows", "Ready");
    await space.kubectl("scale", "webapp", "grows", "--replicas=0");
    expect((await space.reaches("grows", "Ready")).status).toMatchObject({
      replicas: 0,
      availableReplicas: 0,
    });
    await expect.poll(() => space.eventReasons("grows")).toEqual(["Created", "Ready", "Scaled"]);
    expect(
      await space.kubectl("get", "webapp", "grows", "--subresource=scale", "-o", "jsonpath={.status}"),
    ).toBe(`{"replicas":0,"selector":"app.kubernetes.io/instance=grows,app.kubernetes.io/name=webapp"}`);
  });

  it("waits for pods again when the image changes, and deletes none before", async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("rolls", { image: "rolls:1", replicas: 2 });
    await space.reaches("rolls", "Ready");
    world.nodes.failPulls("rolls:2");
    await space.apply("rolls", { image: "rolls:2", replicas: 2 });
    const { status } = await space.reaches("rolls", "WaitingForPodsReady");
    expect(status?.availableReplicas).toBe(2);
    world.nodes.allowPulls("rolls:2");
    await space.reaches("rolls", "Ready");
    expect((await space.get(Deployment, "rolls")).spec?.template.spec?.containers[0]?.image).toBe("rolls:2");
  });

  it("shows Deleting during a foreground deletion, and leaves no objects", patient, async () => {
    const space = await WebAppSpace.create(world);
    await space.apply("goes", { image: "goes:1" }, { finalizers: ["example.com/hold"] });
    await space.reaches("goes", "Ready");
    await space.kubectl("delete", "webapp", "goes", "--cascade=foreground", "--wait=false");
    await space.reaches("goes", "Deleting");
    await space.shows("goes", "Progressing", "False", "Deleting");
    await space.isEmptied();
    await space.kubectl(
      "patch",
      "webapp",
      "goes",
      "--type=json",
      "-p",
      `[{"op":"remove","path":"/metadata/finalizers"}]`,
    );
    await expect.poll(() => space.find(WebApp, "goes")).toBeUndefined();
  });

  it("can be deleted in the middle of a rollout", patient, async () => {
    const space = await WebAppSpace.create(world);
    world.nodes.failPulls("never:1");
    await space.apply("never", { image: "never:1", replicas: 2 });
    await space.reaches("never", "WaitingForPodsReady");
    await space.kubectl("delete", "webapp", "never");
    await space.isEmptied();
    expect(await space.find(WebApp, "never")).toBeUndefined();
  });
});

describe("the seed's WebApp", () => {
  it("gets the objects of the seed's diagram with the seed's kubectl commands", patient, async () => {
    const space = await WebAppSpace.create(world);
    const sample = new URL("../../samples/nginx-app.yaml", import.meta.url);
    expect(await readFile(sample, "utf8")).toBe(
      [
        "apiVersion: example.com/v1",
        "kind: WebApp",
        "metadata:",
        "  name: nginx-app",
        "spec:",
        "  image: nginx:1.25",
        "  replicas: 3",
        "",
      ].join("\n"),
    );
    expect(await space.kubectl("apply", "-f", sample.pathname)).toBe(
      "webapp.example.com/nginx-app created\n",
    );
    const { status, metadata } = await space.reaches("nginx-app", "Ready");
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, availableReplicas: 3 });
    expect(status?.url).toBe(`http://nginx-app.${space.namespace}.svc`);
    const deployment = await space.get(Deployment, "nginx-app");
    expect(deployment.spec).toMatchObject({
      replicas: 3,
      template: { spec: { containers: [{ image: "nginx:1.25", ports: [{ containerPort: 80 }] }] } },
    });
    const service = await space.get(Service, "nginx-app");
    expect(service.spec).toMatchObject({ type: "ClusterIP", ports: [{ port: 80 }] });
    expect(service.spec?.selector).toEqual(deployment.spec?.selector.matchLabels);
    for (const owned of [deployment, service])
      expect(controllerOf(owned)).toMatchObject({ kind: "WebApp", name: "nginx-app", uid: metadata.uid });
    expect((await space.kubectl("get", "wa", "nginx-app", "--no-headers")).split(/\s+/).slice(0, 5)).toEqual([
      "nginx-app",
      "Ready",
      "3",
      "3",
      status?.url,
    ]);
    expect(await space.kubectl("delete", "webapp", "nginx-app")).toMatch('nginx-app" deleted');
    await space.isEmptied();
  });
});

describe("the metrics", () => {
  it("count the reconciles of the controller", async () => {
    expect(await operator.metrics()).toMatch(
      /controller_runtime_reconcile_total\{controller="webapp",.*\} [1-9]/,
    );
  });
});
