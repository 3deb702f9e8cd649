import { Secret } from "keelson/kinds/core/v1";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { VirtualSpace } from "../support/virtual-space.ts";

const secondMs = 1_000;
const hourMs = 3_600_000;

let at: VirtualSpace;
beforeAll(async () => {
  at = await VirtualSpace.start();
});
beforeEach(() => at.enterNamespace());
afterEach(() => {
  at.onWrite = async () => {};
});
afterAll(() => at?.[Symbol.asyncDispose]());

describe("a consumer whose eviction is refused", () => {
  const held = "ReplicaSet/held";

  async function restart(allowDeletion: boolean): Promise<void> {
    await at.deployHeld("held");
    await at.deploy("web");
    await at.share(
      { restart: { allowDeletion } },
      { kind: "ReplicaSet", name: "held" },
      { kind: "Deployment", name: "web" },
    );
    await at.flag();
    await at.passes(secondMs);
  }

  /** How long it waits for its next attempt, in seconds, after each attempt within a time. */
  async function waitsWithin(ms: number): Promise<readonly number[]> {
    const waits: number[] = [];
    const endMs = at.nowMs + ms;
    while (at.nowMs < endMs) {
      const { retryAt = "" } = await at.consumer(held);
      const waitMs = Date.parse(retryAt) - at.nowMs;
      waits.push(waitMs / 1000);
      await at.passes(waitMs);
    }
    return waits;
  }

  it("delays no other, and is tried again after 5 s to 5 min, for ever", async () => {
    await restart(false);
    const before = await at.podsOf("held");
    expect(await waitsWithin(10 * secondMs)).toEqual([5, 10]);
    expect(await at.consumer("Deployment/web")).toMatchObject({ restartedAt: expect.any(String) });
    expect(await waitsWithin(2 * hourMs)).toEqual([20, 40, 80, 160, ...new Array(23).fill(300)]);
    expect(await at.consumer(held)).toMatchObject({
      problem: expect.stringContaining("disruption budget"),
      failures: 30,
    });
    expect(await at.podsOf("held")).toEqual(before);
    expect(await at.isFlagged()).toBe(true);
    expect(await at.rolloutsOf("web")).toBe(1);
  });

  it("is deleted after an hour if that is allowed, and not before", async () => {
    await restart(true);
    const before = await at.podsOf("held");
    const { failingSince = "" } = await at.consumer(held);
    await at.passes(Date.parse(failingSince) + hourMs - 1 - at.nowMs);
    expect(await at.podsOf("held")).toEqual(before);
    expect(await at.isFlagged()).toBe(true);
    await at.passes(300 * secondMs);
    expect(await at.podsOf("held")).not.toEqual(before);
    expect(await at.isFlagged()).toBe(false);
    expect(await at.consumer(held)).not.toHaveProperty("problem");
  });
});

describe("a consumer whose rollout is refused", () => {
  it("delays no other, and is tried again", async () => {
    await at.deploy("refused");
    for (const name of ["a", "z"]) await at.deploy(name);
    const consumers = ["a", "refused", "z"].map((name) => ({ kind: "Deployment", name }));
    await at.share({}, ...consumers);
    const status = { code: 403, reason: "Forbidden", message: "a policy forbids it" } as const;
    at.world.sandbox.faults.add({
      match: { method: "PATCH", path: /deployments\/refused$/ },
      fault: { kind: "refuse", status },
      times: 2,
    });
    await at.flag();
    await at.passes(secondMs);
    expect(await at.consumer("Deployment/refused")).toMatchObject({
      problem: expect.stringContaining("a policy forbids it"),
      failures: 1,
    });
    await at.settled();
    for (const name of ["a", "z"])
      expect(await at.consumer(`Deployment/${name}`)).toMatchObject({ restartedAt: expect.any(String) });
    expect(await at.isFlagged()).toBe(true);
    await at.passes(20 * secondMs);
    expect(await at.isFlagged()).toBe(false);
    expect(await at.rolloutsOf("refused")).toBe(1);
  });
});

describe("a pod without a controller", () => {
  it("is not touched, and its problem says what to do; the restart ends when that was done", async () => {
    await at.createPod("lone");
    const [before] = await at.podsOf("lone");
    await at.share({}, { kind: "Pod", name: "lone" });
    await at.flag();
    await at.passes(600 * secondMs);
    expect(await at.podsOf("lone")).toEqual([before]);
    expect(await at.consumer("lone")).toMatchObject({
      problem: expect.stringMatching(/no controller .* delete and create it, or set spec.restart.allowDelet/),
    });
    expect(await at.isFlagged()).toBe(true);
    await at.deletePod("lone");
    await at.createPod("lone");
    await at.passes(300 * secondMs);
    expect(await at.isFlagged()).toBe(false);
    expect(await at.consumer("lone")).toMatchObject({ restartedAt: expect.any(String) });
  });

  it("is deleted once if that is allowed, and the one that a user creates is left alone", async () => {
    await at.createPod("lone");
    await at.share({ restart: { allowDeletion: true } }, { kind: "Pod", name: "lone" });
    await at.flag();
    await at.passes(10 * secondMs);
    expect(await at.podsOf("lone")).toEqual([]);
    expect(await at.isFlagged()).toBe(false);
    await at.createPod("lone");
    const created = await at.podsOf("lone");
    await at.passes(hourMs);
    expect(await at.podsOf("lone")).toEqual(created);
    expect(await at.status()).not.toHaveProperty("restart");
  });
});

describe("a restart", () => {
  it("evicts pods of a workload that has only its kind in common with one that is rolled out", async () => {
    const kind = "StatefulSet";
    await at.createPod("foreign", { apiVersion: "apps.example.com/v1", kind });
    await at.share({}, { kind, name: "foreign" });
    expect(await at.podsOf("foreign")).toHaveLength(1);
    await at.flag();
    await at.passes(10 * secondMs);
    expect(await at.podsOf("foreign")).toEqual([]);
    expect(await at.isFlagged()).toBe(false);
  });

  it("goes on after the operator was killed in the middle of it, and restarts nothing twice", async () => {
    await at.deployOnDelete("sorted", 3);
    await at.deploy("web");
    await at.share({}, { kind: "StatefulSet", name: "sorted" }, { kind: "Deployment", name: "web" });
    const seen = new Set(await at.podsOf("sorted"));
    await at.flag();
    let evictions = 0;
    at.onWrite = async (path) => {
      if (path.endsWith("/eviction")) evictions++;
    };
    for (let second = 0; second < 60; second++) {
      await at.passes(secondMs);
      for (const uid of await at.podsOf("sorted")) seen.add(uid);
      if (second % 3 === 0) await at.restartOperator();
    }
    expect(await at.isFlagged()).toBe(false);
    expect([seen.size, evictions]).toEqual([6, 3]);
    expect(await at.rolloutsOf("web")).toBe(1);
  });

  it("is not the last one if the flag is set again with another value while it ends", async () => {
    await at.deploy("web");
    await at.share({}, { kind: "Deployment", name: "web" });
    let isFirst = true;
    at.onWrite = async (path) => {
      if (!isFirst || !path.includes(`/${at.namespace}/sharedsecrets/db?`)) return;
      isFirst = false;
      await at.writeValue("another");
      await at.flag();
    };
    await at.flag();
    await at.passes(60 * secondMs);
    expect(await at.isFlagged()).toBe(false);
    expect(await at.rolloutsOf("web")).toBe(2);
  });

  it("does not set the flag back in an object that has changed since it was read", async () => {
    await at.deploy("web");
    await at.share({}, { kind: "Deployment", name: "web" });
    const flags: boolean[] = [];
    at.onWrite = async (path) => {
      if (!path.includes(`/${at.namespace}/sharedsecrets/db?`)) return;
      flags.push(await at.isFlagged());
      if (flags.length === 1) await at.change({ spec: { restart: { allowDeletion: true } } });
    };
    await at.flag();
    await at.passes(60 * secondMs);
    expect(flags).toEqual([true, true]);
    expect(await at.isFlagged()).toBe(false);
    expect(await at.rolloutsOf("web")).toBe(1);
  });

  it("does not hide why a consumer cannot get the secret", async () => {
    const other = await at.world.createNamespace();
    await at.world.client.create(Secret, {
      metadata: { namespace: other, name: `${at.namespace}.db-secret` },
      stringData: { value: "foreign" },
    });
    await at.share({}, { namespace: other, kind: "Deployment", name: "web" });
    const problems = async () => (await at.status()).consumers?.map(({ problem }) => problem);
    const expected = [expect.stringMatching(/^cannot get the secret: .* is not a copy/)];
    expect(await problems()).toEqual(expected);
    await at.flagStatus();
    await at.passes(60 * secondMs);
    expect(await at.isFlagged()).toBe(false);
    expect(await problems()).toEqual(expected);
  });
});
