import { type Client, createClient, mergePatch } from "@keelson/client";
import { type KubeObject, systemClock, systemRandom } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Namespace, Secret } from "@keelson/core/kinds/core/v1";
import {
  type FaultyTransport,
  faults,
  faultyTransport,
  RecordingLogger,
  VirtualClock,
} from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { cacheKind } from "../../src/cache/cache-settings.ts";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { InformerCache, type InformerCacheOptions } from "../../src/cache/informer-cache.ts";
import { controller } from "../../src/controller/builder.ts";
import { Controller } from "../../src/controller/controller.ts";
import type { EventToRecord } from "../../src/controller/event-recorder.ts";
import { HotLoopGuard } from "../../src/controller/guard/hot-loop-guard.ts";
import type { PingPongReport } from "../../src/controller/guard/hot-loop-reports.ts";
import type { ObjectContext } from "../../src/controller/object-context.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const { admin, realTransport } = await startTestCluster();

interface World {
  readonly namespace: string;
  readonly clock: VirtualClock;
  readonly log: RecordingLogger;
  readonly guard: HotLoopGuard;
  readonly transport: FaultyTransport;
  readonly noops: string[];
  readonly reports: PingPongReport[];
  readonly slowed: string[];
  readonly cache: InformerCache;
  /** A client for one run of a key: reads from the cache, or from the server. */
  run(keyText: string, reads?: "cached" | "live"): Client;
  /** Waits until the cached Deployment has this many replicas. */
  sees(name: string, replicas: number): Promise<void>;
}

let worlds = 0;

/** A namespace of its own with a running cache of Deployments, and a guard on a virtual clock. */
async function world(settings: InformerCacheOptions["settings"] = {}): Promise<World> {
  worlds += 1;
  const namespace = `guard-${worlds}`;
  await admin.create(Namespace, { metadata: { name: namespace } });
  const transport = faultyTransport(realTransport());
  const client = createClient({ transport, userAgent: "webapp/1.0" });
  const cache = new InformerCache({ client, settings });
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await transport.close();
  });
  const cached = cachedClient(client, cache);
  await cached.list(Deployment);
  const clock = new VirtualClock();
  const log = new RecordingLogger();
  const [noops, reports, slowed]: [string[], PingPongReport[], string[]] = [[], [], []];
  const guard = new HotLoopGuard({
    clock,
    log,
    cache,
    liveClient: client,
    controllerName: "webapp",
    observer: {
      noopWrite: (target) => noops.push(target),
      pingPong: (report) => reports.push(report),
      slowed: (keyText, holdMs) => slowed.push(`${keyText} ${holdMs}`),
    },
  });
  const run: World["run"] = (keyText, reads = "cached") =>
    (reads === "cached" ? cached : client).with((next) => guard.layer(keyText, next));
  const sees = async (name: string, replicas: number): Promise<void> => {
    const seen = () => cache.peek(Deployment, { namespace, name })?.spec?.replicas;
    await expect.poll(seen).toBe(replicas);
  };
  return { namespace, clock, log, guard, transport, noops, reports, slowed, cache, run, sees };
}

function deployment(namespace: string, name: string, replicas: number) {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  } as const;
}

/** Changes the replicas as a user of kubectl does. */
async function edit(namespace: string, name: string, replicas: number): Promise<void> {
  const options = { fieldOwner: "kubectl-edit" };
  await admin.patch(Deployment, { namespace, name }, mergePatch({ spec: { replicas } }), options);
}

/** How many times the Deployment was read from the server. */
function liveReads({ requests }: FaultyTransport): number {
  return requests.filter(({ method, path }) => method === "GET" && path.endsWith("/deployments/web")).length;
}

/** A world with a Deployment that two writers change. */
async function contestedWorld(settings: InformerCacheOptions["settings"] = {}): Promise<World> {
  const contested = await world(settings);
  await admin.create(Deployment, deployment(contested.namespace, "web", 1));
  await contested.sees("web", 1);
  return contested;
}

/** A run that applies three replicas. */
async function applyThree({ namespace, run }: World): Promise<number | undefined> {
  const options = { fieldOwner: "webapp-operator", force: true };
  const { spec } = await run("web").apply(Deployment, deployment(namespace, "web", 3), options);
  return spec?.replicas;
}

/** A run that applies three replicas, which a user then changes to one. */
async function applyAndBeOverruled(contest: World): Promise<void> {
  await applyThree(contest);
  await edit(contest.namespace, "web", 1);
  await contest.sees("web", 1);
}

describe("a repeated apply", () => {
  it("counts as a no-op write, for kinds that are cached and for those that are not", async () => {
    const { namespace, run, noops } = await world();
    const options = { fieldOwner: "webapp-operator" };
    const configMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name: "web" },
      data: { a: "1" },
    } as const;
    for (let count = 0; count < 3; count++) {
      await run("web").apply(Deployment, deployment(namespace, "web", 3), options);
      await run("web", "live").apply(ConfigMap, configMap, options);
    }
    const twice = [`deployments.apps ${namespace}/web`, `configmaps ${namespace}/web`];
    expect(noops).toEqual([...twice, ...twice]);
  });

  it("counts as a no-op also if it is the first write of the key, if the cache has the object", async () => {
    const { namespace, run, noops, sees } = await world();
    const options = { fieldOwner: "webapp-operator" };
    await admin.apply(Deployment, deployment(namespace, "web", 3), options);
    await sees("web", 3);
    await run("web").apply(Deployment, deployment(namespace, "web", 3), options);
    expect(noops).toHaveLength(1);
  });

  it("is no loop when it happens every 30 s", async () => {
    const { namespace, clock, run, guard, noops, slowed } = await world();
    for (let count = 0; count < 12; count++) {
      await run("web").apply(Deployment, deployment(namespace, "web", 3), { fieldOwner: "webapp-operator" });
      await clock.advance(30_000);
    }
    expect(noops).toHaveLength(11);
    expect([guard.holdMs("web"), slowed]).toEqual([0, []]);
  });

  it("is no loop when it follows a rollout with not quite two events a second", async () => {
    const { namespace, clock, run, guard, noops } = await world();
    for (let count = 0; count < 40; count++) {
      await run("web").apply(Deployment, deployment(namespace, "web", 3), { fieldOwner: "webapp-operator" });
      await clock.advance(550);
    }
    expect([noops.length, guard.holdMs("web")]).toEqual([39, 0]);
  });

  it("is a loop when it never pauses: the key is held for longer and longer, and other keys are not", async () => {
    const { namespace, clock, run, guard, slowed, log } = await world();
    for (let count = 0; count < 28; count++) {
      await run("web").apply(Deployment, deployment(namespace, "web", 3), { fieldOwner: "webapp-operator" });
      await run("calm").create(Deployment, deployment(namespace, `calm-${count}`, 0));
      await clock.advance(guard.holdMs("web") || 100);
    }
    expect(slowed).toEqual(["web 1000", "web 2000", "web 4000"]);
    expect([guard.holdMs("web"), guard.holdMs("calm")]).toEqual([4000, 0]);
    expect(log.messages("info")).toEqual([
      `write deployments.apps ${namespace}/web: 20 runs within 10 s wrote it and changed nothing; ` +
        "skip the write when nothing differs from the stored object, or run less often",
    ]);
    await clock.advance(25_000);
    expect(guard.holdMs("web")).toBe(0);
  });

  it("does not count as a dry run", async () => {
    const { namespace, run, noops } = await world();
    await run("web").apply(Deployment, deployment(namespace, "web", 3), { fieldOwner: "a" });
    await run("web").apply(Deployment, deployment(namespace, "web", 3), { fieldOwner: "a", dryRun: true });
    expect(noops).toEqual([]);
  });
});

describe("two writers that set one field to different values", () => {
  it("are both named after the field was set back three times, and only that key is held", async () => {
    const contest = await contestedWorld();
    const { namespace, guard, reports, log, transport } = contest;
    for (let count = 0; count < 4; count++) {
      await applyAndBeOverruled(contest);
      await contest
        .run("other")
        .apply(Deployment, deployment(namespace, "other", count), { fieldOwner: "webapp-operator" });
    }
    expect([guard.holdMs("web"), reports, liveReads(transport)]).toEqual([0, [], 0]);
    await applyAndBeOverruled(contest);
    expect(liveReads(transport)).toBe(1);
    expect(reports).toEqual([
      {
        controller: "webapp",
        keyText: "web",
        object: `Deployment ${namespace}/web`,
        field: "spec.replicas",
        flips: 3,
        ownManager: "webapp-operator",
        otherManagers: [{ manager: "kubectl-edit", operation: "Update", time: expect.any(String) }],
        holdMs: 1000,
      },
    ]);
    expect(log.messages("warn")).toEqual([
      `field spec.replicas of Deployment ${namespace}/web flips between webapp-operator and kubectl-edit; ` +
        "leave the field out of what webapp-operator writes, or keep kubectl-edit from setting it",
    ]);
    expect([guard.holdMs("web"), guard.holdMs("other")]).toEqual([1000, 0]);
  });

  it("lead to a longer hold each time they continue without a pause, and to none once they stop", async () => {
    const contest = await contestedWorld();
    for (let count = 0; count < 11; count++) {
      await applyAndBeOverruled(contest);
      await contest.clock.advance(contest.guard.holdMs("web"));
    }
    expect(contest.slowed).toEqual(["web 1000", "web 2000", "web 4000"]);
    await contest.clock.advance(121_000);
    expect(contest.guard.holdMs("web")).toBe(0);
  });

  it("are reported once and held for one second only when one of them is slow", async () => {
    const contest = await contestedWorld();
    for (let count = 0; count < 15; count++) {
      await applyAndBeOverruled(contest);
      await contest.clock.advance(1200);
    }
    expect([contest.slowed, contest.reports.length]).toEqual([["web 1000"], 1]);
  });

  it("are detected also when the controller patches without a field owner", async () => {
    const { namespace, run, sees, reports } = await world();
    await admin.create(Deployment, deployment(namespace, "web", 1));
    for (let count = 0; count < 5; count++) {
      await edit(namespace, "web", 1);
      await sees("web", 1);
      await run("web").patch(Deployment, { namespace, name: "web" }, mergePatch({ spec: { replicas: 3 } }));
    }
    expect(reports).toMatchObject([{ ownManager: "webapp", otherManagers: [{ manager: "kubectl-edit" }] }]);
  });

  it("are detected in the status, and in a kind that is not cached but read by the run", async () => {
    const { namespace, run, reports, sees } = await world();
    const created = { metadata: { namespace, name: "web" }, data: { mode: "auto" } };
    // The rival keeps the ownership of the map itself when another manager sets the field.
    await admin.create(ConfigMap, created, { fieldOwner: "console" });
    await admin.create(Deployment, deployment(namespace, "web", 1));
    const key = { namespace, name: "web" };
    const status = (count: number) => mergePatch({ status: { replicas: count } });
    for (let count = 0; count < 5; count++) {
      const live = run("config", "live");
      const found = await live.get(ConfigMap, key);
      await live.update(ConfigMap, { ...found, data: { mode: "manual" } });
      await admin.patch(ConfigMap, key, mergePatch({ data: { mode: "auto" } }), { fieldOwner: "console" });

      await run("status").status(Deployment).patch(key, status(3));
      await admin.status(Deployment).patch(key, status(count % 2), { fieldOwner: "kube-controller-manager" });
      await admin.patch(Deployment, key, mergePatch({ spec: { replicas: count } }));
      await sees("web", count);
    }
    expect(reports.map(({ field, otherManagers: [other] }) => [field, other?.manager])).toEqual([
      ["data.mode", "console"],
      ["status.replicas", "kube-controller-manager"],
    ]);
  });

  it("are distinguished from two keys of one controller, which have the same field manager", async () => {
    const { namespace, run, log } = await world();
    for (let count = 0; count < 5; count++) {
      await run("a").apply(Deployment, deployment(namespace, "web", 3), { fieldOwner: "webapp-operator" });
      await run("b").apply(Deployment, deployment(namespace, "web", 1), { fieldOwner: "webapp-operator" });
    }
    expect(log.messages("warn")[0]).toContain(
      "flips between webapp-operator and another writer of the same field manager name",
    );
  });

  it("are investigated again when the run was aborted meanwhile", async () => {
    const contest = await contestedWorld();
    for (let count = 0; count < 4; count++) await applyAndBeOverruled(contest);
    const stop = new AbortController();
    contest.transport.fault({ method: "GET", path: /deployments\/web$/ }, faults.neverRespond());
    const options = { fieldOwner: "webapp-operator", force: true, signal: stop.signal };
    const write = contest.run("web").apply(Deployment, deployment(contest.namespace, "web", 3), options);
    await expect.poll(() => liveReads(contest.transport)).toBe(1);
    stop.abort(new Error("enough"));
    await expect(write).rejects.toThrow("enough");
    expect(contest.reports).toEqual([]);
    await applyThree(contest);
    expect(contest.reports).toMatchObject([{ otherManagers: [{ manager: "kubectl-edit" }] }]);
  });

  it("do not stop the write when the server refuses the read of the guard; the field is reported nevertheless", async () => {
    const contest = await contestedWorld();
    const { transport, reports } = contest;
    for (let count = 0; count < 4; count++) await applyAndBeOverruled(contest);
    transport.fault({ method: "GET", path: /deployments\/web$/ }, faults.refuse("Forbidden"));
    expect(await applyThree(contest)).toBe(3);
    expect(reports).toMatchObject([
      { field: "spec.replicas", otherManagers: [], unknownBecause: "FORBIDDEN" },
    ]);
  });
});

describe("two writers without a contested field", () => {
  it("may delete the object", async () => {
    const contest = await contestedWorld();
    for (let count = 0; count < 4; count++) await applyAndBeOverruled(contest);
    await admin.delete(Deployment, { namespace: contest.namespace, name: "web" });
    expect(await applyThree(contest)).toBe(3);
    expect([liveReads(contest.transport), contest.reports]).toEqual([1, []]);
  });

  it("may set a field to another value each time", async () => {
    const { namespace, run, sees, guard, reports } = await world();
    for (let count = 0; count < 8; count++) {
      await run("web").apply(Deployment, deployment(namespace, "web", 10 + count), {
        fieldOwner: "a",
        force: true,
      });
      await edit(namespace, "web", 1);
      await sees("web", 1);
    }
    expect([guard.holdMs("web"), reports]).toEqual([0, []]);
  });

  it("are not reported for a field that the cache drops", async () => {
    const dropPaused = cacheKind(Deployment, {
      transform: ({ spec, ...rest }) => {
        if (spec === undefined) return rest;
        const { paused, ...kept } = spec;
        return { ...rest, spec: kept };
      },
    });
    const { namespace, run, sees, reports, guard, transport } = await world({ kinds: [dropPaused] });
    for (let count = 0; count < 12; count++) {
      const { spec, ...rest } = deployment(namespace, "web", count);
      const paused = { ...rest, spec: { ...spec, paused: true } };
      await run("web").apply(Deployment, paused, { fieldOwner: "a", force: true });
      await edit(namespace, "web", 100 + count);
      await sees("web", 100 + count);
    }
    expect([guard.holdMs("web"), reports]).toEqual([0, []]);
    expect(liveReads(transport)).toBe(1);
  });
});

describe("a controller whose own writes trigger its runs", () => {
  it("[CT20] is reported with what it changes, and slowed", async () => {
    const { namespace, cache, transport } = await contestedWorld();
    const client = createClient({ transport });
    const log = new RecordingLogger();
    let runs = 0;
    const definition = controller(Deployment).reconcile(async (context) => {
      if (context.key.namespace !== namespace) return;
      runs += 1;
      const status = { observedGeneration: runs };
      await context.client.status(Deployment).patch(context.key, mergePatch({ status }));
    });
    const environment = { client, cachedClient: cachedClient(client, cache), cache, log };
    const stop = new AbortController();
    const running = new Controller(
      definition,
      {
        ...environment,
        clock: systemClock,
        random: systemRandom,
      },
      undefined,
    ).run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    await expect
      .poll(() => log.messages("warn"), { timeout: 20_000 })
      .toContainEqual(
        expect.stringContaining(
          `write Deployment ${namespace}/web: 20 runs within 10 s changed it (status.observedGeneration) and no other writer is known`,
        ),
      );
    const [heldAt, runsThen] = [systemClock.monotonicNow(), runs];
    await expect.poll(() => runs, { timeout: 20_000 }).toBeGreaterThan(runsThen + 1);
    expect(systemClock.monotonicNow() - heldAt).toBeGreaterThan(900);
  });
});

describe("a controller that competes with another writer", () => {
  it("[CT20] runs rarely for that object, and without delay for other objects", async () => {
    const { namespace, cache, transport } = await contestedWorld();
    await admin.create(Deployment, deployment(namespace, "calm", 0));
    const client = createClient({ transport });
    const log = new RecordingLogger();
    const runs = { web: 0, calm: 0 };
    const setReplicas =
      (replicas: number, fieldOwner: string) => async (context: ObjectContext<Deployment>) => {
        const { name } = context.key;
        // Ignores the Deployments of the other tests.
        if (context.key.namespace !== namespace || (name !== "web" && name !== "calm")) return;
        if (fieldOwner === "webapp-operator") runs[name] += 1;
        if (name === "calm" || context.object.spec?.replicas === replicas) return;
        await context.client.patch(Deployment, context.key, mergePatch({ spec: { replicas } }), {
          fieldOwner,
        });
      };
    const ours = controller(Deployment).reconcile(setReplicas(3, "webapp-operator"));
    const rival = controller(Deployment, { guardHotLoops: false })
      .named("rival")
      .reconcile(setReplicas(1, "rival"));
    const stop = new AbortController();
    const environment = {
      client,
      cachedClient: cachedClient(client, cache),
      cache,
      clock: systemClock,
      random: systemRandom,
    };
    const running = Promise.all([
      new Controller(ours, { ...environment, log }, undefined).run(stop.signal),
      new Controller(rival, environment, undefined).run(stop.signal),
    ]);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    const flips = () =>
      log.messages("warn").filter((line) => line.includes("flips between webapp-operator and rival"));
    await expect.poll(flips).toHaveLength(1);
    const [heldAt, runsThen] = [systemClock.monotonicNow(), runs.web];
    for (let count = 1; count <= 20; count++) {
      const before = runs.calm;
      const patch = mergePatch({ metadata: { annotations: { count: String(count) } } });
      await admin.patch(Deployment, { namespace, name: "calm" }, patch);
      await expect.poll(() => runs.calm, { interval: 5 }).toBeGreaterThan(before);
    }
    const heldSeconds = (systemClock.monotonicNow() - heldAt) / 1000;
    expect(runs.web - runsThen).toBeLessThanOrEqual(1 + heldSeconds);
  });
});

describe("a controller whose owned object is deleted again and again", () => {
  it("[CT20] creates it rarely, and both instances report that", async () => {
    const { namespace } = await world();
    const parent = { namespace, name: "parent" };
    await admin.create(ConfigMap, { metadata: parent });
    const stop = new AbortController();
    const counts = { creates: 0, deletes: 0 };
    /** An instance with a cache of its own, of which one knows only a former state of the parent. */
    const instance = (act: "creates" | "deletes") => {
      const transport = realTransport();
      const client = createClient({ transport });
      const cache = new InformerCache({
        client,
        settings: { defaults: { namespaces: { [namespace]: {} } } },
      });
      const log = new RecordingLogger();
      const definition = controller(ConfigMap)
        .owns(Secret)
        .reconcile(async (context) => {
          if (context.key.name !== parent.name) return;
          const hasWritten =
            act === "deletes"
              ? await context.remove(Secret, "owned")
              : (await context.applyWithResult(Secret, { metadata: { name: "owned" } })).result === "created";
          if (hasWritten) counts[act] += 1;
        });
      const events: string[] = [];
      const dependencies = {
        ...{ client, cachedClient: cachedClient(client, cache), cache, log },
        events: {
          record: (object: KubeObject, { type, reason }: EventToRecord) =>
            void events.push(`${type} ${reason} ${object.kind} ${object.metadata.name}`),
        },
      };
      const made = new Controller(
        definition,
        { ...dependencies, clock: systemClock, random: systemRandom },
        undefined,
      );
      const running = Promise.all([cache.run(stop.signal), made.run(stop.signal)]).finally(() =>
        transport.close(),
      );
      return { log, running, events };
    };
    const [creating, deleting] = [instance("creates"), instance("deletes")];
    onTestFinished(async () => {
      stop.abort();
      await Promise.all([creating.running, deleting.running]);
    });
    await expect
      .poll(() => [creating, deleting].map(({ log }) => log.messages("warn")), { timeout: 20_000 })
      .toEqual([
        [expect.stringContaining(`create Secret ${namespace}/owned: 10 runs within 60 s created it again`)],
        [expect.stringContaining(`delete Secret ${namespace}/owned: 10 runs within 60 s deleted it`)],
      ]);
    for (const { events } of [creating, deleting]) expect(events).toEqual(["Warning HotLoop Secret owned"]);
    const [heldAt, createsThen] = [systemClock.monotonicNow(), counts.creates];
    await expect.poll(() => counts.creates, { timeout: 20_000 }).toBeGreaterThan(createsThen + 1);
    expect(systemClock.monotonicNow() - heldAt).toBeGreaterThan(900);
  });
});
