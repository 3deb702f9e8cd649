import type { Client } from "@keelson/client";
import { createClient } from "@keelson/client";
import {
  type KubeObject,
  metadataOnly,
  type ObjectKey,
  type PartialObjectMetadata,
  type Resource,
  type Stored,
  seededRandom,
} from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { Namespace, Node, Secret } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, expectTypeOf, it } from "vitest";
import { readySource, silentTransport } from "../../test/support/controller-world.ts";
import { FakeCache, objectOf } from "../../test/support/fake-cache.ts";
import { predicateOf } from "../source/predicates.ts";
import type { Source } from "../source/source.ts";
import { controller } from "./builder.ts";
import { Controller } from "./controller.ts";
import type { ControllerDefinition } from "./controller-definition.ts";
import { InvalidControllerError } from "./errors.ts";
import { controllerFor } from "./key-builder.ts";

interface WebAppObject extends KubeObject {
  readonly spec: { readonly replicas: number };
}
const WebApp: Resource<WebAppObject> = {
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
};

const web = { namespace: "shop", name: "web" };
const nothing = () => undefined;
const owner = (name: string, isController = true) => ({
  apiVersion: "example.com/v1beta1",
  kind: "WebApp",
  name,
  uid: name,
  controller: isController,
});

/** Runs the definition, lets the test make changes, and returns the keys that were reconciled. */
async function keysOf<Key>(
  definition: (reconcile: (context: { readonly key: Key }) => undefined) => ControllerDefinition<Key>,
  change: (cache: FakeCache) => void,
): Promise<readonly Key[]> {
  const keys: Key[] = [];
  const cache = new FakeCache();
  const clock = new VirtualClock();
  const client = createClient({ transport: silentTransport, clock });
  const built = definition(({ key }) => void keys.push(key));
  const running = new Controller(
    built,
    {
      client,
      cachedClient: client,
      cache,
      clock,
      random: seededRandom(1),
    },
    undefined,
  );
  const signals = new AbortController();
  const run = running.run(signals.signal);
  await clock.settle();
  change(cache);
  await clock.settle();
  signals.abort();
  await run;
  expect(cache.subscribers).toEqual([]);
  return keys;
}

describe("a controller of a kind", () => {
  it("[EV1] reconciles the objects of its kind when they are created, updated and deleted", async () => {
    const object = objectOf(WebApp, web);
    const keys = await keysOf<ObjectKey>(
      controller(WebApp).reconcileKey.bind(controller(WebApp)),
      (cache) => {
        cache.create(WebApp, { namespace: "shop", name: "new" });
        cache.emit(WebApp, {
          type: "update",
          key: { ...web, name: "changed" },
          old: object,
          object,
          isSync: false,
        });
        cache.emit(WebApp, {
          type: "delete",
          key: { ...web, name: "gone" },
          object,
          finalStateUnknown: false,
        });
      },
    );
    expect(keys.map(({ name }) => name)).toEqual(["new", "changed", "gone"]);
  });

  it("[EV2] reconciles the owner of what it owns", async () => {
    const keys = await keysOf<ObjectKey>(
      (reconcile) => controller(WebApp).owns(Deployment).reconcileKey(reconcile),
      (cache) => {
        cache.create(Deployment, { ...web, name: "mine" }, { ownerReferences: [owner("web")] });
        cache.create(Deployment, { ...web, name: "nobody's" });
        cache.create(Deployment, { ...web, name: "shared" }, { ownerReferences: [owner("guest", false)] });
      },
    );
    expect(keys).toEqual([web]);
  });

  it("[EV2] reconciles every owner if it is asked to", async () => {
    const keys = await keysOf<ObjectKey>(
      (reconcile) => controller(WebApp).owns(Deployment, { everyOwner: true }).reconcileKey(reconcile),
      (cache) => {
        cache.create(Deployment, { ...web, name: "x" }, { ownerReferences: [owner("a"), owner("b", false)] });
      },
    );
    expect(keys.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("[EV1] PrimaryToSecondaryIT: reconciles the keys that a map returns for a change", async () => {
    const keys = await keysOf<ObjectKey>(
      (reconcile) =>
        controller(WebApp)
          .watches(Secret, ({ metadata }) => [
            { namespace: metadata.namespace ?? "", name: `${metadata.name}-user` },
          ])
          .reconcileKey(reconcile),
      (cache) => cache.create(Secret, { namespace: "shop", name: "db" }),
    );
    expect(keys).toEqual([{ namespace: "shop", name: "db-user" }]);
  });

  it("[EV6] [EV7] filters events of all kinds, each kind's own after that, and raw sources not at all", async () => {
    const raw: Source<ObjectKey> = {
      name: "raw",
      run: ({ enqueue }) => {
        enqueue({ name: "raw" }, { trigger: { source: "raw", type: "generic" } });
        return { synced: Promise.resolve(), ended: Promise.resolve() };
      },
    };
    const isNamed = (part: string) =>
      predicateOf<KubeObject>(({ metadata }) => metadata.name?.includes(part) ?? false);
    const keys = await keysOf<ObjectKey>(
      (reconcile) =>
        controller(WebApp)
          .watches(Secret, ({ metadata }) => [{ name: `${metadata.name}` }], { predicates: [isNamed("two")] })
          .source(raw)
          .filter(isNamed("one"))
          .reconcileKey(reconcile),
      (cache) => {
        for (const name of ["one", "two", "one-two"]) {
          cache.create(WebApp, { namespace: "shop", name });
          cache.create(Secret, { namespace: "secret", name });
        }
      },
    );
    expect(keys).toEqual([
      { name: "raw" },
      { namespace: "shop", name: "one" },
      { namespace: "shop", name: "one-two" },
      { name: "one-two" },
    ]);
  });

  it("[EV6] has predicates for its own kind alone", async () => {
    const keys = await keysOf<ObjectKey>(
      (reconcile) =>
        controller(WebApp, { predicates: [predicateOf(() => false)] })
          .watches(Secret, () => [web])
          .reconcileKey(reconcile),
      (cache) => {
        cache.create(WebApp, { namespace: "shop", name: "other" });
        cache.create(Secret, { namespace: "shop", name: "db" });
      },
    );
    expect(keys).toEqual([web]);
  });

  it("watches metadata only where that is asked for", async () => {
    const watched: string[] = [];
    await keysOf<ObjectKey>(
      (reconcile) =>
        controller(WebApp)
          .owns(metadataOnly(Deployment))
          .watches(metadataOnly(Secret), ({ metadata }) => [{ name: metadata.name ?? "" }])
          .reconcileKey(reconcile),
      (cache) => void watched.push(...cache.watched),
    );
    expect(watched).toEqual(["WebApp", "Deployment (metadata)", "Secret (metadata)"]);
  });

  it("watches the selection that it is given", async () => {
    let selections: unknown[] = [];
    await keysOf<ObjectKey>(
      (reconcile) =>
        controller(WebApp, { selection: { namespace: "shop" } })
          .owns(Deployment, { selection: { labelSelector: "a=b" } })
          .reconcileKey(reconcile),
      (cache) => {
        selections = cache.subscribers.map(({ options }) => options.selection);
      },
    );
    expect(selections).toEqual([{ namespace: "shop" }, { labelSelector: "a=b" }]);
  });

  it("is named after its kind, unless it is given a name", () => {
    expect(controller(WebApp).reconcile(nothing)).toMatchObject({ name: "webapp", kind: WebApp });
    expect(controller(WebApp).named("webapp-status").reconcile(nothing).name).toBe("webapp-status");
  });

  it("is left as it is by every call", () => {
    const first = controller(WebApp);
    first.named("other").owns(Deployment).source(noSource);
    expect(first.reconcile(nothing)).toMatchObject({ name: "webapp" });
    expect(first.reconcile(nothing).sources).toHaveLength(1);
  });

  it("passes its options on", () => {
    const { options } = controller(WebApp, { concurrency: 4, predicates: [] }).reconcile(nothing);
    expect(options).toEqual({ concurrency: 4 });
  });

  it("[EV11] reports all that is wrong with it at once, and the remedy of each", () => {
    const wrong = controller(WebApp, { concurrency: -1, selection: { namespace: "shop" } })
      .named("Web App")
      .owns(Deployment)
      .owns(Deployment)
      .owns(Node)
      .watches(Namespace, () => [], { selection: { namespace: "shop" } });
    expect(() => wrong.reconcile(nothing)).toThrow(InvalidControllerError);
    const problems = problemsOf(() => wrong.reconcile(nothing));
    expect(problems).toEqual([
      expect.stringMatching(/"Web App".*\.named\(\)/),
      expect.stringMatching(/\.owns\(Deployment\) is called twice/),
      expect.stringMatching(/\.owns\(Node\).*use \.watches\(\)/),
      expect.stringMatching(/\.watches\(Namespace\).*leave selection\.namespace out/),
      expect.stringMatching(/concurrency is -1/),
    ]);
  });
});

describe("a controller of other keys", () => {
  const shards = controllerFor<number>({ name: "shard", formatKey: (shard) => `shard ${shard}` });

  it("[EV1] reconciles the keys of maps and sources", async () => {
    const keys = await keysOf<number>(
      (reconcile) =>
        shards.watches(Secret, ({ metadata }) => [metadata.name?.length ?? 0]).reconcileKey(reconcile),
      (cache) => {
        cache.create(Secret, { namespace: "shop", name: "abc" });
        cache.create(Secret, { namespace: "shop", name: "abcde" });
      },
    );
    expect(keys).toEqual([3, 5]);
  });

  it("[EV11] cannot be built if it watches nothing, or has no name", () => {
    expect(problemsOf(() => shards.reconcileKey(nothing))).toEqual([
      expect.stringMatching(/watches nothing.*\.watches\(kind, map\) or \.source\(source\)/),
    ]);
    const nameless = controllerFor<string>({ name: "", formatKey: (key) => key }).source(readySource());
    expect(problemsOf(() => nameless.reconcileKey(nothing))).toEqual([expect.stringMatching(/the name ""/)]);
  });

  it("[EV11] cannot be fair to namespaces that it does not know", () => {
    const fair = controllerFor<string>({ name: "fair", formatKey: (key) => key }, { fairNamespaces: true });
    expect(problemsOf(() => fair.source(readySource()).reconcileKey(nothing))).toEqual([
      expect.stringMatching(/fairNamespaces.*namespaceOf/),
    ]);
  });
});

describe("what the compiler knows", () => {
  it("infers the types of objects from their kinds", () => {
    controller(WebApp)
      .owns(Deployment, { predicates: [predicateOf(({ spec }) => spec?.paused === true)] })
      .watches(Secret, (secret, { client }) => {
        expectTypeOf(secret.data).toEqualTypeOf<{ readonly [key: string]: string } | undefined>();
        expectTypeOf(client).toEqualTypeOf<Client>();
        return [];
      })
      .watches(metadataOnly(Secret), (partial) => {
        expectTypeOf(partial).toEqualTypeOf<Stored<PartialObjectMetadata>>();
        return [];
      })
      .reconcile(({ object, key }) => {
        expectTypeOf(object).toEqualTypeOf<Stored<WebAppObject>>();
        expectTypeOf(key).toEqualTypeOf<ObjectKey>();
        return { requeueAfterMs: 30_000 };
      });
    controllerFor<number>({ name: "shard", formatKey: String })
      .source({ name: "none", run: () => ({ synced: Promise.resolve(), ended: Promise.resolve() }) })
      .reconcileKey(({ key }) => {
        expectTypeOf(key).toEqualTypeOf<number>();
      });
  });

  it("[EV1] [EV11] refuses what makes no sense", () => {
    const shards = controllerFor<number>({ name: "shard", formatKey: String });
    // @ts-expect-error: a key that is not an object's can own nothing
    expect(shards.owns).toBeUndefined();
    // @ts-expect-error: there is no object to reconcile
    expect(shards.reconcile).toBeUndefined();
    // @ts-expect-error: a map returns keys of the controller
    shards.watches(Secret, () => ["text"]);
    // @ts-expect-error: a delay has a unit
    controller(WebApp).reconcile(() => ({ requeueAfter: 30 }));
    // @ts-expect-error: without a primary kind there must be a name
    expect(() => controllerFor<number>({ formatKey: String }).reconcileKey(nothing)).toThrow();
  });
});

const noSource: Source<ObjectKey> = {
  name: "none",
  run: () => ({ synced: Promise.resolve(), ended: Promise.resolve() }),
};

function problemsOf(build: () => unknown): readonly string[] {
  try {
    build();
  } catch (error) {
    if (error instanceof InvalidControllerError) return error.problems;
    throw error;
  }
  return [];
}
