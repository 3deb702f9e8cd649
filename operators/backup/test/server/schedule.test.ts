import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { controllerOf } from "keelson";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import { backup } from "../../src/operator.ts";
import { BackUpSpace, endless, failing } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(backup);
});
afterAll(() => world?.stop());

const yearly = { schedule: "0 0 1 1 *", image: "backup:1" };

describe("a BackUp with a schedule", () => {
  it("owns a CronJob that has every field of the spec", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("nightly", {
      ...yearly,
      timeZone: "Europe/Berlin",
      replicas: 2,
      retain: { successful: 5, failed: 0 },
    });
    const { metadata, status } = await space.reaches("nightly", "Pending");
    const cronJob = await space.get(CronJob, "job-nightly");
    expect(controllerOf(cronJob)).toMatchObject({ kind: "BackUp", uid: metadata.uid });
    expect(cronJob.spec).toMatchObject({
      schedule: "0 0 1 1 *",
      timeZone: "Europe/Berlin",
      suspend: false,
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 3600,
      successfulJobsHistoryLimit: 5,
      failedJobsHistoryLimit: 1,
    });
    expect(cronJob.spec?.jobTemplate.spec).toMatchObject({ parallelism: 2, completions: 2 });
    expect(status?.nextRunTime).toMatch(/^\d{4}-12-31T23:00:00Z$/);
    await space.shows("nightly", "Progressing", "False", "WaitingForSchedule");
    expect(await space.jobs()).toEqual([]);
  });

  it("records how its runs ended", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("recorded", yearly);
    await space.reaches("recorded", "Pending");
    await space.kubectl("create", "job", "first", "--from=cronjob/job-recorded");
    await space.reaches("recorded", "Succeeded");
    await space.change("recorded", failing);
    await expect
      .poll(() =>
        space.kubectl(
          "get",
          "cronjob",
          "job-recorded",
          "-o",
          "jsonpath={.spec.jobTemplate.spec.backoffLimit}",
        ),
      )
      .toBe("0");
    await space.kubectl("create", "job", "second", "--from=cronjob/job-recorded");
    const { status } = await space.reaches("recorded", "Failed");
    expect(status).toMatchObject({
      successes: 1,
      failures: 1,
      history: [
        { job: "second", result: "Failed" },
        { job: "first", result: "Succeeded" },
      ],
    });
    expect(status?.lastSuccessTime).toBe(status?.history?.[1]?.end);
  });

  it("keeps as many entries of its history as retain allows, also when the Jobs are deleted", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("kept", { ...yearly, retain: { successful: 1 } });
    await space.reaches("kept", "Pending");
    for (const [index, job] of ["run-1", "run-2", "run-3"].entries()) {
      await space.kubectl("create", "job", job, "--from=cronjob/job-kept");
      await expect.poll(async () => (await space.get(BackUp, "kept")).status?.successes).toBe(index + 1);
    }
    await space.kubectl("delete", "jobs", "--all");
    const history = async () => (await space.get(BackUp, "kept")).status?.history?.map(({ job }) => job);
    await expect.poll(history).toEqual(["run-3"]);
    expect((await space.get(BackUp, "kept")).status).toMatchObject({ phase: "Succeeded", successes: 3 });
  });

  it("is suspended and resumed with its CronJob", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("paused", { ...yearly, suspend: true });
    const { status } = await space.reaches("paused", "Suspended");
    expect(status?.nextRunTime).toBeUndefined();
    expect((await space.get(CronJob, "job-paused")).spec?.suspend).toBe(true);
    await space.change("paused", { suspend: false });
    expect((await space.reaches("paused", "Pending")).status?.nextRunTime).toBeDefined();
    expect((await space.get(CronJob, "job-paused")).spec?.suspend).toBe(false);
  });

  it("corrects fields of its CronJob that a user changed, and leaves those that a user added", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("corrected", yearly);
    await space.reaches("corrected", "Pending");
    const patch = {
      metadata: { annotations: { note: "mine" } },
      spec: { schedule: "* * * * *", suspend: true },
    };
    await space.kubectl("patch", "cronjob", "job-corrected", "--type=merge", "-p", JSON.stringify(patch));
    await expect
      .poll(async () => (await space.get(CronJob, "job-corrected")).spec)
      .toMatchObject({ schedule: "0 0 1 1 *", suspend: false });
    expect((await space.get(CronJob, "job-corrected")).metadata.annotations).toMatchObject({ note: "mine" });
    await space.kubectl("delete", "cronjob", "job-corrected");
    await expect.poll(() => space.find(CronJob, "job-corrected")).toBeDefined();
  });
});

it("waits while its CronJob is being deleted, and creates another", async () => {
  const space = await BackUpSpace.create(world);
  await space.create("held", yearly);
  await space.reaches("held", "Pending");
  const finalizers = (list: readonly string[]) => JSON.stringify({ metadata: { finalizers: list } });
  await space.kubectl("patch", "cronjob", "job-held", "--type=merge", "-p", finalizers(["example.com/held"]));
  await space.kubectl("delete", "cronjob", "job-held", "--wait=false");
  const { metadata } = await space.get(CronJob, "job-held");
  await space.change("held", { image: "backup:2" });
  await space.reaches("held", "Pending");
  await space.shows("held", "Degraded", "False", "AsExpected");
  await space.kubectl("patch", "cronjob", "job-held", "--type=merge", "-p", finalizers([]));
  await expect.poll(async () => (await space.find(CronJob, "job-held"))?.metadata.uid).not.toBe(metadata.uid);
  await expect.poll(() => space.find(CronJob, "job-held")).toBeDefined();
});

describe("a BackUp that gets or loses its schedule", () => {
  it("replaces its Job by a CronJob, and keeps the result", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("later", { image: "backup:1" });
    await space.reaches("later", "Succeeded");
    await space.change("later", { schedule: "0 0 1 1 *" });
    await expect.poll(() => space.find(CronJob, "job-later")).toBeDefined();
    await expect.poll(() => space.jobs()).toEqual([]);
    const { status } = await space.reaches("later", "Succeeded");
    expect(status).toMatchObject({ successes: 1, history: [{ job: "job-later" }] });
  });

  it("replaces its CronJob by a Job", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("now", yearly);
    await space.reaches("now", "Pending");
    await space.change("now", { schedule: null });
    await space.reaches("now", "Succeeded");
    expect(await space.find(CronJob, "job-now")).toBeUndefined();
    expect(await space.find(Job, "job-now")).toBeDefined();
  });

  it("lets the run of its schedule finish first if updatePolicy is Wait", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("slow", { ...yearly, ...endless });
    await space.reaches("slow", "Pending");
    await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-slow");
    await space.reaches("slow", "Running");
    await space.change("slow", { schedule: null, podAnnotations: null });
    await expect.poll(async () => (await space.get(CronJob, "job-slow")).spec?.suspend).toBe(true);
    await operator.idle();
    expect((await space.jobs()).map(({ metadata }) => metadata.name)).toEqual(["by-hand"]);
    await space.endRun("by-hand");
    await expect.poll(async () => (await space.get(BackUp, "slow")).status?.successes).toBe(2);
    const { status } = await space.reaches("slow", "Succeeded");
    expect(status?.history?.map(({ job }) => job)).toEqual(["job-slow", "by-hand"]);
    expect(await space.find(CronJob, "job-slow")).toBeUndefined();
  });
});
