import { type ApiCall, type Caller, createClient } from "@keelson/client";
import type { KubeObject, Transport } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../logger.ts";
import { type GuardLimits, HotLoopGuard } from "./hot-loop-guard.ts";

const nobody: Transport = {
  send: () => Promise.reject(new Error("nobody is there")),
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
    liveClient: createClient({ transport: nobody, clock }),
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

/** Answers every call with the same. */
const answering = (answer: unknown): Caller => ({
  json: async () => answer,
  raw: async () => answer,
  async *stream() {
    yield Buffer.from("line");
  },
});

/** So many runs of the key that write and change nothing. */
async function loop(
  guard: HotLoopGuard,
  keyText: string,
  runs: number,
  call: ApiCall = patch,
): Promise<void> {
  for (let count = 0; count < runs; count++) await guard.layer(keyText, answering(state("5"))).json(call);
}

describe("the guard", () => {
  it("holds a key that writes the same again and again; the first write of it tells nothing", async () => {
    const { guard } = setUp();
    await loop(guard, "a", 20);
    expect(guard.holdMs("a")).toBe(0);
    await loop(guard, "a", 1);
    expect(guard.holdMs("a")).toBe(1000);
  });

  it("forgets a key when told to", async () => {
    const { guard } = setUp();
    await loop(guard, "a", 21);
    guard.forget("a");
    expect(guard.holdMs("a")).toBe(0);
    guard.ended("a", 0);
    await loop(guard, "a", 20);
    expect(guard.holdMs("a")).toBe(0);
  });

  it("remembers so many keys, and so many objects of each", async () => {
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

  it("leaves reads, deletes, dry runs, creates without a name and answers without a version alone", async () => {
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
    for (let count = 0; count < 2; count++) await guard.layer("a", answering(status)).json(patch);
    expect(noops).toEqual([]);
    const layer = guard.layer("a", answering(status));
    expect(await layer.raw({ path: "/version" })).toBe(status);
    for await (const chunk of layer.stream({ ...patch, verb: "watch", isStream: true }))
      expect(String(chunk)).toBe("line");
  });

  it("lets errors through and learns nothing from them", async () => {
    const { guard, noops } = setUp();
    const refusal = new Error("no");
    await loop(guard, "a", 1);
    const failing = { ...answering(undefined), json: () => Promise.reject(refusal) };
    await expect(guard.layer("a", failing).json(patch)).rejects.toBe(refusal);
    expect(noops).toEqual([]);
  });

  it("needs no timer", async () => {
    const { guard, clock } = setUp();
    await loop(guard, "a", 24);
    expect(clock.pendingTimers).toEqual([]);
  });
});
