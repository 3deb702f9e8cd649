import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, KubeObject, Stored } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { stored } from "../../../test/support/stored.ts";
import { type LogFields, type Logger, silentLogger } from "../../logger.ts";
import { parsedSnapshot, type Snapshot, unparsedSnapshot } from "../../watch/snapshot.ts";
import { InformerStoppedError, SubscriptionRemovedError, TransformError } from "../errors.ts";
import type { InformerEvent } from "./informer.ts";
import { type InformerProgress, NotifyingStore, type NotifyingStoreOptions } from "./notifying-store.ts";

function pod(name: string, resourceVersion: string, uid = `uid-of-${name}`): Snapshot<KubeObject> {
  const metadata = { namespace: "shop", name, resourceVersion, uid };
  return parsedSnapshot<KubeObject>(stored({ apiVersion: "v1", kind: "Pod", metadata }));
}

const set = (...snapshots: readonly Snapshot<KubeObject>[]) =>
  new Map(snapshots.map((snapshot) => [snapshot.keyText, snapshot]));

function setUp(options: Partial<NotifyingStoreOptions<KubeObject>> = {}) {
  const clock = new VirtualClock();
  const core = new NotifyingStore<KubeObject>({
    name: "pods",
    kind: "Pod",
    log: silentLogger,
    clock,
    ...options,
  });
  return { clock, core };
}

/** What a subscriber receives, as text: `create a@1 initial`, `update a@1->2 sync`, `delete a@3 unseen`. */
function words(event: InformerEvent<KubeObject>): string {
  const { resourceVersion } = event.object.metadata;
  switch (event.type) {
    case "create":
      return `create ${event.key.name}@${resourceVersion}${event.isInInitialList ? " initial" : ""}`;
    case "update":
      return `update ${event.key.name}@${event.old.metadata.resourceVersion}->${resourceVersion}${event.isSync ? " sync" : ""}`;
    case "delete":
      return `delete ${event.key.name}@${resourceVersion}${event.finalStateUnknown ? " unseen" : ""}`;
  }
}

function listen(core: NotifyingStore<KubeObject>, options?: { resyncMs?: number }) {
  const received: string[] = [];
  const subscription = core.subscribe((event) => {
    received.push(words(event));
  }, options);
  return { received, subscription };
}

describe("a store that receives events", () => {
  it("[IN2] has them in the store and in its indexes before subscribers are notified", async () => {
    const { core, clock } = setUp();
    core.store.addIndex("version", ({ metadata }) => [metadata.resourceVersion ?? ""]);
    const found: number[] = [];
    core.subscribe(({ object, type }) => {
      const value = object.metadata.resourceVersion ?? "";
      if (type !== "delete") found.push(core.store.list({ indexed: [{ index: "version", value }] }).length);
      else found.push(-core.store.size);
    });
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    await clock.settle();
    core.apply({ type: "MODIFIED", snapshot: pod("a", "3") });
    await clock.settle();
    core.apply({ type: "DELETED", snapshot: pod("b", "4") });
    expect(found).toEqual([1, 1, 1]);
    await clock.settle();
    expect(found).toEqual([1, 1, 1, -1]);
  });

  it("[IN4] delivers ADDED for a known key as an update, MODIFIED for an unknown one as a create", async () => {
    const { core, clock } = setUp();
    const { received } = listen(core);
    core.replace(set(pod("a", "1")), "1");
    core.apply({ type: "ADDED", snapshot: pod("a", "2") });
    core.apply({ type: "MODIFIED", snapshot: pod("b", "3") });
    await clock.settle();
    expect(received).toEqual(["create a@1 initial", "update a@1->2", "create b@3"]);
  });

  it("[IN8] delivers a delete with the version of the deletion", async () => {
    const { core, clock } = setUp();
    const { received } = listen(core);
    core.replace(set(pod("a", "1")), "1");
    core.apply({ type: "DELETED", snapshot: pod("a", "5") });
    await clock.settle();
    expect(received).toEqual(["create a@1 initial", "delete a@5"]);
    expect(core.store.size).toBe(0);
  });

  it("does not deliver the delete of an object that was not stored", async () => {
    const { core, clock } = setUp();
    const { received } = listen(core);
    core.replace(set(), "1");
    core.apply({ type: "DELETED", snapshot: pod("a", "5") });
    await clock.settle();
    expect(received).toEqual([]);
  });

  it("[IN5] [IN6] delivers a relist: first the missed deletions, then what is new or changed, in order", async () => {
    const { core, clock } = setUp();
    const { received } = listen(core);
    const resyncing = listen(core, { resyncMs: 60_000 });
    core.replace(set(pod("a", "1"), pod("b", "2"), pod("c", "3"), pod("d", "4")), "4");
    await clock.settle();
    received.length = 0;
    resyncing.received.length = 0;
    core.replace(set(pod("z", "9"), pod("c", "8"), pod("b", "2")), "9");
    expect(core.store.list().map(({ metadata }) => metadata.name)).toEqual(["z", "c", "b"]);
    await clock.settle();
    expect(received).toEqual(["delete a@1 unseen", "delete d@4 unseen", "create z@9", "update c@3->8"]);
    expect(resyncing.received).toEqual([...received, "update b@2->2 sync"]);
    await core.stop();
  });

  it("[IN7] delivers a delete and a re-create that only a relist shows as one update with two uids", async () => {
    const { core, clock } = setUp();
    const uids: unknown[] = [];
    core.replace(set(pod("a", "1", "first")), "1");
    core.subscribe((event) => {
      if (event.type === "update") uids.push([event.old.metadata.uid, event.object.metadata.uid]);
      else uids.push(event.type);
    });
    core.replace(set(pod("a", "7", "second")), "7");
    await clock.settle();
    expect(uids).toEqual(["create", ["first", "second"]]);
  });

  it("[IN25] reads an object of a sync when it arrives, if an index needs it and no transform comes before", () => {
    const unread = () => {
      const { namespace, name, keyText, resourceVersion, object } = pod("a", "1");
      const bytes = JSON.stringify(object);
      const line = {
        type: "ADDED",
        namespace,
        name,
        keyText,
        resourceVersion,
        bytes,
        isAscii: true,
      } as const;
      return unparsedSnapshot<KubeObject>(line);
    };
    const arrivedIn = (core: NotifyingStore<KubeObject>) => {
      const snapshot = unread();
      core.arrived(snapshot);
      return snapshot.unreadBytes;
    };
    const plain = setUp().core;
    expect(arrivedIn(plain)).toBeGreaterThan(0);
    plain.store.addIndex("version", ({ metadata }) => [metadata.resourceVersion ?? ""]);
    expect(arrivedIn(plain)).toBe(0);
    const transforming = setUp({ transform: (object) => object }).core;
    transforming.store.addIndex("version", ({ metadata }) => [metadata.resourceVersion ?? ""]);
    expect(arrivedIn(transforming)).toBeGreaterThan(0);
  });

  it("[IN12] transforms each object exactly once, before the store, the indexes and the handlers", async () => {
    const given: string[] = [];
    const transform = (object: Stored): Stored => {
      given.push(`${object.metadata.name}@${object.metadata.resourceVersion}`);
      return { ...object, metadata: { ...object.metadata, labels: { seen: "yes" } } };
    };
    const { core, clock } = setUp({ transform });
    core.store.addIndex("seen", ({ metadata }) => [metadata.labels?.seen ?? "no"]);
    const labels: unknown[] = [];
    for (let subscriber = 0; subscriber < 2; subscriber++)
      core.subscribe(({ object }) => {
        labels.push(object.metadata.labels?.seen);
      });
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    core.apply({ type: "MODIFIED", snapshot: pod("a", "3") });
    core.apply({ type: "DELETED", snapshot: pod("b", "4") });
    await clock.settle();
    expect(given).toEqual(["a@1", "b@2", "a@3", "b@4"]);
    expect(labels).toEqual(Array(8).fill("yes"));
    expect(core.store.list({ indexed: [{ index: "seen", value: "yes" }] })).toHaveLength(1);
  });

  it("[IN12] [IN22] cannot read an object whose transform throws, and goes on with the others", async () => {
    let isBroken = true;
    const transform = (object: Stored): Stored => {
      if (isBroken && object.metadata.name === "b") throw new Error("too odd");
      return object;
    };
    const warnings: LogFields[] = [];
    const log: Logger = { ...silentLogger, warn: (_, fields = {}) => warnings.push(fields) };
    const { core, clock } = setUp({ transform, log });
    core.store.addIndex("name", ({ metadata }) => [metadata.name ?? ""]);
    const { received } = listen(core);
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    core.apply({ type: "MODIFIED", snapshot: pod("b", "3") });
    const readable = (): readonly unknown[] => core.store.list().map(({ metadata }) => metadata.name);
    expect([core.hasSynced, core.store.size, core.store.unreadable, readable()]).toEqual([true, 2, 1, ["a"]]);
    expect(() => core.store.get("shop/b")?.object).toThrow(TransformError);
    expect(() => core.store.get("shop/b")?.object).toThrow(
      "transform shop/b of pods: too odd; it cannot be read from the cache",
    );
    expect(warnings).toEqual([
      { informer: "pods", Pod: { namespace: "shop", name: "b" }, error: expect.any(TransformError) },
    ]);
    isBroken = false;
    core.apply({ type: "MODIFIED", snapshot: pod("b", "4") });
    expect([core.store.unreadable, readable()]).toEqual([0, ["a", "b"]]);
    isBroken = true;
    core.apply({ type: "MODIFIED", snapshot: pod("b", "5") });
    core.subscribe(({ key }) => {
      received.push(`late ${key.name}`);
    });
    isBroken = false;
    core.apply({ type: "MODIFIED", snapshot: pod("b", "6") });
    isBroken = true;
    core.apply({ type: "MODIFIED", snapshot: pod("b", "7") });
    core.apply({ type: "DELETED", snapshot: pod("b", "8") });
    core.replace(set(pod("a", "1"), pod("b", "9")), "9");
    core.replace(set(pod("a", "1")), "10");
    await clock.settle();
    expect(core.store.unreadable).toBe(0);
    expect(received.filter((line) => !line.startsWith("late"))).toEqual([
      "create a@1 initial",
      "create b@4",
      "update b@4->6",
      "delete b@6",
    ]);
    expect(received.filter((line) => line.startsWith("late"))).toEqual(["late a", "late b", "late b"]);
  });

  it("[IN12] [IN22] takes a transform that returns no object with metadata for one that fails", () => {
    const { core } = setUp({ transform: (object) => Object.assign({}, object, { metadata: undefined }) });
    core.replace(set(pod("a", "1")), "1");
    expect(() => core.store.get("shop/a")?.object).toThrow("it returned no object");
    expect(core.store.list({ labels: { matchLabels: { app: "web" } } })).toEqual([]);
  });

  it("[IN18] delivers the very object that is in the store", async () => {
    const { core, clock } = setUp();
    const seen: boolean[] = [];
    core.subscribe(({ object }) => {
      seen.push(object === core.store.get("shop/a")?.object && Object.isFrozen(object.metadata));
    });
    core.replace(set(pod("a", "1")), "1");
    await clock.settle();
    expect(seen).toEqual([true]);
  });

  it("reports its progress after the store has changed and before subscribers are notified", async () => {
    const progress: (InformerProgress & { stored: number })[] = [];
    const received: string[] = [];
    const { core, clock } = setUp({
      onProgress: (step) => {
        expect(received).toEqual([]);
        progress.push({ ...step, stored: core.store.size });
        throw new Error("it must not throw, but if it does, nothing is lost");
      },
    });
    core.subscribe((event) => {
      received.push(words(event));
    });
    core.replace(set(pod("a", "1")), "2");
    core.apply({ type: "ADDED", snapshot: pod("b", "3") });
    core.apply({ type: "DELETED", snapshot: pod("a", "4") });
    core.bookmark("9");
    await clock.settle();
    expect(progress).toEqual([
      { resourceVersion: "2", isReplacement: true, stored: 1 },
      { resourceVersion: "3", keyText: "shop/b", stored: 2 },
      { resourceVersion: "4", keyText: "shop/a", deletedUid: "uid-of-a", stored: 1 },
      { resourceVersion: "9", stored: 1 },
    ]);
    expect(received).toEqual(["create a@1 initial", "create b@3", "delete a@4"]);
  });

  it("is synced with the first complete set, and not before", async () => {
    const { core } = setUp();
    const stop = new AbortController();
    const waiting = core.synced(stop.signal);
    stop.abort(new Error("no time"));
    await expect(waiting).rejects.toThrow("no time");
    const synced = core.synced();
    expect(core.hasSynced).toBe(false);
    core.replace(set(), "1");
    expect(core.hasSynced).toBe(true);
    await synced;
  });
});

describe("a subscriber", () => {
  it("[IN3] receives one change at a time, in order, and does not delay other subscribers", async () => {
    const { core, clock } = setUp();
    const slow: string[] = [];
    const doors: (() => void)[] = [];
    core.subscribe(async (event) => {
      slow.push(`begin ${words(event)}`);
      await new Promise<void>((resolve) => doors.push(resolve));
      slow.push(`end ${event.key.name}`);
    });
    const { received } = listen(core);
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    core.apply({ type: "MODIFIED", snapshot: pod("a", "3") });
    await clock.settle();
    expect(received).toEqual(["create a@1 initial", "create b@2 initial", "update a@1->3"]);
    expect(slow).toEqual(["begin create a@1 initial"]);
    for (const expected of [3, 5, 6]) {
      doors.shift()?.();
      await clock.settle();
      expect(slow).toHaveLength(expected);
    }
    expect(slow.filter((line) => line.startsWith("begin"))).toEqual(received.map((line) => `begin ${line}`));
  });

  it("[IN3] that throws or rejects is logged with the key, and receives the next change all the same", async () => {
    const logged: (LogFields | undefined)[] = [];
    const log: Logger = { ...silentLogger, error: (_, fields) => logged.push(fields) };
    const { core, clock } = setUp({ log });
    const calls: string[] = [];
    core.subscribe((event) => {
      calls.push(event.key.name);
      if (event.key.name === "a") throw new Error("sync");
      return Promise.reject(new Error("async"));
    });
    const { received } = listen(core);
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    await clock.settle();
    expect(calls).toEqual(["a", "b"]);
    expect(received).toHaveLength(2);
    expect(logged).toEqual([
      { informer: "pods", Pod: { namespace: "shop", name: "a" }, error: new Error("sync") },
      { informer: "pods", Pod: { namespace: "shop", name: "b" }, error: new Error("async") },
    ]);
  });

  it("[IN3] that throws any value receives the next change, even if that cannot be logged", async () => {
    const errors: unknown[] = [];
    const log: Logger = {
      ...silentLogger,
      error: (_, fields) => {
        errors.push(fields?.error);
        throw new Error("the disk is full");
      },
    };
    const { core, clock } = setUp({ log });
    const calls: string[] = [];
    core.subscribe((event) => {
      calls.push(event.key.name);
      if (event.key.name === "a") throw Object.create(null);
      return Promise.reject(Object.create(null));
    });
    core.replace(set(pod("a", "1"), pod("b", "2"), pod("c", "3")), "3");
    await clock.settle();
    expect(calls).toEqual(["a", "b", "c"]);
    expect(errors).toEqual(Array(3).fill(new Error("a value without a text")));
  });

  it("[IN9] that is added late first receives the stored objects, then changes, without a gap or a duplicate", async () => {
    const { core, clock } = setUp();
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    const { received } = listen(core);
    core.apply({ type: "MODIFIED", snapshot: pod("a", "3") });
    core.apply({ type: "DELETED", snapshot: pod("b", "4") });
    core.apply({ type: "ADDED", snapshot: pod("c", "5") });
    await clock.settle();
    expect(received).toEqual([
      "create a@1 initial",
      "create b@2 initial",
      "update a@1->3",
      "delete b@4",
      "create c@5",
    ]);
  });

  it("[IN9] may be added while another one receives a change, and receives that change once", async () => {
    const { core, clock } = setUp();
    let late: ReturnType<typeof listen> | undefined;
    core.subscribe(() => {
      late ??= listen(core);
    });
    core.replace(set(pod("a", "1")), "1");
    core.apply({ type: "MODIFIED", snapshot: pod("a", "2") });
    await clock.settle();
    expect(late?.received).toEqual(["create a@2 initial"]);
  });

  it("[IN10] has synced when the store has and its handler is done with the initial list", async () => {
    const { core, clock } = setUp();
    const doors: (() => void)[] = [];
    const early = core.subscribe(() => new Promise<void>((resolve) => doors.push(resolve)));
    const idle = listen(core).subscription;
    await clock.settle();
    expect([early.hasSynced, idle.hasSynced]).toEqual([false, false]);
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    let isSynced = false;
    const synced = early.synced().then(() => {
      isSynced = true;
    });
    await clock.settle();
    expect([early.hasSynced, idle.hasSynced]).toEqual([false, true]);
    doors[0]?.();
    await clock.settle();
    expect([early.hasSynced, isSynced, doors.length]).toEqual([false, false, 2]);
    doors[1]?.();
    await synced;
    expect(early.hasSynced).toBe(true);
    const late = listen(core);
    expect(late.subscription.hasSynced).toBe(false);
    await late.subscription.synced();
    expect(late.received).toHaveLength(2);
  });

  it("[IN10] of an empty store has synced once the store has", async () => {
    const { core } = setUp();
    const { subscription } = listen(core);
    core.replace(set(), "1");
    await subscription.synced();
    expect(subscription.hasSynced).toBe(true);
  });

  it("[IN11] receives nothing once it is removed, and may be removed twice", async () => {
    const { core, clock } = setUp();
    const { received, subscription } = listen(core);
    core.replace(set(pod("a", "1")), "1");
    await subscription.remove();
    core.apply({ type: "MODIFIED", snapshot: pod("a", "2") });
    await clock.settle();
    await subscription.remove();
    expect(received).toEqual([]);
    await expect(subscription.synced()).rejects.toThrow(SubscriptionRemovedError);
  });

  it("[IN11] is removed when the handler that is running is done", async () => {
    const { core, clock } = setUp();
    const { promise: door, resolve: open } = Promise.withResolvers<void>();
    const calls: string[] = [];
    const subscription = core.subscribe(async ({ key }) => {
      await door;
      calls.push(key.name);
    });
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    await clock.settle();
    let isRemoved = false;
    const removing = subscription.remove().then(() => {
      isRemoved = true;
    });
    await clock.settle();
    expect(isRemoved).toBe(false);
    open();
    await removing;
    await clock.settle();
    expect(calls).toEqual(["a"]);
  });

  it("[IN11] may remove itself and wait for that", async () => {
    const { core, clock } = setUp();
    const calls: string[] = [];
    const subscription = core.subscribe(async ({ key }) => {
      await subscription.remove();
      calls.push(key.name);
    });
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    await clock.settle();
    expect(calls).toEqual(["a"]);
  });

  it("receives nothing after the stop, which waits for its handler", async () => {
    const { core, clock } = setUp();
    const { received, subscription } = listen(core, { resyncMs: 5000 });
    core.replace(set(pod("a", "1")), "1");
    await subscription.synced();
    core.apply({ type: "MODIFIED", snapshot: pod("a", "2") });
    await core.stop();
    const late = listen(core);
    await clock.advance(20_000);
    expect(received).toEqual(["create a@1 initial"]);
    expect(late.received).toEqual([]);
    await expect(late.subscription.synced()).rejects.toThrow(SubscriptionRemovedError);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("that waits for a sync that never comes gets the error of the stop", async () => {
    const { core } = setUp();
    const { subscription } = listen(core);
    const waiting = [core.synced(), subscription.synced()];
    await core.stop();
    await expect(waiting[0]).rejects.toThrow(InformerStoppedError);
    await expect(waiting[1]).rejects.toThrow(SubscriptionRemovedError);
  });

  it("with a long backlog lets other tasks of the event loop run", async () => {
    // Each look at the clock takes 1 ms, so that a turn is over after ten changes.
    const real = new VirtualClock();
    let ticks = 0;
    const clock: Clock = {
      now: () => real.now(),
      monotonicNow: () => real.monotonicNow() + ticks++,
      schedule: (delayMs, callback) => real.schedule(delayMs, callback),
    };
    const { core } = setUp({ clock });
    const { received, subscription } = listen(core);
    core.replace(set(...Array.from({ length: 25 }, (_, index) => pod(`p${index}`, "1"))), "1");
    await real.settle();
    expect(received).toHaveLength(10);
    expect(real.pendingTimers).toHaveLength(1);
    await real.advance(0);
    expect(received).toHaveLength(25);
    core.replace(set(), "2");
    await real.settle();
    expect(received).toHaveLength(35);
    await subscription.remove();
    expect(real.pendingTimers).toEqual([]);
    expect(received).toHaveLength(35);
  });

  it("that reads no object causes no parsing", async () => {
    const { core, clock } = setUp();
    const unparsed = (name: string, resourceVersion: string) =>
      unparsedSnapshot<KubeObject>({
        type: "ADDED",
        namespace: "shop",
        name,
        keyText: `shop/${name}`,
        resourceVersion,
        bytes: "not JSON, so that parsing it would throw",
        isAscii: true,
      });
    const keys: string[] = [];
    core.subscribe(({ key }) => {
      keys.push(key.name);
    });
    core.replace(set(unparsed("a", "1")), "1");
    core.apply({ type: "MODIFIED", snapshot: unparsed("a", "2") });
    core.apply({ type: "DELETED", snapshot: unparsed("a", "3") });
    await clock.settle();
    expect(keys).toEqual(["a", "a", "a"]);
  });

  it("leaves no old state of an object in memory", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage: () => void = runInNewContext("gc");
    const { core, clock } = setUp();
    const { received } = listen(core);
    const old = new WeakRef(fill(core));
    core.apply({ type: "MODIFIED", snapshot: pod("a", "2") });
    await clock.settle();
    expect(received).toEqual(["create a@1 initial", "update a@1->2"]);
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(old.deref()).toBeUndefined();
    expect(core.store.size).toBe(1);
  });
});

/** A function of its own, so that no variable of the test keeps the object. */
function fill(core: NotifyingStore<KubeObject>): KubeObject {
  const snapshot = pod("a", "1");
  core.replace(set(snapshot), "1");
  return snapshot.object;
}

describe("a resync", () => {
  it("[IN13] delivers everything again to the subscriber with a period", async () => {
    const { core, clock } = setUp();
    const { received } = listen(core);
    const resyncing = listen(core, { resyncMs: 30_000 });
    core.replace(set(pod("a", "1"), pod("b", "2")), "2");
    await clock.settle();
    received.length = 0;
    resyncing.received.length = 0;
    await clock.advance(29_999);
    expect(resyncing.received).toEqual([]);
    await clock.advance(1);
    expect(resyncing.received).toEqual(["update a@1->1 sync", "update b@2->2 sync"]);
    core.apply({ type: "DELETED", snapshot: pod("a", "3") });
    await clock.advance(30_000);
    expect(resyncing.received.slice(2)).toEqual(["delete a@3", "update b@2->2 sync"]);
    expect(received).toEqual(["delete a@3"]);
    await core.stop();
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[IN13] comes at most once a second, and each subscriber has its own period", async () => {
    const { core, clock } = setUp();
    const often = listen(core, { resyncMs: 10 });
    const seldom = listen(core, { resyncMs: 4000 });
    core.replace(set(pod("a", "1")), "1");
    await clock.advance(12_000);
    expect([often.received.length, seldom.received.length]).toEqual([1 + 12, 1 + 3]);
    await core.stop();
  });

  it("[IN13] is skipped while the subscriber is not done with the last one", async () => {
    const { core, clock } = setUp();
    const doors: (() => void)[] = [];
    core.replace(set(pod("a", "1")), "1");
    core.subscribe(
      ({ type }) => (type === "create" ? undefined : new Promise((resolve) => doors.push(resolve))),
      {
        resyncMs: 1000,
      },
    );
    await clock.advance(5000);
    expect(doors).toHaveLength(1);
    doors[0]?.();
    await clock.advance(1000);
    expect(doors).toHaveLength(2);
    doors[1]?.();
    await core.stop();
  });
});
