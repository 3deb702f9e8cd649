import { InvalidCallError } from "@keelson/client";
import { formatKey, genericResource, type ObjectKey, sleep } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { controllerWorld, emptyCache, type World } from "../../test/support/controller-world.ts";
import { Controller } from "./controller.ts";
import type { ReconcileContext } from "./reconciler.ts";

const WebApp = genericResource({
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
});

async function runOnce(world: World, key = "a"): Promise<void> {
  await world.start();
  world.source.add(key);
  await world.clock.settle();
}

describe("the context of a reconcile", () => {
  it("[CT16] every line of its log names its controller and object", async () => {
    const world = controllerWorld({
      reconcile: ({ log }) => log.info("hello", { replicas: 3 }),
      definition: { kind: WebApp, name: "webapp" },
    });
    await runOnce(world);
    await world.stop();
    const line = world.log.lines.find(({ message }) => message === "hello");
    expect(line?.fields).toMatchObject({
      controller: "webapp",
      controllerGroup: "example.com",
      controllerKind: "WebApp",
      key: "a",
      replicas: 3,
      reconcileID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it("[CT16] names the object under its kind where the key is that of one", async () => {
    const world = controllerWorld({ reconcile: () => undefined });
    const { controller: _, ...rest } = world;
    const objects = new Controller<ObjectKey>(
      {
        name: "webapp",
        kind: WebApp,
        formatKey,
        sources: [
          {
            name: "one",
            run: ({ enqueue }) => {
              enqueue({ namespace: "shop", name: "web" }, { trigger: { source: "one", type: "create" } });
              return { synced: Promise.resolve(), ended: Promise.resolve() };
            },
          },
        ],
        reconcile: ({ log }) => log.info("hello"),
        options: {},
      },
      {
        client: rest.client,
        cachedClient: rest.client,
        cache: emptyCache,
        clock: rest.clock,
        random: { next: () => 0.5 },
        log: rest.log,
      },
      undefined,
    );
    const signals = new AbortController();
    const running = objects.run(signals.signal);
    await rest.clock.settle();
    signals.abort();
    await running;
    const line = rest.log.lines.find(({ message }) => message === "hello");
    expect(line?.fields).toEqual({
      controller: "webapp",
      controllerGroup: "example.com",
      controllerKind: "WebApp",
      WebApp: { namespace: "shop", name: "web" },
      namespace: "shop",
      name: "web",
      reconcileID: expect.any(String),
    });
  });

  it("[CT16] has another id for each run, the same within one", async () => {
    const ids: string[] = [];
    const world = controllerWorld({
      reconcile: (context) => {
        ids.push(context.reconcileId, context.reconcileId);
        return ids.length < 4 ? { requeueAfterMs: 1 } : undefined;
      },
    });
    await runOnce(world);
    await world.clock.advance(10);
    await world.stop();
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
  });

  it("has the reasons from when it was queued, at most 16, and counts all", async () => {
    const seen: ReconcileContext<string>[] = [];
    const world = controllerWorld({
      reconcile: async (context) => {
        seen.push(context);
        await sleep(world.clock, 10);
        return seen.length === 2 ? { requeueAfterMs: 5 } : undefined;
      },
    });
    await world.start();
    world.source.add("a");
    await world.clock.settle();
    for (let i = 0; i < 20; i++) world.source.add("a");
    await world.clock.advance(100);
    await world.stop();
    expect(seen.map(({ reasons, reasonCount }) => [reasons.length, reasonCount])).toEqual([
      [1, 1],
      [16, 20],
      [1, 1],
    ]);
    expect(seen[2]?.reasons[0]?.type).toBe("requeue");
  });
});

describe("the clients of a reconcile", () => {
  it("[CT14] end their calls when the run is aborted, without being passed the signal", async () => {
    const failures: unknown[] = [];
    const world = controllerWorld({
      reconcile: async ({ client, liveClient }) => {
        const calls = [client, liveClient].map((each) =>
          each.get(ConfigMap, { namespace: "shop", name: "web" }),
        );
        for (const call of calls) failures.push(await call.catch((error: unknown) => error));
      },
    });
    await runOnce(world);
    const reason = new Error("the operator stops");
    world.abort(reason);
    await world.running;
    expect(failures).toEqual([reason, reason]);
  });

  it("end a call with a signal of its own by either", async () => {
    const own = new AbortController();
    let failure: unknown;
    const world = controllerWorld({
      reconcile: async ({ client }) => {
        failure = await client.list(ConfigMap, { signal: own.signal }).catch((error: unknown) => error);
      },
    });
    await runOnce(world);
    own.abort(new InvalidCallError("test", "enough"));
    await world.clock.settle();
    expect(failure).toBe(own.signal.reason);
    await world.stop();
  });

  it("put what they do on record", async () => {
    const world = controllerWorld({
      timeoutMs: 50,
      reconcile: async ({ client }) => {
        await client.get(ConfigMap, { namespace: "shop", name: "web" });
      },
    });
    await runOnce(world);
    await world.clock.advance(50);
    expect(world.controller.causalLog.explain("a")).toContain("configmaps shop/web");
    await world.stop();
  });
});
