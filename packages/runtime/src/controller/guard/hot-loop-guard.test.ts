import { type ApiCall, type Caller, createClient } from "@keelson/client";
import type { KubeObject, Transport } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../logger.ts";
import { HeldKeys } from "../workers.ts";
import { HotLoopGuard } from "./hot-loop-guard.ts";
import type { PingPongReport, SelfWokenReport } from "./hot-loop-reports.ts";
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

/** One object, a key that writes it in each run, and another writer; on a virtual clock. */
class World {
  readonly clock = new VirtualClock();
  readonly log = new RecordingLogger();
  readonly pingPongs: PingPongReport[] = [];
  readonly selfWoken: SelfWokenReport[] = [];
  readonly slowed: number[] = [];
  noops = 0;
  #annotations: Readonly<Record<string, string>> = {};
  #version = 1;
  readonly guard = new HotLoopGuard({
    clock: this.clock,
    log: this.log,
    cache: { peek: () => undefined },
    liveClient: createClient({ transport: unreachable, clock: this.clock }),
    controllerName: "webapp",
    observer: {
      noopWrite: () => {
        this.noops += 1;
      },
      pingPong: (report) => this.pingPongs.push(report),
      selfWoken: (report) => this.selfWoken.push(report),
      slowed: (_, holdMs) => this.slowed.push(holdMs),
    },
  });
  readonly #held = new HeldKeys(this.guard);

  /** Writes these annotations; the object gets a new version if they differ. */
  write(annotations: Readonly<Record<string, string>>): KubeObject {
    if (JSON.stringify(annotations) !== JSON.stringify(this.#annotations)) this.#version += 1;
    this.#annotations = annotations;
    return this.#state();
  }

  /** Waits until the key may run, then runs it for 20 ms: the run reads the object and writes these annotations. */
  async run(annotations: Readonly<Record<string, string>>): Promise<void> {
    await this.clock.advance(this.#held.pauseMs("shop/web", this.clock.monotonicNow()));
    const caller = this.guard.layer("shop/web", {
      json: async ({ verb }) => (verb === "get" ? this.#state() : this.write(annotations)),
      raw: async () => undefined,
      async *stream() {},
    });
    await caller.json({ ...patch, verb: "get" });
    await this.clock.advance(10);
    await caller.json(patch);
    await this.clock.advance(10);
    this.#held.ended("shop/web", this.clock.monotonicNow());
  }

  get holdMs(): number {
    return this.guard.holdMs("shop/web");
  }

  #state(): KubeObject {
    const metadata = { namespace: "shop", name: "web", resourceVersion: String(this.#version) };
    return {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...metadata, annotations: this.#annotations },
    };
  }
}

describe("a key that writes and changes nothing", () => {
  it("is not held when it is triggered twelve times, half a second apart", async () => {
    const world = new World();
    for (let count = 0; count < 12; count++) {
      await world.run({});
      await world.clock.advance(500);
    }
    expect([world.noops, world.slowed, world.log.messages("info"), world.log.messages("warn")]).toEqual([
      12,
      [],
      [],
      [],
    ]);
  });

  it("is held for longer and longer when it never pauses, up to ten seconds, and that is logged once", async () => {
    const world = new World();
    for (let count = 0; count < 60; count++) await world.run({});
    expect([world.noops, world.slowed]).toEqual([60, [1000, 2000, 4000, 8000, 10_000]]);
    expect(world.log.messages("info")).toEqual([
      "write deployments.apps shop/web: 20 runs within 10 s wrote it and changed nothing; " +
        "skip the write when nothing differs from the stored object, or run less often",
    ]);
    expect(world.log.messages("warn")).toEqual([]);
    await world.clock.advance(21_000);
    expect(world.holdMs).toBe(0);
  });

  it("is held for one second only when it pauses after a burst of events", async () => {
    const world = new World();
    for (let count = 0; count < 20; count++) await world.run({});
    for (let count = 0; count < 10; count++) {
      await world.clock.advance(1200);
      await world.run({});
    }
    expect(world.slowed).toEqual([1000]);
    await world.clock.advance(21_000);
    expect(world.holdMs).toBe(0);
  });
});

describe("a key that sets a field back", () => {
  /** Another writer sets an annotation, and the key sets it back, in each round. */
  async function handshakes(world: World, rounds: number, everyMs: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      world.write({ request: "go" });
      await world.run({ request: "done" });
      await world.clock.advance(everyMs);
    }
  }

  it.each([1200, 15_000])(
    "every %d ms is reported once and held for a second, no longer",
    async (everyMs) => {
      const world = new World();
      await handshakes(world, 40, everyMs);
      expect(world.pingPongs).toMatchObject([
        { field: "metadata.annotations.request", flips: 3, holdMs: 1000 },
      ]);
      expect([world.slowed, world.log.messages("warn").length]).toEqual([[1000], 1]);
    },
  );

  it("at once is held for twice as long after three more each time", async () => {
    const world = new World();
    await handshakes(world, 14, 0);
    expect(world.slowed).toEqual([1000, 2000, 4000, 8000]);
    expect(world.pingPongs.map(({ holdMs }) => holdMs)).toEqual(world.slowed);
    await handshakes(world, 40, 0);
    expect(world.holdMs).toBe(300_000);
  });

  it("is not held for longer because a second field is found", async () => {
    const world = new World();
    for (let round = 0; round < 10; round++) {
      world.write({ a: "go", b: round < 4 ? "done" : "go" });
      await world.run({ a: "done", b: "done" });
      await world.clock.advance(1500);
    }
    expect([world.pingPongs.length, world.slowed]).toEqual([2, [1000]]);
  });
});

describe("a key whose own writes trigger its runs", () => {
  it("is reported once with what changes, and held for longer and longer, up to ten seconds", async () => {
    const world = new World();
    for (let count = 0; count < 60; count++) await world.run({ at: String(count), kept: "1" });
    expect(world.slowed).toEqual([1000, 2000, 4000, 8000, 10_000]);
    expect(world.selfWoken).toEqual([
      {
        controller: "webapp",
        keyText: "shop/web",
        object: "Deployment shop/web",
        fields: ["metadata.annotations.at"],
        runs: 20,
        windowMs: 10_000,
        holdMs: 1000,
      },
    ]);
    expect(world.log.messages("warn")).toHaveLength(1);
    world.guard.forget("shop/web");
    expect(world.holdMs).toBe(0);
  });

  it("is not detected when another writer changes the object as often", async () => {
    const world = new World();
    for (let count = 0; count < 60; count++) {
      world.write({ asked: String(count) });
      await world.run({ asked: String(count), answered: String(count) });
    }
    expect([world.selfWoken, world.slowed]).toEqual([[], []]);
  });

  it("is not detected when it writes once a second", async () => {
    const world = new World();
    for (let count = 0; count < 60; count++) {
      await world.run({ at: String(count) });
      await world.clock.advance(1000);
    }
    expect([world.selfWoken, world.slowed]).toEqual([[], []]);
  });
});
