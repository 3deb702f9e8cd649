import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { type Clock, systemClock } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { annotationKeys } from "../../src/api/annotation-keys.ts";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";

const keys = annotationKeys();
const auto = { [keys.auto]: "true" };

let time = "2030-01-01T01:30:00Z";
/** Shows the time that the test sets; durations are those of the machine. */
const clock: Clock = {
  now: () => Date.parse(time),
  monotonicNow: () => systemClock.monotonicNow(),
  schedule: (delayMs, callback) => systemClock.schedule(delayMs, callback),
};

let world: World;
let operator: RunningOperator;
const startOperator = async (): Promise<void> => {
  operator = await world.runOperator(reloader, { clock, settings: { coalesceWindow: "0s" } });
};

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await startOperator();
});
afterAll(() => world?.stop());

it("changes that wait for a window, a pause or the resumption of a Deployment survive the operator, and are rolled out once", async () => {
  const space = await ReloaderSpace.create(world);
  await space.createSecret("db", { password: "0" });
  const deployments = {
    window: { ...auto, [keys.windowSchedule]: "0 2 * * *", [keys.windowDuration]: "1h" },
    target: {},
    accumulate: { ...auto, [keys.pausePeriod("Deployment")]: "30m" },
  };
  await space.createConfig("target", {
    watchedResources: { secrets: ["db"] },
    targets: [{ kind: "Deployment", name: "target", pausePeriod: "30m" }],
  });
  for (const [name, annotations] of Object.entries(deployments)) {
    const containers = [usingContainer({ secret: "db" })];
    await space.createDeployment(name, { annotations, spec: { containers } });
  }
  for (const name of Object.keys(deployments)) await space.isAdopted(name);
  const rollouts = async (name: string): Promise<number> => {
    const { metadata } = await space.get(Deployment, name);
    return Number(metadata.annotations?.["deployment.kubernetes.io/revision"]) - 1;
  };
  await expect.poll(() => rollouts("accumulate")).toBe(0);

  await space.changeSecret("db", { password: "1" });
  await expect.poll(() => rollouts("target")).toBe(1);
  const pausedDeployment = async (): Promise<unknown> =>
    (await space.get(Deployment, "accumulate")).spec?.paused === true;
  await expect.poll(pausedDeployment).toBe(true);
  await space.changeSecret("db", { password: "2" });
  const pending = async (name: string): Promise<unknown> => (await space.record(name))?.status?.pending;
  await expect
    .poll(() => pending("window"))
    .toMatchObject({ reason: "OutsideWindow", until: "2030-01-01T02:00:00Z" });
  await expect.poll(() => pending("target")).toMatchObject({ reason: "Paused" });
  await operator.kill();
  time = "2030-01-01T02:00:00Z";
  await startOperator();

  const all = async (): Promise<readonly number[]> =>
    Promise.all(Object.keys(deployments).map((name) => rollouts(name)));
  await expect.poll(all, { timeout: 30_000 }).toEqual([1, 2, 1]);
  await expect
    .poll(() => Promise.all(Object.keys(deployments).map(pending)))
    .toEqual([undefined, undefined, undefined]);
  await operator.idle();
  expect(await all()).toEqual([1, 2, 1]);
  expect(await pausedDeployment()).toBe(false);
  expect(await space.eventsAbout(Deployment, "window")).toEqual(
    expect.arrayContaining(["Normal ReloadWaiting", "Normal Reloaded"]),
  );
});
