import { createClient, mergePatch } from "@keelson/client";
import {
  abortable,
  formatKey,
  metadataOnly,
  type ObjectKey,
  ownerReferenceTo,
  sleep,
  systemClock,
  systemRandom,
} from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Namespace, Secret } from "@keelson/core/kinds/core/v1";
import { type FaultyTransport, faultyTransport } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { cachedClient } from "../../src/cache/cached-client.ts";
import { InformerCache } from "../../src/cache/informer-cache.ts";
import { controller } from "../../src/controller/builder.ts";
import { Controller } from "../../src/controller/controller.ts";
import type { ControllerDefinition } from "../../src/controller/controller-definition.ts";
import { TerminalError } from "../../src/controller/reconciler.ts";
import { itemExponentialLimiter } from "../../src/queue/rate-limiter.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const { controlPlane, admin, realTransport } = await startTestCluster();

interface World {
  readonly namespace: string;
  readonly transport: FaultyTransport;
  /** Runs a controller until the test has ended, or until its `stop`. */
  run(definition: ControllerDefinition, options?: { warmUp?: boolean }): Promise<Running>;
}

interface Running {
  readonly controller: Controller<{ namespace?: string; name: string }>;
  stop(reason?: unknown): Promise<void>;
}

/** Waits for it; on a busy machine that may take a while. */
const eventually = <T>(get: () => T) => expect.poll(get, { timeout: 30_000 });

let worlds = 0;

/** A namespace of its own, and a cache of what is in it. */
async function world(): Promise<World> {
  worlds += 1;
  const namespace = `controller-${worlds}`;
  await admin.create(Namespace, { metadata: { name: namespace } });
  const transport = faultyTransport(realTransport());
  const client = createClient({ transport });
  const cache = new InformerCache({ client, settings: { defaults: { namespaces: { [namespace]: {} } } } });
  const stopCache = new AbortController();
  const running = cache.run(stopCache.signal);
  const stops: Running["stop"][] = [];
  onTestFinished(async () => {
    await Promise.all(stops.map((stop) => stop()));
    stopCache.abort();
    await running;
    expect(transport.openStreams).toEqual([]);
    await transport.close();
  });
  const environment = {
    client,
    cachedClient: cachedClient(client, cache),
    cache,
    clock: systemClock,
    random: systemRandom,
  };
  return {
    namespace,
    transport,
    run: async (definition, { warmUp = false } = {}) => {
      const made = new Controller<ObjectKey>(definition, environment, undefined);
      const signals = new AbortController();
      if (warmUp) await made.warmUp(signals.signal);
      const run = made.run(signals.signal);
      const stop = async (reason?: unknown): Promise<void> => {
        signals.abort(reason);
        await run;
      };
      stops.push(stop);
      return { controller: made, stop };
    },
  };
}

const deployment = (name: string, replicas = 0) => ({
  replicas,
  selector: { matchLabels: { app: name } },
  template: {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "web", image: "web" }] },
  },
});

const configMap = (namespace: string, name: string, data: Record<string, string> = {}) =>
  admin.create(ConfigMap, { metadata: { namespace, name }, data });

describe("what makes a reconcile run", () => {
  it.each([false, true])(
    "[CT17] [EV1] [EV2] changes of an object, and of what it owns, with the cache up to date (warm-up: %s)",
    async (warmUp) => {
      const { namespace, run } = await world();
      /** What each run found. */
      const seen: string[] = [];
      await run(
        controller(ConfigMap)
          .owns(Deployment)
          .reconcileKey(async ({ key, client }) => {
            if (key.name === "kube-root-ca.crt") return;
            const { items: owned } = await client.list(Deployment, { namespace });
            const { items } = await client.list(ConfigMap, { namespace });
            const primary = items.find(({ metadata }) => metadata.name === key.name);
            const color = primary === undefined ? "gone" : (primary.data?.color ?? "none");
            seen.push(
              `${formatKey(key)} ${color} ${owned.map(({ spec }) => spec?.replicas).join(",")}`.trim(),
            );
          }),
        { warmUp },
      );
      const lastSeen = () => seen.at(-1);

      const owner = await configMap(namespace, "web", { color: "red" });
      await eventually(lastSeen).toBe(`${namespace}/web red`);
      await admin.patch(ConfigMap, { namespace, name: "web" }, mergePatch({ data: { color: "blue" } }));
      await eventually(lastSeen).toBe(`${namespace}/web blue`);

      const ownerReferences = [
        ownerReferenceTo({ resource: ConfigMap, object: owner }, { controller: true }),
      ];
      await admin.create(Deployment, {
        metadata: { namespace, name: "child", ownerReferences },
        spec: deployment("child"),
      });
      await eventually(lastSeen).toBe(`${namespace}/web blue 0`);
      await admin.patch(
        Deployment,
        { namespace, name: "child" },
        mergePatch({ spec: { paused: true, replicas: 1 } }),
      );
      await eventually(lastSeen).toBe(`${namespace}/web blue 1`);
      await admin.delete(Deployment, { namespace, name: "child" }, { propagationPolicy: "Background" });
      await eventually(lastSeen).toBe(`${namespace}/web blue`);

      await admin.delete(ConfigMap, { namespace, name: "web" });
      await eventually(lastSeen).toBe(`${namespace}/web gone`);
      expect(new Set(seen.map((line) => line.split(" ")[0]))).toEqual(new Set([`${namespace}/web`]));
    },
  );

  it("[EV1] PrimaryToSecondaryIT: changes of what it refers to, found by a map that asks the cache", async () => {
    const { namespace, run } = await world();
    const seen: string[] = [];
    await configMap(namespace, "a", { secret: "one" });
    await configMap(namespace, "b", { secret: "two" });
    await run(
      controller(ConfigMap)
        .watches(metadataOnly(Secret), async ({ metadata }, { client }) => {
          const { items } = await client.list(ConfigMap, { namespace });
          return items
            .filter(({ data }) => data?.secret === metadata.name)
            .map((user) => ({ namespace, name: user.metadata.name ?? "" }));
        })
        .reconcile(({ key, reasons }) => {
          for (const { source, object } of reasons) seen.push(`${key.name} by ${source} ${object?.name}`);
        }),
    );
    await admin.create(Secret, { metadata: { namespace, name: "two" } });
    await eventually(() => seen).toContain("b by watches secrets two");
    expect(seen).not.toContain("a by watches secrets two");
  });

  it("[CT13] changes that a source tells of which is added while it runs, until that is removed", async () => {
    const { namespace, run } = await world();
    const seen: string[] = [];
    const { controller: running } = await run(
      controller(ConfigMap).reconcileKey(({ key }) => void seen.push(key.name)),
    );
    const secrets = controller(Secret).reconcile(() => undefined).sources[0];
    if (secrets === undefined) throw new Error("a controller of a kind has a source");
    const watch = running.watch(secrets);
    await watch.synced;
    await admin.create(Secret, { metadata: { namespace, name: "first" } });
    await eventually(() => seen).toContain("first");
    await watch.remove();
    await admin.create(Secret, { metadata: { namespace, name: "second" } });
    await configMap(namespace, "after");
    await eventually(() => seen).toContain("after");
    expect(seen).not.toContain("second");
  });
});

describe("what a reconcile can rely on", () => {
  it("[RW1] reads what it has written", async () => {
    const { namespace, run } = await world();
    const wrong: string[] = [];
    let rounds = 0;
    await configMap(namespace, "counter", { count: "0" });
    const selection = { namespace, fieldSelector: "metadata.name=counter" };
    await run(
      // It is woken by its own writes, on purpose.
      controller(ConfigMap, { selection, guardHotLoops: false }).reconcile(
        async ({ object, client, liveClient, key }) => {
          const count = Number(object.data?.count);
          if (count !== rounds) wrong.push(`began with ${count} in round ${rounds}`);
          if (count >= 40) return;
          rounds += 1;
          const data = { count: String(rounds) };
          // Also what is written by the live client is known to the cache.
          const writer = rounds % 2 === 0 ? client : liveClient;
          await writer.patch(ConfigMap, key, mergePatch({ data }));
          const read = await client.get(ConfigMap, key);
          if (read.data?.count !== data.count) wrong.push(`read ${read.data?.count} after ${data.count}`);
        },
      ),
    );
    await eventually(() => rounds).toBe(40);
    expect(wrong).toEqual([]);
  });

  it("[CT18] is not called for an object that is gone, and is for one that is on its way out", async () => {
    const { namespace, run } = await world();
    const seen: string[] = [];
    await run(
      controller(ConfigMap).reconcile(async ({ object, client, key }) => {
        const { deletionTimestamp, finalizers = [] } = object.metadata;
        seen.push(`${key.name} ${deletionTimestamp === undefined ? "lives" : "goes"}`);
        if (deletionTimestamp !== undefined && finalizers.length > 0)
          await client.patch(ConfigMap, key, mergePatch({ metadata: { finalizers: null } }));
      }),
    );
    await admin.create(ConfigMap, { metadata: { namespace, name: "web", finalizers: ["example.com/test"] } });
    await eventually(() => seen).toContain("web lives");
    await admin.delete(ConfigMap, { namespace, name: "web" });
    await eventually(() => seen).toContain("web goes");
    await eventually(() =>
      admin.list(ConfigMap, { namespace, fieldSelector: "metadata.name=web" }).then(({ items }) => items),
    ).toEqual([]);
    await configMap(namespace, "after");
    await eventually(() => seen).toContain("after lives");
    expect(seen.filter((line) => line.startsWith("web"))).toEqual(["web lives", "web goes"]);
  });

  it("[RL5] keeps nothing about a key that failed and whose object is gone then", async () => {
    const { namespace, run } = await world();
    const limiter = itemExponentialLimiter({ baseMs: 5, maxMs: 50 });
    const seen: string[] = [];
    await run(
      controller(ConfigMap, { backoff: () => limiter }).reconcile(({ key }) => {
        seen.push(key.name);
        if (key.name === "broken") throw new Error("never");
      }),
    );
    const key = { namespace, name: "broken" };
    await configMap(namespace, "broken");
    await eventually(() => limiter.numRequeues(formatKey(key))).toBeGreaterThan(3);
    await admin.delete(ConfigMap, key);
    await eventually(() => limiter.size).toBe(0);
    const runs = seen.filter((name) => name === "broken").length;
    // Nothing is left that would run it once more.
    await configMap(namespace, "after");
    await eventually(() => seen).toContain("after");
    expect(seen.filter((name) => name === "broken")).toHaveLength(runs);
    expect(limiter.size).toBe(0);
  });

  it("[CT1] [CT2] an error is tried again until it is gone, a terminal one only when something changes", async () => {
    const { namespace, run } = await world();
    const runs = { broken: 0, hopeless: 0 };
    const failures: number[] = [];
    await run(
      controller(ConfigMap).reconcile(async (context) => {
        if (context.key.name === "broken") {
          runs.broken += 1;
          failures.push(context.failures);
          if (runs.broken < 5) await context.client.get(Secret, { namespace, name: "missing" });
        } else if (context.key.name === "hopeless") {
          runs.hopeless += 1;
          throw new TerminalError("never");
        }
      }),
    );
    await configMap(namespace, "hopeless");
    await configMap(namespace, "broken");
    await eventually(() => runs.broken).toBe(5);
    expect(failures).toEqual([0, 1, 2, 3, 4]);
    expect(runs.hopeless).toBe(1);
    await admin.patch(ConfigMap, { namespace, name: "hopeless" }, mergePatch({ data: { color: "red" } }));
    await eventually(() => runs.hopeless).toBe(2);
  });

  it("[CT8] never runs one key twice at once, and no more keys than it may", async () => {
    const { namespace, run } = await world();
    const running = new Set<string>();
    const wrong: string[] = [];
    let most = 0;
    let ended = 0;
    const { promise: everythingIsQueued, resolve: goOn } = Promise.withResolvers<void>();
    await run(
      controller(ConfigMap, { concurrency: 4 }).reconcileKey(async ({ key, signal }) => {
        if (running.has(key.name)) wrong.push(key.name);
        running.add(key.name);
        most = Math.max(most, running.size);
        await abortable(everythingIsQueued, signal);
        await sleep(systemClock, 5, signal);
        running.delete(key.name);
        ended += 1;
      }),
    );
    const names = Array.from({ length: 8 }, (_, i) => `key-${i}`);
    await Promise.all(names.map((name) => configMap(namespace, name)));
    await eventually(() => running.size).toBe(4);
    for (let round = 0; round < 5; round++) {
      const data = { round: String(round) };
      await Promise.all(
        names.map((name) => admin.patch(ConfigMap, { namespace, name }, mergePatch({ data }))),
      );
    }
    goOn();
    await eventually(() => ended).toBeGreaterThanOrEqual(12);
    expect(wrong).toEqual([]);
    expect(most).toBe(4);
  });
});

describe("controllers", () => {
  it("[IN1] of one kind share one watch", async () => {
    const { namespace, transport, run } = await world();
    const seen: string[] = [];
    await run(
      controller(ConfigMap)
        .named("one")
        .reconcile(({ key }) => void seen.push(`one ${key.name}`)),
    );
    const other = await run(
      controller(ConfigMap)
        .named("other")
        .reconcile(({ key }) => void seen.push(`other ${key.name}`)),
    );
    await configMap(namespace, "web");
    await eventually(() => seen).toEqual(expect.arrayContaining(["one web", "other web"]));
    expect(transport.openStreams).toHaveLength(1);
    await other.stop();
    await configMap(namespace, "more");
    await eventually(() => seen).toContain("one more");
    expect(seen).not.toContain("other more");
  });

  it("get over a restart of the API server", async () => {
    const { namespace, run } = await world();
    const seen = new Map<string, string>();
    const counted: string[] = [];
    await run(
      controller(ConfigMap).reconcile(async ({ object, client, key }) => {
        seen.set(key.name, object.data?.color ?? "");
        await client.apply(
          Secret,
          {
            metadata: { namespace, name: `of-${key.name}`, labels: { color: object.data?.color ?? "none" } },
          },
          { fieldOwner: "test", force: true },
        );
        counted.push(key.name);
      }),
    );
    await configMap(namespace, "before", { color: "red" });
    await eventually(() => counted).toContain("before");
    await controlPlane.restart("kube-apiserver");
    await eventually(() =>
      admin.patch(ConfigMap, { namespace, name: "before" }, mergePatch({ data: { color: "blue" } })),
    ).toBeDefined();
    await configMap(namespace, "after", { color: "green" });
    // A reflector that met a dead server may be up to a minute into its back-off [RF13].
    await expect
      .poll(() => [seen.get("before"), seen.get("after")], { timeout: 70_000 })
      .toEqual(["blue", "green"]);
    await eventually(
      async () => (await admin.get(Secret, { namespace, name: "of-before" })).metadata.labels?.color,
    ).toBe("blue");
  }, 180_000);

  it("[CT14] GracefulStopIT: end 50 reconciles by their signals, in the middle of what they do", async () => {
    const { namespace, run } = await world();
    const reason = new Error("the operator stops");
    const begun = new Set<string>();
    const reasons: unknown[] = [];
    const running = await run(
      controller(ConfigMap, { concurrency: 50 }).reconcile(async ({ key, client, signal }) => {
        if (!key.name.startsWith("key-")) return;
        begun.add(key.name);
        try {
          // Watches until its signal ends it, which the client does by itself.
          for await (const _ of client.watch(Secret, { namespace }));
        } finally {
          reasons.push(signal.reason);
        }
      }),
    );
    await Promise.all(Array.from({ length: 60 }, (_, i) => configMap(namespace, `key-${i}`)));
    await eventually(() => begun.size).toBe(50);
    await running.stop(reason);
    expect(begun.size).toBe(50);
    expect(reasons).toEqual(Array.from({ length: 50 }, () => reason));
  });
});
