import { type ApiCall, type Caller, createClient } from "@keelson/client";
import type { KubeObject, Transport } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../logger.ts";
import { HotLoopGuard } from "./hot-loop-guard.ts";
import type { GuardLimits } from "./loop-detection.ts";

const unreachable: Transport = {
  send: () => Promise.reject(new Error("unreachable")),
  close: async () => {},
};

function setUp(limits: Partial<GuardLimits> = {}): {
  clock: VirtualClock;
  guard: HotLoopGuard;
  noops: string[];
} {
  const clock = new VirtualClock();
  const noops: string[] = [];
  const guard = new HotLoopGuard({
    clock,
    log: silentLogger,
    cache: { peek: () => undefined },
    liveClient: createClient({ transport: unreachable, clock }),
    controllerName: "webapp",
    observer: { noopWrite: (target) => noops.push(target), pingPong() {}, slowed() {} },
    limits,
  });
  return { clock, guard, noops };
}

const state = (resourceVersion: string): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { namespace: "shop", name: "web", resourceVersion },
});
const patch: ApiCall = {
  verb: "patch",
  resource: Deployment,
  namespace: "shop",
  name: "web",
  query: {},
  isStream: false,
};

/** Returns the same response to every call. */
const responding = (response: unknown): Caller => ({
  json: async () => response,
  raw: async () => response,
  async *stream() {
    yield Buffer.from("line");
  },
});

/** Runs the key as often as given; each run writes and changes nothing. */
async function loop(
  guard: HotLoopGuard,
  keyText: string,
  runs: number,
  call: ApiCall = patch,
): Promise<void> {
  for (let count = 0; count < runs; count++) await guard.layer(keyText, responding(state("5"))).json(call);
}

describe("the guard", () => {
  it("holds a key that repeats a write; its first write does not count", async () => {
    const { guard } = setUp();
    await loop(guard, "a", 20);
    expect(guard.holdMs("a")).toBe(0);
    await loop(guard, "a", 1);
    expect(guard.holdMs("a")).toBe(1000);
  });

  it("forgets a key on request", async () => {
    const { guard } = setUp();
    await loop(guard, "a", 21);
    guard.forget("a");
    expect(guard.holdMs("a")).toBe(0);
    guard.ended("a", 0);
    await loop(guard, "a", 20);
    expect(guard.holdMs("a")).toBe(0);
  });

  it("limits the number of keys, and of objects of each key", async () => {
    const { guard, noops } = setUp({ keys: 2, targetsPerKey: 2 });
    await loop(guard, "a", 21);
    expect(guard.holdMs("a")).toBe(1000);
    await loop(guard, "b", 1);
    await loop(guard, "c", 1);
    expect(guard.holdMs("a")).toBe(0);
    noops.length = 0;
    for (const name of ["x", "y", "z", "x"]) await loop(guard, "c", 1, { ...patch, name });
    expect(noops).toEqual([]);
    await loop(guard, "c", 1, { ...patch, name: "z" });
    expect(noops).toEqual(["deployments.apps shop/z"]);
  });

  it("counts writes of the status and of the rest as writes of one object", async () => {
    const { guard, noops } = setUp();
    await loop(guard, "a", 1);
    await loop(guard, "a", 1, { ...patch, subresource: "status" });
    expect(noops).toEqual(["deployments.apps shop/web"]);
  });

  it("ignores reads, deletes, dry runs, creates without a name and responses without a version", async () => {
    const { guard, noops } = setUp();
    const { name, ...collection } = patch;
    const calls: readonly ApiCall[] = [
      { ...patch, verb: "get" },
      { ...patch, verb: "delete" },
      { ...patch, query: { dryRun: "All" } },
      { ...collection, verb: "create", body: { contentType: "application/json", value: {} } },
    ];
    for (const call of [...calls, ...calls]) await loop(guard, "a", 1, call);
    const status = { kind: "Status", metadata: {} };
    for (let count = 0; count < 2; count++) await guard.layer("a", responding(status)).json(patch);
    expect(noops).toEqual([]);
    const layer = guard.layer("a", responding(status));
    expect(await layer.raw({ path: "/version" })).toBe(status);
    for await (const chunk of layer.stream({ ...patch, verb: "watch", isStream: true }))
      expect(String(chunk)).toBe("line");
  });

  it("passes errors on and does not count failed writes", async () => {
    const { guard, noops } = setUp();
    const refusal = new Error("no");
    await loop(guard, "a", 1);
    const failing = { ...responding(undefined), json: () => Promise.reject(refusal) };
    await expect(guard.layer("a", failing).json(patch)).rejects.toBe(refusal);
    expect(noops).toEqual([]);
  });

  it("needs no timer", async () => {
    const { guard, clock } = setUp();
    await loop(guard, "a", 24);
    expect(clock.pendingTimers).toEqual([]);
  });
});
