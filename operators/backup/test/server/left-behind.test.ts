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

/** Deletes a BackUp and keeps what it made. A garbage collector may need its time to learn of a new kind. */
async function leave(space: BackUpSpace, name: string): Promise<void> {
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

describe("what a BackUp left behind that was deleted without it", { timeout: 150_000 }, () => {
  it("is taken back by one of the same name: a Job that runs goes on", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("kept", { image: "backup:1", ...endless });
    await space.reaches("kept", "Running");
    const { metadata } = await space.get(Job, "job-kept");
    await leave(space, "kept");
    await expect.poll(() => ownerOf(space, Job, "job-kept")).toBeUndefined();
    const again = await space.create("kept", { image: "backup:1", ...endless });
    await space.reaches("kept", "Running");
    expect(await ownerOf(space, Job, "job-kept")).toBe(again.metadata.uid);
    expect((await space.get(Job, "job-kept")).metadata.uid).toBe(metadata.uid);
    expect(await space.eventsOf("kept")).not.toContain("Warning NameTaken");
  });

  it("is taken back by one of the same name: a Job that has run is not run again", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("over", { image: "backup:1" });
    await space.reaches("over", "Succeeded");
    const { metadata } = await space.get(Job, "job-over");
    await leave(space, "over");
    const again = await space.create("over", { image: "backup:1" });
    const { status } = await space.reaches("over", "Succeeded");
    expect(status).toMatchObject({ successes: 1, history: [{ uid: metadata.uid }] });
    expect(await ownerOf(space, Job, "job-over")).toBe(again.metadata.uid);
  });

  it("is taken back by one of the same name: a CronJob, with the runs that it controls", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("nightly", yearly);
    await space.reaches("nightly", "Pending");
    await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-nightly");
    await space.reaches("nightly", "Succeeded");
    await leave(space, "nightly");
    const again = await space.create("nightly", { ...yearly, schedule: "0 0 2 2 *" });
    await space.reaches("nightly", "Succeeded");
    expect(await ownerOf(space, CronJob, "job-nightly")).toBe(again.metadata.uid);
    await expect.poll(async () => (await space.get(CronJob, "job-nightly")).spec?.schedule).toBe("0 0 2 2 *");
  });

  it("is removed if one of the same name does not want it", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("changed", yearly);
    await space.reaches("changed", "Pending");
    await leave(space, "changed");
    await space.create("changed", { image: "backup:1" });
    await space.reaches("changed", "Succeeded");
    await expect.poll(() => space.find(CronJob, "job-changed")).toBeUndefined();
  });
});

it("does not wait for a run that somebody took from its schedule", { timeout: 150_000 }, async () => {
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

it("waits without a complaint for the Job of a former BackUp of the same name to go", {
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

it("is not taken back by a BackUp whose own deletion is not heard of yet", { timeout: 150_000 }, async () => {
  const space = await BackUpSpace.create(world);
  const { namespace } = space;
  await space.create("left", { image: "backup:1" });
  await space.reaches("left", "Succeeded");
  await operator.stop();
  // It hears of the BackUp that is there, and of nothing that happens to it.
  const deaf = await runOperator(backup, {
    access: world.cluster,
    namespaces: [namespace],
    wrap: (transport) => {
      const faulty = faultyTransport(transport);
      faulty.fault({ path: /\/backups$/, watch: true }, faults.blackholeAfter(2));
      return faulty;
    },
  });
  onTestFinished(() => deaf.stop());
  await deaf.idle();
  const before = await reconcilesOf(deaf);
  await leave(space, "left");
  await expect.poll(() => reconcilesOf(deaf)).toBeGreaterThan(before);
  await deaf.idle();
  expect(deaf.writes.filter(({ resource }) => resource === "jobs.batch")).toEqual([]);
  expect(await ownerOf(space, Job, "job-left")).toBeUndefined();
});
