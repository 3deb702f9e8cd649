import { createClient, type Selection } from "@keelson/client";
import {
  type KubeObject,
  metadataOnly,
  type ObjectMeta,
  type Resource,
  seededRandom,
  type Transport,
} from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../logger.ts";
import { CachedInformer } from "./cached-informer.ts";

const nowhere: Transport = {
  send: () => Promise.reject(new Error("there is no server")),
  close: () => Promise.resolve(),
};

/** An informer that has not begun to watch. Patience is 10 s. */
function setUp<T extends KubeObject>(resource: Resource<T>, selection: Selection = {}) {
  const clock = new VirtualClock();
  const informer = new CachedInformer<T>({
    client: createClient({ transport: nowhere, clock }),
    resource,
    scope: { selection, keepManagedFields: false, parseOnRead: true },
    clock,
    random: seededRandom(1),
    log: silentLogger,
    readTimeoutMs: 10_000,
  });
  return { clock, informer };
}

const Metadata = metadataOnly(ConfigMap);
const key = { namespace: "shop", name: "web" };
const metadata: ObjectMeta = { ...key, uid: "u1", resourceVersion: "5", labels: { app: "web" } };
const part = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
const whole = { apiVersion: "v1", kind: "ConfigMap", metadata };
const gone = { type: "gone", key, uid: "u1" } as const;

describe("a write whose answer is the metadata alone", () => {
  it("[RW1] [RW3] that brings the object into a selection is read of an informer of metadata", () => {
    const { informer } = setUp(Metadata, { labelSelector: "app=web" });
    informer.note({ type: "state", object: part });
    expect(informer.peek(key)).toEqual(part);
    expect(informer.listOwn({})).toEqual([part]);
  });

  it("[RW1] [RW3] is waited for by the readers of an informer of whole objects", () => {
    for (const selection of [{}, { labelSelector: "app=web" }]) {
      const { informer, clock } = setUp(ConfigMap, selection);
      informer.note({ type: "state", object: part });
      expect(informer.peek(key)).toBeUndefined();
      expect(informer.unknownUntil(key)).toBe(clock.monotonicNow() + 10_000);
      expect(informer.anyUnknownUntil("shop")).toBe(clock.monotonicNow() + 10_000);
    }
  });

  it("[RW5] is not held of an object that does not belong to the selection, or is not known to", () => {
    for (const selection of [{ labelSelector: "app=db" }, { fieldSelector: "data.color=red" }]) {
      for (const resource of [ConfigMap, Metadata]) {
        const { informer } = setUp<KubeObject>(resource, selection);
        informer.note({ type: "state", object: part });
        expect(informer.ownWritesHeld).toBe(0);
      }
    }
  });
});

describe("a write", () => {
  it("[RW5] is not held where objects of its namespace never are", () => {
    for (const selection of [{ namespace: "other" }, { fieldSelector: "metadata.namespace!=shop" }]) {
      const { informer } = setUp(ConfigMap, selection);
      informer.note({ type: "version", key, uid: "u1", version: "5" });
      informer.note(gone);
      expect(informer.ownWritesHeld).toBe(0);
    }
  });

  it("[RW1] that tells what an earlier one did not ends the wait for that", async () => {
    const { informer, clock } = setUp(ConfigMap);
    informer.note({ type: "version", key, uid: "u1", version: "5" });
    const passes = informer.passes(() => informer.unknownUntil(key), new AbortController().signal);
    informer.note({ type: "state", object: whole });
    expect(await passes).toBe(true);
    expect(informer.peek(key)).toEqual(whole);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe("a deletion", () => {
  it("[RW5] of an object that never comes is held for the time that readers wait", async () => {
    const { informer, clock } = setUp(ConfigMap);
    informer.note(gone);
    await clock.advance(4_000);
    informer.note({ ...gone, uid: "u2" });
    await clock.advance(6_000);
    expect(informer.ownWritesHeld).toBe(1);
    await clock.advance(4_000);
    expect(informer.ownWritesHeld).toBe(0);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[RW5] is forgotten with the informer, which leaves no timer and takes no more", async () => {
    const { informer, clock } = setUp(ConfigMap);
    informer.note(gone);
    expect(clock.pendingTimers).toHaveLength(1);
    await informer.stop();
    expect(clock.pendingTimers).toEqual([]);
    expect(informer.ownWritesHeld).toBe(0);
    informer.note(gone);
    expect(informer.ownWritesHeld).toBe(0);
  });
});
