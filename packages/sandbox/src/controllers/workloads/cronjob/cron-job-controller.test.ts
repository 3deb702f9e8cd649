import { CronJob, type CronJobSpec, Job } from "@keelson/core/kinds/batch/v1";
import { describe, expect, it } from "vitest";
import {
  startHollowPods,
  succeededStatus,
  type WorkloadWorld,
  workloadWorld,
} from "../../../../test/support/workload-world.ts";
import { startJobController } from "../job/job-controller.ts";
import { startCronJobController } from "./cron-job-controller.ts";

const succeeding = startHollowPods(succeededStatus);
const minute = 60_000;

function cronJob(spec: Partial<CronJobSpec> = {}): CronJob {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { namespace: "shop", name: "tick" },
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        metadata: { labels: { app: "tick" } },
        spec: {
          template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "tool" }] } },
        },
      },
      ...spec,
    },
  };
}

function names(world: WorkloadWorld): readonly (string | undefined)[] {
  return world.list(Job).map(({ metadata }) => metadata.name);
}

describe("the CronJob controller", () => {
  it("creates a Job at each time, and reports as the real one does", async () => {
    const world = workloadWorld([startCronJobController, startJobController, succeeding]);
    await world.create(CronJob, cronJob());
    expect(names(world)).toEqual([]);
    await world.clock.advance(minute + 200);
    expect(names(world)).toEqual(["tick-29453761"]);
    const job = world.get(Job, "tick-29453761");
    expect(job.metadata).toMatchObject({
      labels: { app: "tick" },
      annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:01:00Z" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "tick", controller: true }],
    });
    expect(world.get(CronJob, "tick").status).toEqual({
      lastScheduleTime: "2026-01-01T00:01:00Z",
      lastSuccessfulTime: "2026-01-01T00:01:00Z",
    });
    expect(world.events()).toContain("Normal SuccessfulCreate Created job tick-29453761");
    expect(world.events()).toContain(
      "Normal SawCompletedJob Saw completed job: tick-29453761, condition: Complete",
    );
    expect(world.errors).toEqual([]);
    await world.stop();
    expect(world.clock.pendingTimers).toEqual([]);
  });

  it("runs for a day, and keeps the last Jobs only", async () => {
    const world = workloadWorld([startCronJobController, startJobController, succeeding]);
    await world.create(CronJob, cronJob({ schedule: "*/30 * * * *" }));
    let created = 0;
    world.context.watch(Job, ({ type }) => {
      if (type === "ADDED") created++;
    });
    await world.clock.advance(24 * 60 * minute + 200);
    expect(created).toBe(48);
    expect(names(world)).toHaveLength(3);
    expect(world.get(CronJob, "tick").status).toMatchObject({ lastScheduleTime: "2026-01-02T00:00:00Z" });
    await world.stop();
  });

  it("records a success whose Job it does not keep", async () => {
    const world = workloadWorld([startCronJobController, startJobController, succeeding]);
    await world.create(CronJob, cronJob({ successfulJobsHistoryLimit: 0 }));
    await world.clock.advance(minute + 200);
    expect(names(world)).toEqual([]);
    expect(world.get(CronJob, "tick").status).toEqual({
      lastScheduleTime: "2026-01-01T00:01:00Z",
      lastSuccessfulTime: "2026-01-01T00:01:00Z",
    });
    await world.stop();
  });

  it("lists the Jobs that run", async () => {
    const world = workloadWorld([startCronJobController]);
    await world.create(CronJob, cronJob());
    await world.clock.advance(2 * minute + 200);
    const { active } = world.get(CronJob, "tick").status ?? {};
    expect(active).toMatchObject([
      { apiVersion: "batch/v1", kind: "Job", name: "tick-29453761", namespace: "shop" },
      { apiVersion: "batch/v1", kind: "Job", name: "tick-29453762", namespace: "shop" },
    ]);
    const key = { namespace: "shop", name: "tick-29453761" };
    await world.objects.delete(Job, key, { manager: "tester", propagationPolicy: "Background" });
    await world.settle();
    expect(world.get(CronJob, "tick").status?.active).toHaveLength(1);
    expect(world.events()).toContain("Normal MissingJob Active job went missing: tick-29453761");
    await world.stop();
  });

  it("waits for the Job that runs with the policy Forbid", async () => {
    const world = workloadWorld([startCronJobController]);
    await world.create(CronJob, cronJob({ concurrencyPolicy: "Forbid" }));
    await world.clock.advance(3 * minute + 200);
    expect(names(world)).toEqual(["tick-29453761"]);
    expect(world.events()).toContain(
      "Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    await world.stop();
  });

  it("deletes the Job that runs with the policy Replace", async () => {
    const world = workloadWorld([startCronJobController]);
    await world.create(CronJob, cronJob({ concurrencyPolicy: "Replace" }));
    await world.clock.advance(2 * minute + 200);
    expect(names(world)).toEqual(["tick-29453762"]);
    expect(world.events()).toContain("Normal SuccessfulDelete Deleted job tick-29453761");
    await world.stop();
  });

  it("creates nothing while it is suspended, and then only the last of the Jobs that were missed", async () => {
    const world = workloadWorld([startCronJobController]);
    await world.create(CronJob, cronJob({ suspend: true }));
    await world.clock.advance(10 * minute + 500);
    expect(names(world)).toEqual([]);
    await world.change(CronJob, "tick", (object) => ({
      ...object,
      spec: { ...object.spec, suspend: false },
    }));
    expect(names(world)).toEqual(["tick-29453770"]);
    await world.stop();
  });

  it("starts no Job after its deadline", async () => {
    const world = workloadWorld([startCronJobController]);
    await world.create(CronJob, cronJob({ suspend: true, schedule: "@hourly", startingDeadlineSeconds: 60 }));
    await world.clock.advance(90 * minute);
    await world.change(CronJob, "tick", (object) => ({
      ...object,
      spec: { ...object.spec, suspend: false },
    }));
    expect(names(world)).toEqual([]);
    await world.clock.advance(30 * minute + 500);
    expect(names(world)).toHaveLength(1);
    await world.stop();
  });

  it("follows the clocks of a time zone", async () => {
    const world = workloadWorld([startCronJobController]);
    await world.create(CronJob, cronJob({ schedule: "0 9 * * *", timeZone: "Asia/Tokyo" }));
    await world.clock.advance(24 * 60 * minute + 500);
    expect(world.list(Job)[0]?.metadata.annotations).toEqual({
      "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-02T09:00:00+09:00",
    });
    await world.stop();
  });
});
