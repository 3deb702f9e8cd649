import { expect, it } from "vitest";
import { VirtualSpace } from "../support/virtual-space.ts";

it("rate limits spread the reloads of many workloads over time, and each is reloaded once", async () => {
  await using at = await VirtualSpace.start({ maxReloadsPerMinute: 2 });
  await at.enterNamespace();
  const names = ["a", "b", "c", "d"];
  for (const name of names) await at.deploy(name, { "reloader.stakater.com/auto": "true" });
  for (const name of names) await at.setSecret(name, "1");
  const rollouts = (): Promise<readonly number[]> => Promise.all(names.map((name) => at.rollouts(name)));
  const total = async (): Promise<number> => (await rollouts()).reduce((sum, each) => sum + each, 0);
  await at.settled();
  expect(await total()).toBe(1);
  const reasons = await Promise.all(names.map(async (name) => (await at.record(name)).pending?.reason));
  expect(reasons.filter((reason) => reason === "RateLimited")).toHaveLength(3);
  await at.passes(30_000);
  expect(await total()).toBe(2);
  await at.passes(60_000);
  expect(await rollouts()).toEqual([1, 1, 1, 1]);
});
