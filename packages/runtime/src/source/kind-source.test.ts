import { ForbiddenError, NotFoundError, UnauthorizedError } from "@keelson/client";
import type { ObjectKey, Stored } from "@keelson/core";
import { metadataOnly } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { informerHarness } from "../../test/support/source-harness.ts";
import { stored } from "../../test/support/stored.ts";
import { enqueueMapped, enqueueSelf } from "./handlers.ts";
import { informerSource, kindSource } from "./kind-source.ts";
import type { Predicate } from "./predicates.ts";

const configMap = (name: string, resourceVersion = "1", data: Record<string, string> = {}) =>
  stored<ConfigMap>({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "shop", name, uid: name, resourceVersion },
    data,
  });

/** A source of ConfigMaps that runs, and has synced. */
async function running(options: Partial<Parameters<typeof kindSource<ConfigMap, ObjectKey>>[0]> = {}) {
  const harness = informerHarness(ConfigMap);
  const source = kindSource({ resource: ConfigMap, handler: enqueueSelf(), ...options });
  const run = harness.run(source);
  harness.informer.markSynced();
  await run.synced;
  return { ...run, harness, source, informer: harness.informer };
}

describe("a kind source", () => {
  it("enqueues the keys of creates, updates and deletes with their triggers", async () => {
    const { harness, informer } = await running();
    await informer.create(configMap("a"));
    await informer.update(configMap("a", "1", { x: "1" }), configMap("a", "2", { x: "2" }));
    await informer.delete(configMap("a", "3"));
    expect(harness.queued.map(({ key }) => key)).toEqual(Array(3).fill({ namespace: "shop", name: "a" }));
    const triggers = harness.queued.map(({ trigger }) => trigger);
    const about = (resourceVersion: string) => ({
      namespace: "shop",
      name: "a",
      kind: "ConfigMap",
      resourceVersion,
    });
    expect(triggers).toMatchObject([
      { source: "watches configmaps", type: "create", object: about("1") },
      { source: "watches configmaps", type: "update", object: about("2") },
      { source: "watches configmaps", type: "delete", object: about("3") },
    ]);
    expect(triggers.map(({ changedPaths }) => changedPaths?.())).toEqual([undefined, ["data.x"], undefined]);
    expect(triggers[1]?.changedPaths?.()).toEqual(["data.x"]);
  });

  it("[EV10] queues the initial list and what has not changed at low priority, the rest at 0", async () => {
    const harness = informerHarness(ConfigMap);
    const { synced } = harness.run(kindSource({ resource: ConfigMap, handler: enqueueSelf() }));
    await harness.informer.create(configMap("initial"), true);
    harness.informer.markSynced();
    await synced;
    await harness.informer.create(configMap("new"));
    await harness.informer.update(configMap("new"), configMap("new"), true);
    await harness.informer.update(configMap("new"), configMap("new", "2"));
    await harness.informer.delete(configMap("new", "3"), true);
    expect(harness.queued.map(({ priority = 0 }) => priority)).toEqual([-100, 0, -100, 0, 0]);
    expect(harness.queued.map(({ trigger }) => trigger.isInitial)).toEqual([
      true,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(harness.queued[2]?.trigger.changedPaths?.()).toEqual([]);
  });

  it("does not parse an object that is not read", async () => {
    const { harness, informer } = await running();
    const key = { namespace: "shop", name: "a" };
    let parses = 0;
    const object = () => {
      parses++;
      return configMap("a", String(parses));
    };
    await informer.emit({
      type: "update",
      key,
      get old() {
        return object();
      },
      get object() {
        return object();
      },
      isSync: false,
    });
    // The informer of the test stores it; the source must not add to that.
    expect(parses).toBe(1);
    expect(harness.keys).toEqual(["shop/a"]);
    expect(harness.queued[0]?.trigger.object?.resourceVersion).toBe("2");
    expect(harness.queued[0]?.trigger.changedPaths?.()).toEqual([]);
    expect(harness.queued[0]?.trigger.changedPaths?.()).toEqual([]);
    expect(parses).toBe(4);
  });

  it("[EV4] queues a key once for an event that names it twice", async () => {
    const handler = enqueueMapped(() => [{ name: "x" }, { name: "y" }, { name: "x" }]);
    const { harness, informer } = await running({ handler });
    await informer.update(configMap("a"), configMap("a", "2"));
    expect(harness.keys).toEqual(["x", "y"]);
  });

  it("[EV5] passes a delete whose last state is not known as a delete", async () => {
    const seen: unknown[] = [];
    const handler = enqueueSelf();
    const { harness, informer } = await running({
      handler: (event, context) => {
        seen.push(event.type, event.type === "delete" && event.finalStateUnknown);
        return handler(event, context);
      },
    });
    await informer.delete(configMap("a"), true);
    expect(seen).toEqual(["delete", true]);
    expect(harness.queued[0]?.trigger.type).toBe("delete");
  });

  it("[EV6] tests the controller's predicates first, and enqueues what passes all", async () => {
    const calls: string[] = [];
    const asking = (who: string, name: string): Predicate => ({
      create: ({ key }) => {
        calls.push(`${who} ${key.name}`);
        return key.name !== name;
      },
    });
    const { harness, informer } = await running({
      globalPredicates: [asking("global", "a")],
      predicates: [asking("own", "b")],
    });
    for (const name of ["a", "b", "c"]) await informer.create(configMap(name));
    expect(calls).toEqual(["global a", "global b", "own b", "global c", "own c"]);
    expect(harness.keys).toEqual(["shop/c"]);
  });

  it("passes its selection to the cache, and its resync period to the informer", async () => {
    const { harness } = await running({ selection: { namespace: "shop" }, resyncMs: 60_000 });
    expect(harness.cache.acquired).toEqual([{ selection: { namespace: "shop" } }]);
    expect(harness.informer.subscribers.map(({ options }) => options)).toEqual([{ resyncMs: 60_000 }]);
  });

  it("names the kind of an object of which it has the metadata only", async () => {
    const resource = metadataOnly(Deployment);
    const harness = informerHarness(resource);
    const source = kindSource({ resource, handler: enqueueSelf() });
    harness.run(source);
    await harness.informer.create(
      stored({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: { name: "a" } }),
    );
    expect(source.name).toBe("watches deployments.apps");
    expect(harness.queued[0]?.trigger.object?.kind).toBe("Deployment");
  });

  it("fails to sync if the cache refuses the kind", async () => {
    const harness = informerHarness(ConfigMap);
    harness.cache.refusal = new Error("no such scope");
    const run = harness.run(kindSource({ resource: ConfigMap, handler: enqueueSelf() }));
    await expect(run.synced).rejects.toBe(harness.cache.refusal);
    await run.ended;
  });
});

describe("the end of a kind source", () => {
  it("releases the informer, and enqueues nothing after it", async () => {
    const { harness, informer, ended } = await running();
    await informer.create(configMap("a"));
    harness.abort();
    await ended;
    await informer.create(configMap("b"));
    expect(harness.keys).toEqual(["shop/a"]);
    expect(informer.releases).toBe(1);
    expect(informer.subscribers).toEqual([]);
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("does not wait for a handler that ignores the signal, and ignores its result", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handler = enqueueMapped(async () => {
      await promise;
      return [{ name: "late" }];
    });
    const { harness, informer, ended } = await running({ handler });
    const handled = informer.create(configMap("a"));
    await harness.clock.settle();
    harness.abort();
    await ended;
    resolve();
    await handled;
    expect(harness.queued).toEqual([]);
    expect(harness.lines).toEqual([]);
  });

  it("may come while a handler runs, whose keys are not enqueued then", async () => {
    const harness = informerHarness(ConfigMap);
    const handler = enqueueMapped(() => {
      harness.abort();
      return [{ name: "late" }];
    });
    const { ended } = harness.run(kindSource({ resource: ConfigMap, handler }));
    await harness.informer.create(configMap("a"));
    await ended;
    expect(harness.queued).toEqual([]);
  });

  it("may come before the sync, which then fails with the signal's reason", async () => {
    const harness = informerHarness(ConfigMap);
    const { synced, ended } = harness.run(kindSource({ resource: ConfigMap, handler: enqueueSelf() }));
    harness.abort();
    await expect(synced).rejects.toBe(harness.context.signal.reason);
    await ended;
    expect(harness.clock.pendingTimers).toEqual([]);
    expect(harness.lines).toEqual([]);
  });

  it("may come before the beginning", async () => {
    const harness = informerHarness(ConfigMap);
    harness.abort();
    const { ended } = harness.run(kindSource({ resource: ConfigMap, handler: enqueueSelf() }));
    await ended;
    expect(harness.informer.releases).toBe(1);
    expect(harness.clock.pendingTimers).toEqual([]);
  });
});

describe("a handler that does not end", () => {
  const isStuck = (name: string): boolean => name.startsWith("stuck");
  const stuckHandler = enqueueMapped(({ metadata: { name } }: Stored) =>
    isStuck(name) ? new Promise<ObjectKey[]>(() => undefined) : Promise.resolve([{ name }]),
  );

  it("[EV12] lets the other events be handled, is logged with its source, and fails after 30 s", async () => {
    const { harness, informer, ended } = await running({ handler: stuckHandler, name: "watches the index" });
    const handled = informer.create(configMap("stuck"));
    const next = handled.then(() => informer.create(configMap("good")));
    await harness.clock.advance(1_000);
    await next;
    expect(harness.keys).toEqual(["good"]);
    expect(harness.messages("warn")).toEqual([]);
    await harness.clock.advance(9_000);
    expect(harness.messages("warn")).toEqual([
      expect.stringContaining("(watches the index): the handler has not ended after 10 s"),
    ]);
    expect(harness.handlerFailures).toEqual([]);
    await harness.clock.advance(20_000);
    expect(harness.handlerFailures).toEqual(["watches the index: timeout"]);
    expect(harness.messages("error")).toEqual([
      expect.stringContaining(
        "the create of ConfigMap shop/stuck (watches the index): the handler has not ended",
      ),
    ]);
    await harness.clock.advance(30_100);
    expect(harness.handlerFailures).toHaveLength(2);
    expect(harness.messages("error")).toHaveLength(1);
    harness.abort();
    await ended;
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("[EV12] delays the sync by seconds even if there are a thousand of them", async () => {
    const harness = informerHarness(ConfigMap);
    const { synced, ended } = harness.run(kindSource({ resource: ConfigMap, handler: stuckHandler }));
    const deliver = async (): Promise<void> => {
      for (let index = 0; index < 1_000; index++)
        await harness.informer.create(configMap(`stuck-${index}`), true);
      harness.informer.markSynced();
    };
    void deliver();
    await harness.clock.advance(9_000);
    await synced;
    harness.abort();
    await ended;
    expect(harness.messages("warn")).toHaveLength(0);
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("[EV12] may end later, and its keys are then enqueued", async () => {
    const { promise, resolve } = Promise.withResolvers<ObjectKey[]>();
    const { harness, informer } = await running({ handler: () => promise });
    const handled = informer.create(configMap("slow"));
    await harness.clock.advance(20_000);
    await handled;
    resolve([{ name: "slow" }]);
    await harness.clock.settle();
    expect(harness.keys).toEqual(["slow"]);
    expect(harness.handlerFailures).toEqual([]);
    expect(harness.clock.pendingTimers).toEqual([]);
  });
});

describe("an informer source", () => {
  it("queues the events of an informer, and leaves it to its owner", async () => {
    const harness = informerHarness(ConfigMap);
    const { informer } = harness;
    const source = informerSource({ name: "shop", informer, handler: enqueueSelf() });
    const { synced, ended } = harness.run(source);
    await informer.create(configMap("a"), true);
    informer.markSynced();
    await synced;
    expect(harness.queued).toMatchObject([{ priority: -100, trigger: { source: "shop", type: "create" } }]);
    harness.abort();
    await ended;
    expect(informer.releases).toBe(0);
    expect(informer.subscribers).toEqual([]);
  });
});

describe("a handler that throws", () => {
  const flaky = (failures: number) => {
    const calls: string[] = [];
    const handler = enqueueMapped((object: Stored) => {
      const { name } = object.metadata;
      calls.push(name);
      if (name === "bad" && calls.filter((call) => call === "bad").length <= failures) {
        throw new Error("no index");
      }
      return [{ name }];
    });
    return { handler, calls };
  };

  it("is called again after a while, and meanwhile with the other events", async () => {
    const { handler } = flaky(2);
    const { harness, informer } = await running({ handler });
    await informer.create(configMap("bad"));
    await informer.create(configMap("good"));
    expect(harness.keys).toEqual(["good"]);
    await harness.clock.advance(499);
    expect(harness.keys).toEqual(["good"]);
    await harness.clock.advance(1);
    expect(harness.keys).toEqual(["good", "bad"]);
    expect(harness.clock.pendingTimers).toEqual([]);
    expect(harness.messages("error")).toEqual([]);
  });

  it("is called until it succeeds, with delays up to a minute, and its error is logged once, with the object", async () => {
    const { handler, calls } = flaky(12);
    const { harness, informer } = await running({ handler });
    await informer.create(configMap("bad"));
    await harness.clock.advance(8_500);
    expect(calls).toHaveLength(5);
    expect(harness.lines.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message:
          "find the keys for the create of ConfigMap shop/bad (watches configmaps): no index (tried 5 times); its " +
          "keys are not enqueued until this succeeds, which is tried up to every minute; correct the predicate or the " +
          "handler",
        fields: { error: new Error("no index"), ConfigMap: { namespace: "shop", name: "bad" } },
      },
    ]);
    await harness.clock.advance(25_600);
    expect(calls).toHaveLength(6);
    await harness.clock.advance(6 * 60_000);
    expect(calls).toHaveLength(12);
    expect(harness.keys).toEqual([]);
    await harness.clock.advance(60_000);
    expect(harness.keys).toEqual(["bad"]);
    expect(harness.messages("error")).toHaveLength(1);
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("is called with all events of an object meanwhile, by one timer", async () => {
    let isBroken = true;
    const calls: string[] = [];
    const handler = enqueueMapped(({ data = {} }: ConfigMap) => {
      if (isBroken) throw new Error("no index");
      calls.push(data.owner ?? "");
      return [{ name: data.owner ?? "" }];
    });
    const { harness, informer } = await running({ handler });
    const owned = (version: string, owner: string) => configMap("a", version, { owner });
    await informer.update(owned("1", "first"), owned("2", "second"));
    await informer.update(owned("2", "second"), owned("3", "third"));
    await informer.update(owned("3", "third"), owned("4", "fourth"));
    await informer.delete(owned("5", "last"));
    expect(harness.clock.pendingTimers).toHaveLength(1);
    isBroken = false;
    await harness.clock.advance(100);
    expect(harness.keys).toEqual(["first", "fourth", "last"]);
    expect(calls).toEqual(["first", "fourth", "last"]);
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("may throw what has no text", async () => {
    let attempts = 0;
    const handler = (): ObjectKey[] => {
      attempts++;
      if (attempts < 6) throw Object.create(null);
      return [{ name: "a" }];
    };
    const { harness, informer } = await running({ handler });
    await informer.create(configMap("a"));
    await harness.clock.advance(60_000);
    expect(harness.keys).toEqual(["a"]);
    expect(harness.messages("error")).toHaveLength(1);
  });

  it("[CT12] [EV12] does not delay the sync of the source, and neither does a predicate", async () => {
    for (const broken of ["handler", "predicate"]) {
      const fail = (): never => {
        throw new Error("no index");
      };
      const harness = informerHarness(ConfigMap);
      const source = kindSource({
        resource: ConfigMap,
        handler: broken === "handler" ? fail : enqueueSelf(),
        predicates: broken === "predicate" ? [{ create: fail }] : [],
      });
      const { synced, ended } = harness.run(source);
      await harness.informer.create(configMap("bad"), true);
      harness.informer.markSynced();
      await synced;
      expect(harness.clock.now()).toBe(new VirtualClock().now());
      harness.abort();
      await ended;
      expect(harness.clock.pendingTimers).toEqual([]);
    }
  });

  it("is not called again after the end", async () => {
    const { handler, calls } = flaky(Number.POSITIVE_INFINITY);
    const { harness, informer, ended } = await running({ handler });
    await informer.create(configMap("bad"));
    harness.abort();
    await ended;
    expect(calls).toHaveLength(1);
    expect(harness.clock.pendingTimers).toEqual([]);
    expect(harness.messages("error")).toEqual([]);
  });

  it("queues nothing of a list that fails half-way", async () => {
    let attempts = 0;
    function* keys(): Generator<ObjectKey> {
      attempts++;
      yield { name: "first" };
      if (attempts === 1) throw new Error("half-way");
      yield { name: "second" };
    }
    const { harness, informer } = await running({ handler: keys });
    await informer.create(configMap("a"));
    expect(harness.keys).toEqual([]);
    await harness.clock.advance(100);
    expect(harness.keys).toEqual(["first", "second"]);
  });

  it("may be a predicate, or reject", async () => {
    let filtered = 0;
    let mapped = 0;
    const { harness, informer } = await running({
      predicates: [
        {
          create: () => {
            filtered++;
            if (filtered === 1) throw new Error("no label");
            return true;
          },
        },
      ],
      handler: async () => {
        mapped++;
        if (mapped === 1) throw new Error("no index");
        return [{ name: "a" }];
      },
    });
    await informer.create(configMap("a"));
    await harness.clock.advance(500);
    expect([filtered, mapped]).toEqual([3, 2]);
    expect(harness.keys).toEqual(["a"]);
  });
});

describe("an asynchronous handler", () => {
  it("gets one event at a time, in order", async () => {
    const gates = new Map(["a", "b"].map((name) => [name, Promise.withResolvers<void>()]));
    const begun: string[] = [];
    const handler = enqueueMapped(async ({ metadata: { name } }: Stored) => {
      begun.push(name);
      await gates.get(name)?.promise;
      return [{ name }];
    });
    const { harness, informer } = await running({ handler });
    const done = [informer.create(configMap("a")), informer.create(configMap("b"))];
    gates.get("b")?.resolve();
    await harness.clock.settle();
    expect(begun).toEqual(["a"]);
    gates.get("a")?.resolve();
    await Promise.all(done);
    expect(harness.keys).toEqual(["a", "b"]);
  });
});

describe("a kind source that cannot sync", () => {
  const status = (code: number, reason: string, message: string) =>
    ({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message }) as const;
  const operation = "list configmaps";

  it.each([
    [
      "the kind is missing",
      new NotFoundError(operation, status(404, "NotFound", "not found")),
      "sync watches configmaps: the API server serves no configmaps of v1; install the CRD of configmaps, in that version",
    ],
    [
      "the permission is missing",
      new ForbiddenError(operation, status(403, "Forbidden", 'User "ann" cannot list resource "configmaps"')),
      "sync watches configmaps: reading configmaps is not allowed; grant the verbs list and watch on configmaps " +
        '(User "ann" cannot list resource "configmaps")',
    ],
    [
      "the credentials are wrong",
      new UnauthorizedError(operation, status(401, "Unauthorized", "Unauthorized")),
      "sync watches configmaps: the API server does not accept the credentials; renew them (Unauthorized)",
    ],
    ["something else failed", new Error("broken"), "sync watches configmaps: broken; it is tried again"],
  ])("[EV8] logs every 10 s that %s, and continues when that is over", async (_, error, message) => {
    const harness = informerHarness(ConfigMap);
    harness.informer.lastError = error;
    const { synced } = harness.run(kindSource({ resource: ConfigMap, handler: enqueueSelf() }));
    await harness.clock.advance(9_999);
    expect(harness.lines).toEqual([]);
    await harness.clock.advance(20_001);
    expect(harness.lines).toEqual(Array(3).fill({ level: "error", message, fields: { error } }));
    harness.informer.markSynced();
    await synced;
    await harness.clock.advance(60_000);
    expect(harness.lines).toHaveLength(3);
    expect(harness.clock.pendingTimers).toEqual([]);
  });

  it("[EV8] reports its progress if nothing has failed", async () => {
    const harness = informerHarness(ConfigMap);
    harness.run(kindSource({ resource: ConfigMap, handler: enqueueSelf() }));
    await harness.clock.advance(10_000);
    expect(harness.messages("warn")).toEqual([
      "sync watches configmaps: configmaps is still listing, with 0 objects so far; is the API server slow?",
    ]);
    harness.abort();
  });

  it("[EV8] does not give up by itself", async () => {
    const harness = informerHarness(ConfigMap);
    const { synced } = harness.run(kindSource({ resource: ConfigMap, handler: enqueueSelf() }));
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    synced.then(settle, settle);
    await harness.clock.advance(3_600_000);
    expect(isSettled).toBe(false);
    harness.abort();
    await expect(synced).rejects.toThrow("the controller stops");
  });
});
