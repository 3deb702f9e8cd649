import { type ApiCall, createClient, NotFoundError } from "@keelson/client";
import { metadataOnly } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { expect, it } from "vitest";
import { silentTransport } from "../../test/support/controller-world.ts";
import { objectOf } from "../../test/support/fake-cache.ts";
import { silentLogger } from "../logger.ts";
import { noEvents } from "./event-recorder.ts";
import { reconcileObject } from "./object-reconciler.ts";
import type { ReconcileContext } from "./reconciler.ts";

const key = { namespace: "shop", name: "web" };

/** What a reconcile of the key is given, with a client whose calls are answered by the function. */
function contextWith(
  answer: (call: ApiCall) => unknown,
): ReconcileContext<{ namespace: string; name: string }> {
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
  };
}

const notFound = (): never => {
  throw new NotFoundError("get configmaps shop/web", {
    apiVersion: "v1",
    kind: "Status",
    reason: "NotFound",
  });
};

it("[CT18] is done, without calling anybody, when the object is gone", async () => {
  const reconcile = reconcileObject(ConfigMap, () => {
    throw new Error("called");
  });
  expect(await reconcile(contextWith(notFound))).toBeUndefined();
});

it("[CT18] passes the object on, also one on its way out, with all that the key's reconcile was given", async () => {
  const deleting = objectOf(ConfigMap, key, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const context = contextWith(() => deleting);
  let seen: object = {};
  const reconcile = reconcileObject(ConfigMap, (given) => {
    const { object, client, liveClient, log, events, signal, failures, reasons, reasonCount, reconcileId } =
      given;
    expect(object).toBe(deleting);
    seen = {
      key: given.key,
      client,
      liveClient,
      log,
      events,
      signal,
      failures,
      reasons,
      reasonCount,
      reconcileId,
    };
    return { requeueAfterMs: 5 };
  });
  expect(await reconcile(context)).toEqual({ requeueAfterMs: 5 });
  expect(seen).toEqual(context);
});

it("[CT18] does not take it for that when the reconciler itself does not find something", async () => {
  const context = contextWith((call) =>
    call.resource === ConfigMap ? objectOf(ConfigMap, key) : notFound(),
  );
  await expect(reconcileObject(ConfigMap, notFound)(context)).rejects.toThrow(NotFoundError);
});

it("any other failure of the read is one of the reconcile", async () => {
  const reconcile = reconcileObject(ConfigMap, () => undefined);
  const broken = contextWith(() => {
    throw new Error("no connection");
  });
  await expect(reconcile(broken)).rejects.toThrow("no connection");
});

it("[CT18] reads the metadata only of a kind of which only that is wanted", async () => {
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
