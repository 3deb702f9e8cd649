import { faultyTransport } from "@keelson/testkit";
import { createClient } from "keelson/client";
import { describe, expect, it } from "vitest";
import { InvalidNodesError } from "./errors.ts";
import type { HollowNodesOptions } from "./hollow-nodes.ts";
import { startHollowNodes } from "./start-hollow-nodes.ts";

const nowhere = faultyTransport({
  send: () => Promise.reject(new Error("there is no server")),
  close: () => Promise.resolve(),
});
const client = createClient({ transport: nowhere });

async function problemsOf(options: Omit<HollowNodesOptions, "client">): Promise<readonly string[]> {
  const error = await startHollowNodes({ client, ...options }).catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidNodesError)) throw error;
  return error.problems;
}

describe("a start of hollow nodes", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses a number of nodes of %d",
    async (nodes) => {
      expect(await problemsOf({ nodes })).toEqual([
        `nodes is ${nodes}, must be a whole number of at least 1`,
      ]);
    },
  );

  it("refuses an empty list, names that are no names, and names that are listed twice", async () => {
    expect(await problemsOf({ nodes: [] })).toEqual(["the list is empty; it needs at least one"]);
    expect(await problemsOf({ nodes: [{ name: "a" }, { name: "B" }, { name: "a" }] })).toEqual([
      expect.stringMatching(/^node name "B" must consist of lower-case letters/),
      "two nodes are named a; give each a name of its own",
    ]);
  });

  it("reports all mistakes at once, and sends nothing", async () => {
    const nan = Number.NaN;
    const endless = Number.POSITIVE_INFINITY;
    const problems = await problemsOf({
      nodes: 1.5,
      podStartDelayMs: -1,
      initRunMs: nan,
      readyDelayMs: nan,
      runMs: endless,
      terminationDelayMs: -0.5,
      restartBackoffMs: -1,
      heartbeatMs: 0,
      statusIntervalMs: nan,
    });
    expect(problems).toEqual([
      "nodes is 1.5, must be a whole number of at least 1",
      "podStartDelayMs is -1, must be a finite number of at least 0",
      "initRunMs is NaN, must be a finite number of at least 0",
      "readyDelayMs is NaN, must be a finite number of at least 0",
      "runMs is Infinity, must be a finite number of at least 0",
      "terminationDelayMs is -0.5, must be a finite number of at least 0",
      "restartBackoffMs is -1, must be a finite number of at least 0",
      "heartbeatMs is 0, must be a finite number of at least 1",
      "statusIntervalMs is NaN, must be a finite number of at least 0",
    ]);
    expect(nowhere.requests).toEqual([]);
  });

  it("takes the least times there are", async () => {
    const starting = startHollowNodes({
      client,
      nodes: 1,
      podStartDelayMs: 0,
      restartBackoffMs: 0,
      heartbeatMs: 1,
      statusIntervalMs: 0,
    });
    await expect(starting).rejects.toThrow("there is no server");
  });
});
