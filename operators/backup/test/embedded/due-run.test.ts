import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackUp } from "../../src/api/back-up.ts";
import { backup } from "../../src/operator.ts";
import { SetClock } from "../support/set-clock.ts";
import { BackUpSpace } from "../support/space.ts";

const clock = new SetClock();
let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld("embedded", { embedded: { clock }, hollow: { clock } });
  operator = await runOperator(backup, { access: world.cluster, clock });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

/** Timers do not notice that the clock was set; controllers that receive the change of the CronJob read the clock. */
async function setClock(space: BackUpSpace, time: string, cronJob: string): Promise<void> {
  clock.set(time);
  await space.kubectl("annotate", "cronjob", cronJob, "clock=set");
}

describe("a schedule", () => {
  it("starts a run when it is due, and the status records it and the time of the next one", async () => {
    const space = await BackUpSpace.create(world);
    // The next run is due a quarter of an hour before the clocks in Berlin are changed.
    clock.set("2026-03-29T00:15:00Z");
    await space.create("nightly", { image: "backup:1", schedule: "45 1 * * *", timeZone: "Europe/Berlin" });
    const waiting = await space.reaches("nightly", "Pending");
    expect(waiting.status?.nextRunTime).toBe("2026-03-29T00:45:00Z");
    await setClock(space, "2026-03-29T00:44:58Z", "job-nightly");
    await expect.poll(async () => (await space.get(BackUp, "nightly")).status?.successes).toBe(1);
    const { status } = await space.reaches("nightly", "Succeeded");
    expect(status).toMatchObject({
      nextRunTime: "2026-03-29T23:45:00Z",
      history: [{ job: expect.stringMatching(/^job-nightly-\d{8}$/), result: "Succeeded" }],
    });
    expect(status?.lastRunTime).toMatch(/^2026-03-29T00:45:/);
  });

  it("starts no run while it is suspended, and the missed run when it is resumed", async () => {
    const space = await BackUpSpace.create(world);
    clock.set("2026-05-01T02:00:00Z");
    await space.create("paused", { image: "backup:1", schedule: "30 2 * * *", suspend: true });
    await space.reaches("paused", "Suspended");
    await setClock(space, "2026-05-01T02:29:58Z", "job-paused");
    await expect.poll(() => clock.now() > Date.parse("2026-05-01T02:30:01Z")).toBe(true);
    await operator.idle();
    expect(await space.jobs()).toEqual([]);
    await space.change("paused", { suspend: false });
    await expect.poll(async () => (await space.get(BackUp, "paused")).status?.successes).toBe(1);
    expect((await space.reaches("paused", "Succeeded")).status?.nextRunTime).toBe("2026-05-02T02:30:00Z");
  });

  it("starts a run after each interval, even one that is longer than the starting deadline", async () => {
    const space = await BackUpSpace.create(world);
    clock.set("2026-06-01T10:00:00Z");
    await space.create("spaced", { image: "backup:1", schedule: "@every 6h" });
    expect((await space.reaches("spaced", "Pending")).status?.nextRunTime).toMatch(/^2026-06-01T16:00:/);
    await setClock(space, "2026-06-01T16:01:00Z", "job-spaced");
    await expect.poll(async () => (await space.get(BackUp, "spaced")).status?.successes).toBe(1);
  });
});
