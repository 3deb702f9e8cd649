import {
  apiVersionOf,
  type Clock,
  draft,
  formatTime,
  freeze,
  type GenericObject,
  type KubeObject,
  seededRandom,
} from "@keelson/core";
import { describe, expect, test } from "vitest";
import type { MutableObject } from "../resource/mutable-object.ts";
import { createRegistry, type ResourceRegistry } from "../resource/resource-registry.ts";
import type { WriteContext } from "../resource/strategy.ts";
import { ApiError, conflict } from "../status/api-error.ts";
import { StaleWriteError } from "../store/errors.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import { type Store, storeKey } from "../store/store.ts";
import { crdStrategy } from "./crd-strategy.ts";
import { cleanupFinalizer, crdCollection, definitionOf } from "./definition/definition.ts";
import { type DefinitionWriter, followDefinitions } from "./follow-definitions.ts";

const context: WriteContext = {
  subresource: undefined,
  user: { username: "ann", groups: [] },
  now: 0,
  read: { get: () => undefined, list: () => [] },
};

/** A store with the followers of definitions, and the least of a server: writes, finalizers, preparation. */
interface World {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly errors: Error[];
  /** Fails writes of the followers, as long as there are some. */
  readonly failures: Error[];
  /** Lets the time of retries come. */
  tick(): void;
  create(object: object): GenericObject;
  update(object: object): void;
  delete(object: object): void;
  settle(): Promise<void>;
  stop(): Promise<void>;
}

function definitionWorld(): World {
  const store = createMemoryStore();
  const registry = createRegistry();
  const errors: Error[] = [];
  const failures: Error[] = [];
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => Date.UTC(2030, 0, 1),
    monotonicNow: () => 0,
    schedule(_delay, callback) {
      timers.add(callback);
      return () => void timers.delete(callback);
    },
  };
  const put = (object: KubeObject): GenericObject => {
    const { metadata } = object;
    const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    const state = isGone ? undefined : freeze({ ...object });
    return store.write({
      ...placeOf(object),
      object: state,
      expectedRevision: Number(metadata.resourceVersion ?? 0),
    });
  };
  const remove = (object: KubeObject): void => {
    const stored = store.get(placeOf(object).collection, placeOf(object).key);
    if (stored === undefined) throw new Error("there is no such object");
    const metadata = draft(stored.metadata);
    metadata.deletionTimestamp = "2030-01-01T00:00:00Z";
    if (stored.kind === "CustomResourceDefinition") metadata.finalizers = [cleanupFinalizer];
    put({ ...stored, metadata });
  };
  const writer: DefinitionWriter = {
    async update(_resource, object) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      try {
        put(object);
      } catch (error) {
        if (!(error instanceof StaleWriteError)) throw error;
        throw conflict({ group: "", plural: "" }, "", "stale");
      }
      return object;
    },
    async delete(resource, key) {
      remove({ apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: key });
    },
  };
  const stop = followDefinitions({
    store,
    registry,
    writer,
    clock,
    random: seededRandom(1),
    callWebhook: async () => ({ status: 500, contentType: "", body: "" }),
    onError: (error) => errors.push(error),
  });
  return {
    store,
    registry,
    errors,
    failures,
    tick() {
      for (const timer of timers) timer();
      timers.clear();
    },
    create(object) {
      const created = asMutable(object);
      const { group, version } = groupVersion(created);
      const strategy =
        created.kind === "CustomResourceDefinition"
          ? crdStrategy
          : registry.findKind(group, version, created.kind)?.strategy;
      strategy?.setDefaults(created);
      strategy?.prepareForCreate(created, context);
      created.metadata.uid ??= `uid-of-${created.metadata.name}`;
      created.metadata.creationTimestamp ??= formatTime(clock.now());
      return put(created);
    },
    update: (object) => void put(asMutable(object)),
    delete: (object) => remove(asMutable(object)),
    async settle() {
      for (let round = 0; round < 100; round++) await Promise.resolve();
    },
    stop,
  };
}

function asMutable(object: object): MutableObject {
  return structuredClone(object) as MutableObject;
}

function groupVersion({ apiVersion }: KubeObject): { readonly group: string; readonly version: string } {
  const [group = "", version = ""] = apiVersion.split("/");
  return { group, version };
}

function placeOf(object: KubeObject): { readonly collection: string; readonly key: string } {
  const { kind, metadata } = object;
  const collection =
    kind === "CustomResourceDefinition" ? crdCollection : `${kind.toLowerCase()}s.example.com`;
  return { collection, key: storeKey(metadata.namespace, metadata.name ?? "") };
}

interface Differences {
  readonly names?: object;
  readonly scope?: string;
  readonly versions?: readonly object[];
  readonly conversion?: object;
}

const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function crd(plural: string, kind: string, differences: Differences = {}): object {
  const { names = {}, ...spec } = differences;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      ...spec,
      names: { plural, kind, ...names },
    },
  };
}

const widget = (name: string, fields: object = {}, metadata: object = {}): object => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "shop", ...metadata },
  ...fields,
});

function stored(world: World, plural: string): ReturnType<typeof definitionOf> | undefined {
  const object = world.store.get(crdCollection, `${plural}.example.com`);
  return object && definitionOf(object);
}

function conditions(world: World, plural: string): readonly string[] {
  return (stored(world, plural)?.status?.conditions ?? []).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );
}

function refusal(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

describe("followDefinitions", () => {
  test("accepts the names of a definition, then establishes it", async () => {
    const world = definitionWorld();
    const seen: string[] = [];
    world.store.subscribe(crdCollection, world.store.revision, ({ object }) => {
      const list = definitionOf(object).status?.conditions ?? [];
      seen.push(list.map(({ type, status }) => `${type}=${status}`).join(" "));
    });
    world.create(crd("widgets", "Widget"));
    await world.settle();
    expect(seen).toEqual(["", "NamesAccepted=True Established=False", "NamesAccepted=True Established=True"]);
    expect(conditions(world, "widgets")).toEqual([
      "NamesAccepted=True NoConflicts: no conflicts found",
      "Established=True InitialNamesAccepted: the initial names have been accepted",
    ]);
    expect(stored(world, "widgets")?.status).toMatchObject({
      acceptedNames: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
      storedVersions: ["v1"],
    });
    expect(world.errors).toEqual([]);
    await world.stop();
  });

  test("serves the kind of an established definition", async () => {
    const world = definitionWorld();
    world.create(crd("widgets", "Widget", { names: { shortNames: ["wd"], categories: ["all"] } }));
    await world.settle();
    expect(world.registry.find("example.com", "v1", "widgets")).toMatchObject({
      kind: "Widget",
      listKind: "WidgetList",
      singular: "widget",
      shortNames: ["wd"],
      categories: ["all"],
      scope: "Namespaced",
      collection: "widgets.example.com",
      storageVersion: "v1",
      isCustom: true,
    });
    await world.stop();
    expect(world.registry.find("example.com", "v1", "widgets")).toBeUndefined();
  });

  test("refuses names that another definition of the group has, until that one is deleted", async () => {
    const world = definitionWorld();
    world.create(crd("widgets", "Widget", { names: { shortNames: ["wd"] } }));
    await world.settle();
    world.create(crd("gadgets", "Widget", { names: { shortNames: ["wd"] } }));
    await world.settle();
    expect(conditions(world, "gadgets")).toEqual([
      'NamesAccepted=False ListKindConflict: "WidgetList" is already in use',
      "Established=False NotAccepted: not all names are accepted",
    ]);
    expect(world.registry.find("example.com", "v1", "gadgets")).toBeUndefined();
    world.delete(crd("widgets", "Widget"));
    await world.settle();
    expect(conditions(world, "gadgets")).toEqual([
      "NamesAccepted=True NoConflicts: no conflicts found",
      "Established=True InitialNamesAccepted: the initial names have been accepted",
    ]);
    await world.stop();
  });

  test("a changed definition counts at once", async () => {
    const world = definitionWorld();
    world.create(crd("widgets", "Widget"));
    await world.settle();
    const current = stored(world, "widgets");
    const strict = {
      type: "object",
      properties: { spec: { type: "object", properties: { n: { type: "integer" } } } },
    };
    world.update({
      ...current,
      spec: {
        ...current?.spec,
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: strict } }],
      },
    });
    expect(world.registry.find("example.com", "v1", "widgets")?.schema).toEqual(strict);
    await world.stop();
  });

  test("deleting a definition deletes its objects, waits for those that are held, and takes no new ones", async () => {
    const world = definitionWorld();
    world.create(crd("widgets", "Widget"));
    await world.settle();
    world.create(widget("free"));
    world.create(widget("held", {}, { finalizers: ["example.com/hold"] }));
    world.delete(crd("widgets", "Widget"));
    await world.settle();
    expect(world.store.list("widgets.example.com").map(({ metadata }) => metadata.name)).toEqual(["held"]);
    expect(conditions(world, "widgets").at(-1)).toBe(
      "Terminating=True InstanceDeletionInProgress: CustomResource deletion is in progress",
    );
    const error = refusal(() => world.create(widget("late")));
    expect(error.message).toBe("create not allowed while custom resource definition is terminating");
    expect(error.status.code).toBe(405);
    const held = world.store.get("widgets.example.com", "shop/held");
    world.update({ ...held, metadata: { ...held?.metadata, finalizers: [] } });
    await world.settle();
    expect(stored(world, "widgets")).toBeUndefined();
    expect(world.registry.find("example.com", "v1", "widgets")).toBeUndefined();
    expect(world.errors).toEqual([]);
    await world.stop();
  });

  test("serves what was stored before it began", async () => {
    const first = definitionWorld();
    first.create(crd("widgets", "Widget", { scope: "Cluster" }));
    await first.settle();
    const object = first.store.get(crdCollection, "widgets.example.com");
    await first.stop();
    const second = definitionWorld();
    second.store.write({
      collection: crdCollection,
      key: "widgets.example.com",
      object,
      expectedRevision: 0,
    });
    expect(second.registry.find("example.com", "v1", "widgets")?.scope).toBe("Cluster");
    await second.stop();
  });

  test("tries again what failed", async () => {
    const world = definitionWorld();
    world.failures.push(new Error("the disk is full"));
    world.create(crd("widgets", "Widget"));
    await world.settle();
    expect(world.errors.map(({ message }) => message)).toEqual(["the disk is full"]);
    expect(conditions(world, "widgets")).toEqual([]);
    world.tick();
    await world.settle();
    expect(world.registry.find("example.com", "v1", "widgets")).toBeDefined();
    await world.stop();
  });
});
