import {
  type FaultyTransport,
  faults,
  faultyTransport,
  type RequestMatch,
  runOperator,
  startWorld,
  type World,
} from "@keelson/testkit";
import { controllerOf, mergePatch, type Stored } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { ConfigMap } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import { backupLabel } from "../../src/api/names.ts";
import { backup } from "../../src/operator.ts";
import { BackUpSpace, endless } from "../support/space.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(() => world?.stop());

const container = { name: "main", image: "other:1" };
const foreign = {
  suspend: true,
  backoffLimit: 9,
  template: { spec: { restartPolicy: "Never" as const, containers: [container] } },
};

/** Runs the operator in one namespace, and holds its first request of this sort back until `act` has resolved. */
async function whileHeld(
  { namespace }: BackUpSpace,
  match: RequestMatch,
  request: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<void> {
  const connections: FaultyTransport[] = [];
  const operator = await runOperator(backup, {
    ...{ access: world.cluster, namespaces: [namespace] },
    wrap: (transport) => {
      const faulty = faultyTransport(transport);
      connections.push(faulty);
      return faulty;
    },
  });
  onTestFinished(() => operator.stop());
  const hold = connections.map((faulty) => faulty.fault(match, faults.hold()));
  await request();
  await expect.poll(() => connections.some(({ heldRequests }) => heldRequests.length > 0)).toBe(true);
  for (const rule of hold) rule.remove();
  await act();
  for (const faulty of connections) faulty.releaseAll();
  await operator.idle();
}

async function replaceJob(space: BackUpSpace, name: string): Promise<void> {
  const { namespace } = space;
  await world.client.delete(Job, { namespace, name }, { propagationPolicy: "Background" });
  await expect.poll(() => space.find(Job, name)).toBeUndefined();
  await world.client.create(Job, { metadata: { namespace, name }, spec: foreign });
}

describe("a write", () => {
  it("does not delete a Job that has taken the place of the one to delete", async () => {
    const space = await BackUpSpace.create(world);
    await whileHeld(
      space,
      { method: "DELETE", path: /\/jobs\/job-mine$/ },
      async () => {
        await space.create("mine", { image: "backup:1", suspend: true });
        await space.reaches("mine", "Suspended");
        await space.change("mine", { image: "backup:2" });
      },
      () => replaceJob(space, "job-mine"),
    );
    await space.shows("mine", "Degraded", "True", "NameTaken");
    const { metadata, spec } = await space.get(Job, "job-mine");
    expect([metadata.deletionTimestamp, spec?.backoffLimit]).toEqual([undefined, 9]);
  });

  it("does not change a Job that has taken the place of the one to change", async () => {
    const space = await BackUpSpace.create(world);
    const isPatch: RequestMatch = ({ method, path, headers }) =>
      method === "PATCH" &&
      path.endsWith("/jobs/job-mine") &&
      headers["content-type"]?.includes("merge") === true;
    await whileHeld(
      space,
      isPatch,
      async () => {
        await space.create("mine", { image: "backup:1", suspend: true });
        await space.reaches("mine", "Suspended");
        await space.change("mine", { retries: 5 });
      },
      () => replaceJob(space, "job-mine"),
    );
    await space.shows("mine", "Degraded", "True", "NameTaken");
    expect((await space.get(Job, "job-mine")).spec?.backoffLimit).toBe(9);
  });

  it("does not suspend a CronJob that has taken the place of the one to suspend", async () => {
    const space = await BackUpSpace.create(world);
    const { namespace } = space;
    const key = { namespace, name: "job-mine" };
    const isPatch: RequestMatch = ({ method, path, headers }) =>
      method === "PATCH" &&
      path.endsWith("/cronjobs/job-mine") &&
      headers["content-type"]?.includes("merge") === true;
    await whileHeld(
      space,
      isPatch,
      async () => {
        await space.create("mine", { image: "backup:1", schedule: "0 0 1 1 *", ...endless });
        await space.reaches("mine", "Pending");
        await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-mine");
        await space.reaches("mine", "Running");
        await space.change("mine", { schedule: null });
      },
      async () => {
        await world.client.delete(CronJob, key, { propagationPolicy: "Background" });
        const spec = { schedule: "0 0 1 1 *", jobTemplate: { spec: foreign } };
        await world.client.create(CronJob, { metadata: key, spec });
      },
    );
    expect((await space.get(CronJob, "job-mine")).spec?.suspend).toBe(false);
  });

  it("does not adopt a Job that another controller has adopted in the meantime", async () => {
    const space = await BackUpSpace.create(world);
    const { namespace } = space;
    const other = await world.client.create(ConfigMap, { metadata: { namespace, name: "other" } });
    const owner = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "other",
      uid: other.metadata.uid,
      controller: true,
    };
    const setOwners = (ownerReferences: readonly object[] | null): Promise<Stored<Job>> =>
      world.client.patch(Job, { namespace, name: "job-mine" }, mergePatch({ metadata: { ownerReferences } }));
    const isAdoption: RequestMatch = ({ method, path, body = "" }) =>
      method === "PATCH" &&
      path.endsWith("/jobs/job-mine") &&
      body.includes("ownerReferences") &&
      body.includes("resourceVersion");
    await whileHeld(
      space,
      ({ body, ...request }) =>
        body !== undefined && !body.includes('"spec"') && isAdoption({ ...request, body }),
      async () => {
        await space.create("mine", { image: "backup:1", suspend: true });
        await space.reaches("mine", "Suspended");
        await setOwners(null);
      },
      () => setOwners([owner]),
    );
    await space.shows("mine", "Degraded", "True", "NameTaken");
    expect(controllerOf(await space.get(Job, "job-mine"))?.uid).toBe(other.metadata.uid);
  });
});

it("does not record a run as deleted whose Job exists on the server", async () => {
  const space = await BackUpSpace.create(world);
  const operator = await runOperator(backup, { access: world.cluster, namespaces: [space.namespace] });
  onTestFinished(() => operator.stop());
  await space.create("mine", { image: "backup:1", schedule: "0 0 1 1 *", ...endless });
  await space.reaches("mine", "Pending");
  await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-mine");
  await space.reaches("mine", "Running");
  const { status: before } = await space.get(BackUp, "mine");
  // The cache finds the runs of a schedule by this label.
  await space.kubectl("label", "job", "by-hand", `${backupLabel}-`);
  await expect.poll(async () => (await space.get(BackUp, "mine")).status?.active).toBe(0);
  await operator.idle();
  const { status } = await space.get(BackUp, "mine");
  expect(status).toMatchObject({ running: before?.running, history: [] });
});
