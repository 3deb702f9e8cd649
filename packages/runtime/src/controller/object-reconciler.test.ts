import { type ApiCall, type Caller, createClient, NotFoundError } from "@keelson/client";
import { type KubeObject, metadataOnly, type ObjectKey, type Resource, seededRandom } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { silentTransport } from "../../test/support/controller-world.ts";
import { objectOf } from "../../test/support/fake-cache.ts";
import { silentLogger } from "../logger.ts";
import { newItem } from "../queue/work-item.ts";
import { CausalLog } from "./causal/causal-log.ts";
import { noEvents } from "./event-recorder.ts";
import type { ObjectReconciler } from "./object-context.ts";
import { objectReconciler } from "./object-reconciler.ts";
import type { ReconcileRun } from "./reconciler.ts";
import { type ControllerServices, Run } from "./run.ts";

const key = { namespace: "shop", name: "web" };

/** Of a controller without finalizers. */
function reconcileObject<T extends KubeObject>(resource: Resource<T>, reconcile: ObjectReconciler<T>) {
  return objectReconciler(resource, { reconcile, finalizers: [], droppedFinalizers: [] });
}

/** A run of the key, with a client whose calls are answered by the function. */
function contextWith(answer: (call: ApiCall) => unknown): ReconcileRun<{ namespace: string; name: string }> {
  const client = createClient({ transport: silentTransport }).with((next) => ({
    ...next,
    json: async (call) => answer(call),
  }));
  return {
    key,
    client,
    liveClient: client,
    log: silentLogger,
    events: noEvents,
    signal: new AbortController().signal,
    failures: 3,
    reasons: [{ source: "test", type: "update" }],
    reasonCount: 1,
    reconcileId: "id",
    clock: new VirtualClock(),
    settings: undefined,
    fieldOwner: "test",
    peek: () => undefined,
    objectNotFound: () => undefined,
  };
}

const notFound = (): never => {
  throw new NotFoundError("get configmaps shop/web", {
    apiVersion: "v1",
    kind: "Status",
    reason: "NotFound",
  });
};

it("[CT18] does not call the reconciler if the object does not exist", async () => {
  const reconcile = reconcileObject(ConfigMap, () => {
    throw new Error("called");
  });
  expect(await reconcile(contextWith(notFound))).toBeUndefined();
});

it("[CT18] passes the object on, also one that is being deleted, with the whole context", async () => {
  const deleting = objectOf(ConfigMap, key, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const { peek, objectNotFound, fieldOwner, ...context } = contextWith(() => deleting);
  let seen: object = {};
  const reconcile = reconcileObject(ConfigMap, ({ object, ...rest }) => {
    expect(object).toBe(deleting);
    const {
      apply,
      applyWithResult,
      createOnce,
      remove,
      prune,
      find,
      setStatus,
      setCondition,
      event,
      ...others
    } = rest;
    seen = others;
    return { requeueAfterMs: 5 };
  });
  const run = { ...context, peek, objectNotFound, fieldOwner };
  expect(await reconcile(run)).toEqual({ requeueAfterMs: 5 });
  expect(seen).toEqual(context);
});

it("[CT18] fails if the reconciler itself does not find an object", async () => {
  const context = contextWith((call) =>
    call.resource === ConfigMap ? objectOf(ConfigMap, key) : notFound(),
  );
  await expect(reconcileObject(ConfigMap, notFound)(context)).rejects.toThrow(NotFoundError);
});

it("fails if the read of the object fails otherwise", async () => {
  const reconcile = reconcileObject(ConfigMap, () => undefined);
  const broken = contextWith(() => {
    throw new Error("no connection");
  });
  await expect(reconcile(broken)).rejects.toThrow("no connection");
});

it("[CT18] reads only the metadata of a kind made by metadataOnly", async () => {
  const calls: ApiCall[] = [];
  const context = contextWith((call) => {
    calls.push(call);
    return { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata: key };
  });
  let name: string | undefined;
  await reconcileObject(metadataOnly(ConfigMap), ({ object }) => {
    name = object.metadata.name;
  })(context);
  expect(name).toBe("web");
  expect(calls[0]?.resource.isMetadataOnly).toBe(true);
});

describe("within a controller", () => {
  /** A run whose cache holds this object, and whose client answers by the function. */
  function runWith(
    cached: KubeObject | undefined,
    answer: (call: ApiCall) => unknown,
    more: Partial<ControllerServices<ObjectKey>> = {},
  ) {
    const clock = new VirtualClock();
    const causalLog = new CausalLog({ clock });
    const forgotten: string[] = [];
    const { client } = contextWith(answer);
    const cache: ControllerServices<ObjectKey>["cache"] = {
      // The cache of these tests has ConfigMaps only.
      peek: (resource) => (resource.kind === "ConfigMap" ? (cached as never) : undefined),
    };
    const start = { priority: 0, queuedMs: 0, startedMs: 0, failures: 0, sharedSignal: undefined };
    const run = new Run<ObjectKey>(
      newItem(key, "shop/web", { trigger: { source: "test", type: "update" } }),
      start,
      {
        liveClient: client,
        cachedClient: client,
        cache,
        clock,
        settings: undefined,
        fieldOwner: "test",
        log: silentLogger,
        events: noEvents,
        random: seededRandom(1),
        causalLog,
        guard: { holdMs: () => 0, layer: (_, next) => next, forget: (keyText) => forgotten.push(keyText) },
        fieldsOf: () => ({}),
        ...more,
      },
    );
    return { run, causalLog, forgotten };
  }

  const never = (): never => {
    throw new Error("called the client");
  };

  it("takes the object from the cache without waiting, and records the read", () => {
    const cached = objectOf(ConfigMap, key, { resourceVersion: "7" });
    const { run, causalLog } = runWith(cached, never);
    let seen: KubeObject | undefined;
    const result = reconcileObject(ConfigMap, ({ object }) => {
      seen = object;
      return { requeueAfterMs: 5 };
    })(run);
    expect(result).toEqual({ requeueAfterMs: 5 });
    expect(seen).toBe(cached);
    run.recorder.end({ result: "success" });
    expect(causalLog.runs("shop/web")[0]?.calls).toMatchObject([
      { call: "get configmaps shop/web", kind: "read", fromCache: true, resourceVersion: "7" },
    ]);
  });

  it("[RW1] reads by the client what the cache does not hold, as after a write that has not arrived yet", async () => {
    const written = objectOf(ConfigMap, key, { resourceVersion: "8" });
    const { run, forgotten } = runWith(undefined, () => written);
    let seen: KubeObject | undefined;
    await reconcileObject(ConfigMap, ({ object }) => {
      seen = object;
    })(run);
    expect(seen).toBe(written);
    expect(forgotten).toEqual([]);
  });

  it("reads by the client if the run is traced, so that the trace has the call", async () => {
    const live = objectOf(ConfigMap, key);
    const trace = {
      around: <Value>(act: () => Value) => act(),
      layer: (next: Caller) => next,
      end: () => {},
    };
    const { run } = runWith(objectOf(ConfigMap, key), () => live, { traceRun: () => trace });
    let seen: KubeObject | undefined;
    await reconcileObject(ConfigMap, ({ object }) => {
      seen = object;
    })(run);
    expect(seen).toBe(live);
  });

  it("reports to the hot-loop guard that the object does not exist", async () => {
    const { run, forgotten } = runWith(undefined, notFound);
    expect(await reconcileObject(ConfigMap, never)(run)).toBeUndefined();
    expect(forgotten).toEqual(["shop/web"]);
  });
});
