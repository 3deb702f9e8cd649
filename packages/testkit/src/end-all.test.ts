import { expect, it } from "vitest";
import { endAll } from "./end-all.ts";

it("ends what came last first, and all of it, whatever fails", async () => {
  const ended: string[] = [];
  const ending = (name: string, error?: Error) => async (): Promise<void> => {
    ended.push(name);
    if (error !== undefined) throw error;
  };
  const stuck = new Error("the operator had failed");
  await expect(endAll([ending("cluster"), ending("operator", stuck)])).rejects.toBe(stuck);
  expect(ended).toEqual(["operator", "cluster"]);
  const failing = [ending("cluster", new Error("no")), ending("operator", stuck)];
  await expect(endAll(failing)).rejects.toThrow("Error: the operator had failed\nError: no");
});
