import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import { ReplicaSet } from "keelson/kinds/apps/v1";
import { Secret } from "keelson/kinds/core/v1";
import { PodDisruptionBudget } from "keelson/kinds/policy/v1";
import { ownerReferenceTo } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { sharedSecret } from "../../src/operator.ts";
import { SharedSecretSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2 });
  operator = await runOperator(sharedSecret, { access: world.cluster });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

async function newSpace(): Promise<SharedSecretSpace> {
  return SharedSecretSpace.create(world);
}

describe("a SharedSecret that is created", () => {
  it("has the fields of the operator overridden", async () => {
    const space = await newSpace();
    await space.createSecret("db", {}, { secret: "stolen", podsRestartRequired: true });
    await expect
      .poll(() => space.get(SharedSecret, "db"))
      .toMatchObject({ secret: "", podsRestartRequired: false, status: { secret: "db-secret" } });
    expect((await space.status("db")).restart).toBeUndefined();
  });

  it("gets a Secret that it owns, with an empty value", async () => {
    const space = await newSpace();
    const object = await space.createSecret("db");
    await expect.poll(() => space.find(Secret, "db-secret")).toBeDefined();
    const { metadata, data } = await space.get(Secret, "db-secret");
    expect(data).toEqual({ value: "" });
    expect(metadata.ownerReferences).toEqual([
      ownerReferenceTo({ resource: SharedSecret, object }, { controller: true }),
    ]);
  });

  it("does not touch a foreign Secret of that name, and says so", async () => {
    const space = await newSpace();
    const { namespace } = space;
    await world.client.create(Secret, {
      metadata: { namespace, name: "db-secret" },
      data: { value: "eA==" },
    });
    await space.createSecret("db");
    await expect
      .poll(() => space.conditionOf(SharedSecret, "db", "Synced"))
      .toMatchObject({ status: "False", reason: "NameTaken" });
    expect(await space.valueIn("db-secret")).toBe("x");
  });
});

describe("podsRestartRequired", () => {
  async function sharedWithTwo(space: SharedSecretSpace): Promise<void> {
    await space.createApproved("db");
    for (const name of ["one", "two"]) {
      await space.createDeployment(name, { replicas: 2 });
      await space.allowDeployment("db", name);
    }
    await space.hasConsumers("db", "Deployment/one", "Deployment/two");
    await space.hasPods("one", 2);
    await space.hasPods("two", 2);
  }

  it.each([
    ["of the object", (space: SharedSecretSpace) => space.flag("db")],
    ["of the status", (space: SharedSecretSpace) => space.flagStatus("db")],
  ])("%s restarts all read-only consumers, and becomes false when they were", async (_, flag) => {
    const space = await newSpace();
    await sharedWithTwo(space);
    const before = new Set((await space.readyPods()).map(({ metadata }) => metadata.uid));
    await flag(space);
    await space.isRestarted("db");
    const after = await space.readyPods();
    expect(after.filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);
    expect([await space.rolloutsOf("one"), await space.rolloutsOf("two")]).toEqual([1, 1]);
    expect(await space.eventsAbout(SharedSecret, "db")).toEqual(
      expect.arrayContaining(["Normal ConsumerRestarted", "Normal RestartFinished", "Normal RestartStarted"]),
    );
  });

  it("stays as it is, and restarts nothing, while it is false", async () => {
    const space = await newSpace();
    await sharedWithTwo(space);
    await space.kubectl("annotate", "sharedsecret", "db", "note=1");
    await space.kubectl(
      "patch",
      "sharedsecret",
      "db",
      "--type=merge",
      "-p",
      '{"spec":{"restart":{"allowDeletion":true}}}',
    );
    await expect.poll(async () => (await space.status("db")).observedGeneration).toBe(2);
    expect([await space.rolloutsOf("one"), await space.rolloutsOf("two")]).toEqual([0, 0]);
  });

  it("does not restart read-write consumers, and none that are not approved", async () => {
    const space = await newSpace();
    await sharedWithTwo(space);
    await space.createDeployment("writer");
    await space.createDeployment("stranger");
    await space.allowDeployment("db", "writer", "ReadWrite");
    await space.hasConsumers("db", "Deployment/one", "Deployment/two", "Deployment/writer");
    await space.flag("db");
    await space.isRestarted("db");
    expect([await space.rolloutsOf("writer"), await space.rolloutsOf("stranger")]).toEqual([0, 0]);
  });

  it("stays true until all were restarted; a failure is recorded for its consumer, and delays no other", async () => {
    const space = await newSpace();
    const { namespace } = space;
    await space.createApproved("db");
    await space.createDeployment("one");
    await space.allowDeployment("db", "one");
    const labels = { app: "held" };
    const container = { name: "app", image: "app" };
    const template = {
      metadata: { labels },
      spec: { containers: [container], terminationGracePeriodSeconds: 0 },
    };
    await world.client.create(ReplicaSet, {
      metadata: { namespace, name: "held" },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    await world.client.create(PodDisruptionBudget, {
      metadata: { namespace, name: "held" },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    await space.allow("db", { kind: "ReplicaSet", name: "held" });
    await space.hasConsumers("db", "Deployment/one", "ReplicaSet/held");
    const [held] = await space.hasPods("held", 1);
    await space.hasPods("one", 1);
    await expect
      .poll(async () => (await space.get(PodDisruptionBudget, "held")).status?.currentHealthy)
      .toBe(1);
    await space.flag("db");
    const consumer = async (name: string) =>
      (await space.status("db")).consumers?.find((each) => each.consumer === `${namespace}/${name}`);
    await expect
      .poll(() => consumer("ReplicaSet/held"))
      .toMatchObject({
        problem: expect.stringContaining("disruption budget"),
        failures: 1,
      });
    await expect.poll(() => consumer("Deployment/one")).toMatchObject({ restartedAt: expect.any(String) });
    expect((await space.get(SharedSecret, "db")).podsRestartRequired).toBe(true);
    expect(await space.conditionOf(SharedSecret, "db", "ConsumersRestarted")).toMatchObject({
      status: "False",
      reason: "RestartFailed",
    });
    expect(await space.eventsAbout(SharedSecret, "db")).toContain("Warning RestartFailed");
    await space.kubectl("delete", "pdb", "held");
    await space.isRestarted("db");
    const [replaced] = await space.hasPods("held", 1);
    expect(replaced?.metadata.uid).not.toBe(held?.metadata.uid);
    expect(await consumer("ReplicaSet/held")).not.toHaveProperty("problem");
    expect(await space.rolloutsOf("one")).toBe(1);
  });

  it("set again with another value during the restart restarts those too that were restarted already", async () => {
    const space = await newSpace();
    await space.createApproved("db");
    await space.createDeployment("one");
    await space.allowDeployment("db", "one");
    await space.createDeployment("paused");
    await space.allowDeployment("db", "paused");
    await space.hasConsumers("db", "Deployment/one", "Deployment/paused");
    await space.kubectl("rollout", "pause", "deployment/paused");
    await space.writeValue("db", "first");
    await space.flagStatus("db");
    await expect.poll(() => space.rolloutsOf("one")).toBe(1);
    await space.writeValue("db", "second");
    await space.flagStatus("db");
    await expect.poll(() => space.rolloutsOf("one")).toBe(2);
    expect((await space.status("db")).podsRestartRequired).toBe(true);
    await space.kubectl("rollout", "resume", "deployment/paused");
    await space.isRestarted("db");
  });

  it("is not needed if the value changes: the consumers are restarted all the same", async () => {
    const space = await newSpace();
    await sharedWithTwo(space);
    await space.writeValue("db", "another");
    await expect.poll(() => space.rolloutsOf("two")).toBe(1);
    await space.isRestarted("db");
    expect(await space.rolloutsOf("one")).toBe(1);
  });
});
