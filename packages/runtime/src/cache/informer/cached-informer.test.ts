import { createClient, type Selection } from "@keelson/client";
import { type KubeObject, metadataOnly, type Resource, seededRandom, type Transport } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Pod } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { stored } from "../../../test/support/stored.ts";
import { silentLogger } from "../../logger.ts";
import { noWatches } from "../../watch/reflector-options.ts";
import { InformerStoppedError } from "../errors.ts";
import { CachedInformer } from "./cached-informer.ts";

const nowhere: Transport = {
  send: () => Promise.reject(new Error("there is no server")),
  close: () => Promise.resolve(),
};

/** An informer that has not begun to watch. Readers wait for own writes for 10 s. */
function setUp<T extends KubeObject>(
  resource: Resource<T>,
  selection: Selection = {},
  onError: (error: Error) => void = () => undefined,
) {
  const clock = new VirtualClock();
  const informer = new CachedInformer<T>({
    client: createClient({ transport: nowhere, clock }),
    resource,
    scope: { selection, keepManagedFields: false, parseOnRead: true },
    clock,
    random: seededRandom(1),
    log: silentLogger,
    readTimeoutMs: 10_000,
    onError,
  });
  return { clock, informer };
}

const Metadata = metadataOnly(ConfigMap);
const key = { namespace: "shop", name: "web" };
const metadata = { ...key, uid: "u1", resourceVersion: "5", labels: { app: "web" } };
const part = stored({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata });
const whole = stored({ apiVersion: "v1", kind: "ConfigMap", metadata });
const deleted = { type: "deleted", key, uid: "u1" } as const;

describe("a write whose response is the metadata alone", () => {
  it("[RW1] [RW3] that brings the object into a selection is read of an informer of metadata", () => {
    const { informer } = setUp(Metadata, { labelSelector: "app=web" });
    informer.recordWrite({ type: "state", object: part });
    expect(informer.peek(key)).toEqual(part);
    expect(informer.listWithOwnWrites({})).toEqual([part]);
  });

  it("[RW1] [RW3] is waited for by the readers of an informer of whole objects", () => {
    for (const selection of [{}, { labelSelector: "app=web" }]) {
      const { informer, clock } = setUp(ConfigMap, selection);
      informer.recordWrite({ type: "state", object: part });
      expect(informer.peek(key)).toBeUndefined();
      expect(informer.unknownUntil(key)).toBe(clock.monotonicNow() + 10_000);
      expect(informer.anyUnknownUntil("shop")).toBe(clock.monotonicNow() + 10_000);
    }
  });

  it("[RW5] is not held of an object that does not belong to the selection, or is not known to", () => {
    for (const selection of [{ labelSelector: "app=db" }, { fieldSelector: "data.color=red" }]) {
      for (const resource of [ConfigMap, Metadata]) {
        const { informer } = setUp<KubeObject>(resource, selection);
        informer.recordWrite({ type: "state", object: part });
        expect(informer.ownWritesHeld).toBe(0);
      }
    }
  });
});

describe("a write", () => {
  it("[RW5] is not held where objects of its namespace never are", () => {
    for (const selection of [{ namespace: "other" }, { fieldSelector: "metadata.namespace!=shop" }]) {
      const { informer } = setUp(ConfigMap, selection);
      informer.recordWrite({ type: "version", key, uid: "u1", version: "5" });
      informer.recordWrite(deleted);
      expect(informer.ownWritesHeld).toBe(0);
    }
  });

  it("[RW1] whose response contains what an earlier one lacked ends the wait for that", async () => {
    const { informer, clock } = setUp(ConfigMap);
    informer.recordWrite({ type: "version", key, uid: "u1", version: "5" });
    const passes = informer.waitUntilKnown(() => informer.unknownUntil(key), new AbortController().signal);
    informer.recordWrite({ type: "state", object: whole });
    expect(await passes).toBe(true);
    expect(informer.peek(key)).toEqual(whole);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe("a deletion", () => {
  it("[RW5] of an object that never comes is held for the time that readers wait", async () => {
    const { informer, clock } = setUp(ConfigMap);
    informer.recordWrite(deleted);
    await clock.advance(4_000);
    informer.recordWrite({ ...deleted, uid: "u2" });
    await clock.advance(6_000);
    expect(informer.ownWritesHeld).toBe(1);
    await clock.advance(4_000);
    expect(informer.ownWritesHeld).toBe(0);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[RW5] is forgotten with the informer, which leaves no timer and takes no more", async () => {
    const { informer, clock } = setUp(ConfigMap);
    informer.recordWrite(deleted);
    expect(clock.pendingTimers).toHaveLength(1);
    await informer.stop();
    expect(clock.pendingTimers).toEqual([]);
    expect(informer.ownWritesHeld).toBe(0);
    informer.recordWrite(deleted);
    expect(informer.ownWritesHeld).toBe(0);
  });
});

describe("an informer of a cache", () => {
  it("[IN20] reports what it watches and how far it is", () => {
    const name = (resource: Resource, selection: Selection = {}) =>
      setUp(resource, selection).informer.statuses[0]?.name;
    expect(name(Pod)).toBe("pods");
    expect(name(Pod, { namespace: "shop" })).toBe("pods in shop");
    expect(name(Pod, { labelSelector: { matchLabels: { app: "web" } } })).toBe("pods with app=web");
    const everything = { namespace: "shop", labelSelector: "app=web", fieldSelector: "metadata.name!=x" };
    expect(name(metadataOnly(Deployment), everything)).toBe(
      "metadata of deployments.apps in shop with app=web and metadata.name!=x",
    );
    expect(setUp(Pod).informer.statuses).toEqual([
      {
        name: "pods",
        hasSynced: false,
        objects: 0,
        unreadableObjects: 0,
        unindexedObjects: {},
        phase: "idle",
        resourceVersion: undefined,
        lastEventAtMs: undefined,
        lastBookmarkAtMs: undefined,
        bytesReceived: 0,
        lastEventLagMs: undefined,
        lists: 0,
        watches: noWatches(),
        delayedReads: 0,
      },
    ]);
  });

  it("reports the errors of an unreachable server, and stops all the same", async () => {
    const errors: Error[] = [];
    const { clock, informer } = setUp(Pod, {}, (error) => errors.push(error));
    informer.start();
    await clock.advance(10_000);
    expect(errors.length).toBeGreaterThan(1);
    expect(informer.statuses[0]?.lastError).toBe(errors.at(-1));
    const waiting = informer.synced();
    const stopped = informer.stop();
    await expect(waiting).rejects.toThrow(InformerStoppedError);
    await stopped;
    expect(clock.pendingTimers).toEqual([]);
  });

  it("runs once: a second start changes nothing", async () => {
    const { clock, informer } = setUp(Pod);
    informer.start();
    await clock.advance(0);
    informer.start();
    expect(informer.statuses[0]?.phase).toBe("waiting");
    await informer.stop();
    expect(informer.statuses[0]?.phase).toBe("stopped");
  });
});
