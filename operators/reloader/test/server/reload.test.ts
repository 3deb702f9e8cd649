import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

const settings = { coalesceWindow: "200ms" };

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(reloader, { settings });
});
afterAll(() => world?.stop());

const auto = { "reloader.stakater.com/auto": "true" };

describe("a change of a Secret", () => {
  it("reloads the Deployment that uses it once, and the first sight does not", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    const containers = [usingContainer({ secret: "db" })];
    await space.createDeployment("web", { annotations: auto, spec: { containers } });
    await space.isAdopted("web");
    expect(await space.reloadsOf("web")).toBe(0);
    await space.changeSecret("db", { password: "two" });
    const { spec } = await space.isReloaded("web");
    const env = spec?.template.spec?.containers[0]?.env ?? [];
    expect(env.map(({ name }) => name)).toEqual(["RELOADER_TRIGGERED_AT"]);
    await operator.idle();
    expect(await space.reloadsOf("web")).toBe(1);
  });

  it("reloads the targets of a ReloaderConfig, and shows it", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { password: "one" });
    await space.createDeployment("web");
    await space.createConfig("mine", {
      watchedResources: { secrets: ["db"] },
      targets: [{ kind: "Deployment", name: "web" }],
      reloadStrategy: "annotations",
    });
    await space.isAdopted("web");
    await space.changeSecret("db", { password: "two" });
    const { spec } = await space.isReloaded("web");
    expect(spec?.template.metadata?.annotations).toHaveProperty(["reloader.stakater.com/last-reloaded-from"]);
    expect((await space.record("web"))?.status?.configs).toMatchObject([{ name: "mine", reloadCount: 1 }]);
  });
});
