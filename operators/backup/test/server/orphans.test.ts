import {
  faults,
  faultyTransport,
  type RunningOperator,
  runOperator,
  startWorld,
  type World,
} from "@keelson/testkit";
import { controllerOf } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import { backup } from "../../src/operator.ts";
import { reconcilesOf } from "../support/reconciles.ts";
import { SeenPhases } from "../support/seen-phases.ts";
import { BackUpSpace, endless } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(backup);
});
afterAll(() => world?.stop());

const yearly = { schedule: "0 0 1 1 *", image: "backup:1" };

/** Deletes a BackUp and orphans its objects. The garbage collector may need some time to discover a new kind. */
async function orphan(space: BackUpSpace, name: string): Promise<void> {
  await space.kubectl("delete", "bks", name, "--cascade=orphan", "--timeout=90s");
}

async function ownerOf(
  space: BackUpSpace,
  kind: typeof Job | typeof CronJob,
  name: string,
): Promise<unknown> {
  const object = await space.find<Job | CronJob>(kind, name);
  return object === undefined ? undefined : controllerOf(object)?.uid;
}

describe("an orphan of a BackUp that was deleted", { timeout: 150_000 }, () => {
  it("is adopted by a BackUp of the same name: a Job that runs goes on", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("kept", { image: "backup:1", ...endless });
    await space.reaches("kept", "Running");
    const { metadata } = await space.get(Job, "job-kept");
    await orphan(space, "kept");
    await expect.poll(() => ownerOf(space, Job, "job-kept")).toBeUndefined();
    const again = await space.create("kept", { image: "backup:1", ...endless });
    await space.reaches("kept", "Running");
    expect(await ownerOf(space, Job, "job-kept")).toBe(again.metadata.uid);
    expect((await space.get(Job, "job-kept")).metadata.uid).toBe(metadata.uid);
    expect(await space.eventsOf("kept")).not.toContain("Warning NameTaken");
  });

  it("is adopted by a BackUp of the same name: a Job that has finished does not run again", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("over", { image: "backup:1" });
    await space.reaches("over", "Succeeded");
    const { metadata } = await space.get(Job, "job-over");
    await orphan(space, "over");
    const again = await space.create("over", { image: "backup:1" });
    const { status } = await space.reaches("over", "Succeeded");
    expect(status).toMatchObject({ successes: 1, history: [{ uid: metadata.uid }] });
    expect(await ownerOf(space, Job, "job-over")).toBe(again.metadata.uid);
  });

  it("is adopted by a BackUp of the same name: a CronJob, with the runs that it controls", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("nightly", yearly);
    await space.reaches("nightly", "Pending");
    await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-nightly");
    await space.reaches("nightly", "Succeeded");
    await orphan(space, "nightly");
    const again = await space.create("nightly", { ...yearly, schedule: "0 0 2 2 *" });
    await space.reaches("nightly", "Succeeded");
    expect(await ownerOf(space, CronJob, "job-nightly")).toBe(again.metadata.uid);
    await expect.poll(async () => (await space.get(CronJob, "job-nightly")).spec?.schedule).toBe("0 0 2 2 *");
  });

  it("is deleted if a BackUp of the same name does not need it", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("changed", yearly);
    await space.reaches("changed", "Pending");
    await orphan(space, "changed");
    await space.create("changed", { image: "backup:1" });
    await space.reaches("changed", "Succeeded");
    await expect.poll(() => space.find(CronJob, "job-changed")).toBeUndefined();
  });
});

it("does not wait for a run whose CronJob was deleted without it", { timeout: 150_000 }, async () => {
  const space = await BackUpSpace.create(world);
  await space.create("taken", { ...yearly, ...endless });
  await space.reaches("taken", "Pending");
  await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-taken");
  await space.reaches("taken", "Running");
  await space.kubectl("delete", "cronjob", "job-taken", "--cascade=orphan", "--timeout=90s");
  await space.change("taken", { schedule: null, podAnnotations: null });
  await space.reaches("taken", "Succeeded");
  expect((await space.get(BackUp, "taken")).status?.running).toEqual([]);
  expect(await ownerOf(space, Job, "by-hand")).toBeUndefined();
});

it("waits without a problem until the Job of an earlier BackUp of the same name is deleted", {
  timeout: 150_000,
}, async () => {
  const space = await BackUpSpace.create(world);
  await space.create("renewed", { image: "backup:1", ...endless });
  await space.reaches("renewed", "Running");
  const { metadata } = await space.get(Job, "job-renewed");
  await space.kubectl("delete", "bks", "renewed");
  await using seen = await SeenPhases.of(world.client, space.namespace, "renewed");
  const again = await space.create("renewed", { image: "backup:1" });
  await expect
    .poll(async () => (await space.get(BackUp, "renewed")).status?.phase, { timeout: 90_000 })
    .toBe("Succeeded");
  expect(await ownerOf(space, Job, "job-renewed")).toBe(again.metadata.uid);
  expect((await space.get(Job, "job-renewed")).metadata.uid).not.toBe(metadata.uid);
  expect(seen.phases).not.toContain("Failed");
});

it("is not adopted by a BackUp whose deletion has not reached the cache yet", {
  timeout: 150_000,
}, async () => {
  const space = await BackUpSpace.create(world);
  const { namespace } = space;
  await space.create("left", { image: "backup:1" });
  await space.reaches("left", "Succeeded");
  await operator.stop();
  // Its cache contains the BackUp, and receives no later change of it.
  const stale = await runOperator(backup, {
    access: world.cluster,
    namespaces: [namespace],
    wrap: (transport) => {
      const faulty = faultyTransport(transport);
      faulty.fault({ path: /\/backups$/, watch: true }, faults.blackholeAfter(2));
      return faulty;
    },
  });
  onTestFinished(() => stale.stop());
  await stale.idle();
  const before = await reconcilesOf(stale);
  await orphan(space, "left");
  await expect.poll(() => reconcilesOf(stale)).toBeGreaterThan(before);
  await stale.idle();
  expect(stale.writes.filter(({ resource }) => resource === "jobs.batch")).toEqual([]);
  expect(await ownerOf(space, Job, "job-left")).toBeUndefined();
});
