import { startWorld, type World } from "@keelson/testkit";
import { Job } from "keelson/kinds/batch/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import { backup } from "../../src/operator.ts";
import { SeenPhases } from "../support/seen-phases.ts";
import { BackUpSpace, endless } from "../support/space.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await world.runOperator(backup);
});
afterAll(() => world?.stop());

async function imageOf(space: BackUpSpace, job: string): Promise<string | undefined> {
  return (await space.find(Job, job))?.spec?.template.spec?.containers[0]?.image;
}

describe("a changed image, while a Job runs", () => {
  it("waits for the Job if updatePolicy is Wait, and the condition UpToDate shows it", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("patient", { image: "backup:1", ...endless });
    await space.reaches("patient", "Running");
    const { metadata } = await space.get(Job, "job-patient");
    await space.change("patient", { image: "backup:2", podAnnotations: null });
    expect(await space.shows("patient", "UpToDate", "False", "ImageUpdated")).toBe(
      "Image Updated; waiting for Job job-patient of the earlier spec to finish",
    );
    await space.reaches("patient", "Running");
    expect((await space.get(Job, "job-patient")).metadata).toMatchObject({ uid: metadata.uid });
    expect((await space.get(Job, "job-patient")).metadata.deletionTimestamp).toBeUndefined();

    await space.endRun("job-patient");
    await expect.poll(() => imageOf(space, "job-patient")).toBe("backup:2");
    await expect.poll(async () => (await space.get(BackUp, "patient")).status?.successes).toBe(2);
    const { status } = await space.reaches("patient", "Succeeded");
    expect(status?.history).toMatchObject([
      { image: "backup:2", result: "Succeeded" },
      { image: "backup:1", result: "Succeeded" },
    ]);
    await space.shows("patient", "UpToDate", "True", "UpToDate");
  });

  it("replaces the Job if updatePolicy is Replace, with phase Updating meanwhile", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("hasty", { image: "backup:1", updatePolicy: "Replace", ...endless });
    await space.reaches("hasty", "Running");
    await using seen = await SeenPhases.of(world.client, space.namespace, "hasty");
    await space.change("hasty", { image: "backup:2" });
    await expect.poll(() => imageOf(space, "job-hasty")).toBe("backup:2");
    const { status } = await space.reaches("hasty", "Running");
    expect(status?.history).toMatchObject([{ image: "backup:1", result: "Replaced" }]);
    await expect.poll(() => seen.phases.join(" ")).toMatch(/Updating( Pending)? Running$/);
    expect([...seen.messages]).toContain("Image Updated");
    await expect.poll(() => space.eventsOf("hasty")).toEqual(["Normal CreatedJob", "Normal EndedJob"]);
  });

  it("replaces a Job that is suspended with any updatePolicy", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("asleep", { image: "backup:1", suspend: true });
    await space.reaches("asleep", "Suspended");
    await space.change("asleep", { image: "backup:2" });
    await expect.poll(() => imageOf(space, "job-asleep")).toBe("backup:2");
    await space.reaches("asleep", "Suspended");
    await space.change("asleep", { suspend: false });
    await space.reaches("asleep", "Succeeded");
  });

  it("replaces a Job whose image does not exist with any updatePolicy", async () => {
    const space = await BackUpSpace.create(world);
    const unpullable = { "hollow.keelson.dev/pull": "fail" };
    await space.create("misspelt", { image: "bakcup:1", podAnnotations: unpullable });
    await expect.poll(async () => (await space.get(BackUp, "misspelt")).status?.active).toBe(1);
    await space.reaches("misspelt", "Pending");
    await space.change("misspelt", { image: "backup:1", podAnnotations: null });
    const { status } = await space.reaches("misspelt", "Succeeded");
    expect(status?.history).toMatchObject([{ image: "backup:1" }]);
  });

  it("shows a changed type as SpecUpdated", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("typed", { image: "backup:1", ...endless });
    await space.reaches("typed", "Running");
    await space.change("typed", { backupType: "incremental" });
    await space.shows("typed", "UpToDate", "False", "SpecUpdated");
  });
});

describe("a changed image of a schedule, while a run is under way", () => {
  const yearly = { schedule: "0 0 1 1 *", image: "backup:1" };

  it("is used by the next run if updatePolicy is Wait", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("calm", { ...yearly, ...endless });
    await space.reaches("calm", "Pending");
    await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-calm");
    await space.reaches("calm", "Running");
    await space.change("calm", { image: "backup:2", podAnnotations: null });
    expect(await space.shows("calm", "UpToDate", "False", "ImageUpdated")).toBe(
      "Image Updated; waiting for Job by-hand of the earlier spec to finish",
    );
    expect(await imageOf(space, "by-hand")).toBe("backup:1");
    await space.endRun("by-hand");
    await space.reaches("calm", "Succeeded");
    await space.shows("calm", "UpToDate", "True", "UpToDate");
    await space.kubectl("create", "job", "next", "--from=cronjob/job-calm");
    const history = async () => (await space.get(BackUp, "calm")).status?.history?.map(({ image }) => image);
    await expect.poll(history).toEqual(["backup:2", "backup:1"]);
  });

  it("replaces that run at once if updatePolicy is Replace", async () => {
    const space = await BackUpSpace.create(world);
    await space.create("brisk", { ...yearly, updatePolicy: "Replace", ...endless });
    await space.reaches("brisk", "Pending");
    await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-brisk");
    await space.reaches("brisk", "Running");
    await space.change("brisk", { image: "backup:2", podAnnotations: null });
    await expect.poll(async () => (await space.get(BackUp, "brisk")).status?.successes).toBe(1);
    const { status } = await space.get(BackUp, "brisk");
    expect(status?.history).toMatchObject([
      { image: "backup:2", result: "Succeeded" },
      { image: "backup:1", result: "Replaced", job: "by-hand" },
    ]);
    expect(status?.history?.[0]?.job).toMatch(/^job-brisk-[0-9a-f]{8}$/);
    // The replacement has finished, and the schedule continues.
    await expect.poll(() => space.jobs()).toEqual([]);
    await expect
      .poll(() => space.kubectl("get", "cronjob", "job-brisk", "-o", "jsonpath={.spec.suspend}"))
      .toBe("false");
    await space.reaches("brisk", "Succeeded");
  });

  it("replaces a run whose image does not exist at once, with any updatePolicy", async () => {
    const space = await BackUpSpace.create(world);
    const unpullable = { "hollow.keelson.dev/pull": "fail" };
    await space.create("stuck", { ...yearly, image: "bakcup:1", podAnnotations: unpullable });
    await space.reaches("stuck", "Pending");
    await space.kubectl("create", "job", "by-hand", "--from=cronjob/job-stuck");
    await space.shows("stuck", "Progressing", "True", "WaitingForWorkers");
    await space.change("stuck", { image: "backup:1", podAnnotations: null });
    await expect.poll(async () => (await space.get(BackUp, "stuck")).status?.successes).toBe(1);
    const { status } = await space.reaches("stuck", "Succeeded");
    expect(status?.history).toMatchObject([{ image: "backup:1", result: "Succeeded" }]);
    await expect.poll(() => space.jobs()).toEqual([]);
    await space.shows("stuck", "UpToDate", "True", "UpToDate");
  });
});
