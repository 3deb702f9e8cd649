import { createClient } from "@keelson/client";
import {
  compareResourceVersions,
  type KubeObject,
  metadataOnly,
  type Resource,
  seededRandom,
  systemClock,
  systemRandom,
} from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { errorEvent, type FaultyTransport, faults, faultyTransport, VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WatchScope } from "../../src/cache/cache-scopes.ts";
import { TransformError } from "../../src/cache/errors.ts";
import { CachedInformer, type CachedInformerOptions } from "../../src/cache/informer/cached-informer.ts";
import type { InformerEvent, SubscribeOptions, Subscription } from "../../src/cache/informer/informer.ts";
import { type InformerProgress, NotifyingStore } from "../../src/cache/informer/notifying-store.ts";
import { silentLogger } from "../../src/logger.ts";
import { Reflector } from "../../src/watch/reflector.ts";
import { noWatches } from "../../src/watch/reflector-options.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const { controlPlane, admin, realTransport } = await startTestCluster();

interface World<T extends KubeObject> {
  readonly namespace: string;
  readonly transport: FaultyTransport;
  readonly informer: CachedInformer<T>;
  readonly errors: Error[];
  stop(): Promise<void>;
}

let worlds = 0;

/** A namespace of its own with these objects, and an informer of it that runs. */
async function world<T extends KubeObject>(
  resource: Resource<T>,
  names: readonly string[] = [],
  options: Partial<WatchScope<T>> & Partial<Pick<CachedInformerOptions<T>, "clock">> = {},
): Promise<World<T>> {
  worlds += 1;
  const namespace = `informed-${worlds}`;
  await admin.create(Namespace, { metadata: { name: namespace } });
  for (const name of names) await create(namespace, name);
  const transport = faultyTransport(realTransport());
  const errors: Error[] = [];
  const { clock = systemClock, ...scope } = options;
  const informer = new CachedInformer<T>({
    client: createClient({ transport }),
    resource,
    scope: { selection: { namespace }, keepManagedFields: false, parseOnRead: true, ...scope },
    clock,
    random: systemRandom,
    log: silentLogger,
    readTimeoutMs: 10_000,
    onError: (error) => errors.push(error),
  });
  informer.start();
  const stop = (): Promise<void> => informer.stop();
  onTestFinished(async () => {
    await stop();
    expect(transport.openStreams).toEqual([]);
    await transport.close();
  });
  return { namespace, transport, informer, errors, stop };
}

const create = (namespace: string, name: string, value = "1") =>
  admin.create(ConfigMap, { metadata: { namespace, name }, data: { value } });
const update = (namespace: string, name: string, value: string) =>
  admin.update(ConfigMap, { metadata: { namespace, name }, data: { value } });
const remove = (namespace: string, name: string) => admin.delete(ConfigMap, { namespace, name });

/** Has the watch end, and the next one begin with `Expired`; then the informer waits for the clock. */
async function expire<T extends KubeObject>({ namespace, transport, informer }: World<T>): Promise<void> {
  await informer.synced();
  // A watch that delivered something is opened again at once when it ends.
  await create(namespace, "last");
  await expect.poll(() => informer.get({ namespace, name: "last" })).toBeDefined();
  transport.fault(
    { watch: true, query: { sendInitialEvents: undefined } },
    faults.injectAfter(0, errorEvent("Expired")),
  );
  expect(transport.cutStreams({}, "end")).toBe(1);
  await expect.poll(() => informer.statuses[0]?.phase).toBe("waiting");
}

/** A subscriber that complains of every history that no object can have. */
class Witness<T extends KubeObject> {
  readonly events: string[] = [];
  readonly illegal: string[] = [];
  readonly uids: (readonly (string | undefined)[])[] = [];
  /** The version of each object that it believes to be there. */
  readonly known = new Map<string, string>();
  readonly subscription: Subscription;

  constructor(informer: CachedInformer<T>, options?: SubscribeOptions) {
    this.subscription = informer.subscribe((event) => this.#receive(event), options);
  }

  #receive(event: InformerEvent<T>): void {
    const { name } = event.key;
    const version = event.object.metadata.resourceVersion ?? "";
    const before = this.known.get(name);
    const fail = (problem: string): void =>
      void this.illegal.push(`${event.type} ${name}@${version}: ${problem}`);
    if (event.type === "create" && before !== undefined) fail(`is known at ${before}`);
    if (event.type !== "create" && before === undefined) fail("is not known");
    if (event.type === "update" && event.old.metadata.resourceVersion !== before)
      fail(`comes after ${before}`);
    const isSync = event.type === "update" && event.isSync;
    const order = before === undefined ? 1 : compareResourceVersions(version, before);
    const isUnseen = event.type === "delete" && event.finalStateUnknown;
    if (isSync || isUnseen ? order !== 0 : order !== 1) fail(`does not follow ${before}`);
    if (event.type === "delete") this.known.delete(name);
    else this.known.set(name, version);
    const isInitial = event.type === "create" && event.isInInitialList;
    this.events.push(
      `${event.type} ${name}${isInitial ? " initial" : ""}${isUnseen ? " unseen" : ""}${isSync ? " sync" : ""}`,
    );
    if (event.type === "update") this.uids.push([event.old.metadata.uid, event.object.metadata.uid]);
  }
}

async function freshVersions(namespace: string): Promise<Record<string, string>> {
  const { items } = await admin.list(ConfigMap, { namespace });
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

function storedVersions<T extends KubeObject>({ informer }: World<T>): Record<string, string> {
  return Object.fromEntries(
    informer.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? ""]),
  );
}

describe("an informer of a real server", () => {
  it.each([true, false])(
    "[IN2] [IN8] [IN19] holds existing objects and delivers changes, with parseOnRead %s",
    async (parseOnRead) => {
      const { namespace, informer } = await world(ConfigMap, ["a", "b"], { parseOnRead });
      const witness = new Witness(informer);
      await witness.subscription.synced();
      expect(witness.events.toSorted()).toEqual(["create a initial", "create b initial"]);
      await create(namespace, "c", "é🚢");
      await update(namespace, "a", "2");
      await remove(namespace, "b");
      await expect.poll(() => witness.events.slice(2)).toEqual(["create c", "update a", "delete b"]);
      expect(witness.illegal).toEqual([]);
      expect(informer.get({ namespace, name: "c" })?.data).toEqual({ value: "é🚢" });
      expect(informer.get({ namespace, name: "a" })?.data).toEqual({ value: "2" });
      expect(informer.get({ namespace, name: "b" })).toBeUndefined();
      for (const object of informer.list()) {
        expect(object.metadata).not.toHaveProperty("managedFields");
        expect(Object.isFrozen(object.data)).toBe(true);
      }
    },
  );

  it("[IN19] keeps managedFields if keepManagedFields is set", async () => {
    const { informer } = await world(ConfigMap, ["a"], { keepManagedFields: true });
    await informer.synced();
    expect(informer.list().map(({ metadata }) => metadata.managedFields?.length)).toEqual([1]);
  });

  it("holds the metadata alone for a metadataOnly kind", async () => {
    const { namespace, informer } = await world(metadataOnly(ConfigMap), ["a"]);
    const witness = new Witness(informer);
    await witness.subscription.synced();
    await update(namespace, "a", "2");
    await expect.poll(() => witness.events).toEqual(["create a initial", "update a"]);
    expect(informer.get({ namespace, name: "a" })).toEqual({
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
      metadata: expect.objectContaining({ namespace, name: "a" }),
    });
  });

  it("[IN14] finds objects by an index that is added while it runs", async () => {
    const { namespace, informer } = await world(ConfigMap, ["a", "b"]);
    await informer.synced();
    informer.addIndex("value", ({ data }) => (data?.value === undefined ? [] : [data.value]));
    const named = (value: string) =>
      informer.list({ namespace, indexed: [{ index: "value", value }] }).map(({ metadata }) => metadata.name);
    expect(named("1").toSorted()).toEqual(["a", "b"]);
    await update(namespace, "a", "2");
    await expect.poll(() => named("2")).toEqual(["a"]);
    expect(named("1")).toEqual(["b"]);
  });

  it("[IN20] reports its version and what it holds", async () => {
    const { namespace, informer } = await world(ConfigMap, ["a"]);
    await informer.synced();
    const created = await create(namespace, "b");
    await expect.poll(() => informer.statuses[0]?.objects).toBe(2);
    const [{ resourceVersion = "" } = {}] = informer.statuses;
    expect(compareResourceVersions(resourceVersion, created.metadata.resourceVersion ?? "")).not.toBe(-1);
    expect(informer.statuses).toEqual([
      {
        name: `configmaps in ${namespace}`,
        hasSynced: true,
        objects: 2,
        unreadableObjects: 0,
        unindexedObjects: {},
        phase: "watching",
        // Of what was created, or of a bookmark that came after it.
        resourceVersion: expect.stringMatching(/^\d+$/),
        lastEventAtMs: expect.any(Number),
        lastBookmarkAtMs: expect.any(Number),
        bytesReceived: expect.any(Number),
        lastEventLagMs: expect.any(Number),
        lists: 0,
        delayedReads: 0,
        watches: noWatches(),
      },
    ]);
  });

  it("reports its progress for every version that comes", async () => {
    const progress: InformerProgress[] = [];
    const { namespace, transport } = await world(ConfigMap, ["a"]);
    const store = new NotifyingStore<ConfigMap>({
      name: "configmaps",
      kind: "ConfigMap",
      log: silentLogger,
      clock: systemClock,
      onProgress: (step) => void progress.push(step),
    });
    const reflector = new Reflector<ConfigMap>({
      client: createClient({ transport }),
      resource: ConfigMap,
      selection: { namespace },
      sink: store,
    });
    const stopping = new AbortController();
    const running = reflector.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await running;
    });
    await store.synced();
    const uid = store.store.list()[0]?.metadata.uid;
    const created = await create(namespace, "b");
    await remove(namespace, "a");
    // Bookmarks are progress too, and come when they come.
    const ofObjects = (): readonly InformerProgress[] =>
      progress.filter((step) => step.keyText !== undefined);
    await expect.poll(() => ofObjects().length).toBe(2);
    expect(progress[0]).toEqual({ resourceVersion: expect.any(String), isReplacement: true });
    expect(ofObjects()).toEqual([
      { resourceVersion: created.metadata.resourceVersion, keyText: `${namespace}/b` },
      { resourceVersion: expect.any(String), keyText: `${namespace}/a`, deletedUid: uid },
    ]);
  });

  it("[IN12] [IN22] cannot read an object whose transform throws, until the transform works", async () => {
    let isBroken = true;
    const made = await world(ConfigMap, ["a"], {
      transform: (object) => {
        if (isBroken && object.metadata.name === "b") throw new Error("too odd");
        return { ...object, data: { ...object.data, cut: "yes" } };
      },
    });
    const { namespace, informer, errors } = made;
    const witness = new Witness(informer);
    await witness.subscription.synced();
    await create(namespace, "b");
    await expect.poll(() => informer.statuses[0]?.unreadableObjects).toBe(1);
    expect(() => informer.get({ namespace, name: "b" })).toThrow(TransformError);
    await create(namespace, "c");
    await expect.poll(() => witness.events).toEqual(["create a initial", "create c"]);
    isBroken = false;
    await update(namespace, "b", "2");
    await expect.poll(() => witness.events.at(-1)).toBe("create b");
    expect(informer.list().map(({ data }) => data?.cut)).toEqual(["yes", "yes", "yes"]);
    expect(errors).toEqual([]);
  });

  it("[IN13] delivers everything again without a request", async () => {
    const clock = new VirtualClock();
    const { transport, informer } = await world(ConfigMap, ["a", "b"], { clock });
    const witness = new Witness(informer, { resyncMs: 10_000 });
    await witness.subscription.synced();
    const requests = transport.requests.length;
    await clock.advance(30_000);
    expect(witness.events.slice(2).toSorted()).toEqual([
      ...Array(3).fill("update a sync"),
      ...Array(3).fill("update b sync"),
    ]);
    expect(transport.requests).toHaveLength(requests);
    expect(witness.illegal).toEqual([]);
  });
});

describe("an informer that has missed something", () => {
  it("[IN5] [IN6] delivers deletions first, and then the objects that changed", async () => {
    const clock = new VirtualClock();
    const made = await world(ConfigMap, ["a", "b", "c"], { clock });
    const { namespace, informer } = made;
    const witness = new Witness(informer);
    const resyncing = new Witness(informer, { resyncMs: 3_600_000 });
    await expire(made);
    const from = witness.events.length;
    await remove(namespace, "a");
    await update(namespace, "b", "2");
    await create(namespace, "d");
    await clock.advance(1600);
    await expect.poll(() => witness.events.length).toBe(from + 3);
    const [first, ...rest] = witness.events.slice(from);
    expect(first).toBe("delete a unseen");
    expect(rest.toSorted()).toEqual(["create d", "update b"]);
    expect(resyncing.events.slice(from).toSorted()).toEqual(
      ["delete a unseen", "create d", "update b", "update c sync", "update last sync"].toSorted(),
    );
    expect([...witness.illegal, ...resyncing.illegal]).toEqual([]);
    expect(storedVersions(made)).toEqual(await freshVersions(namespace));
  });

  it("[IN7] takes an object that was deleted and made again for one that changed, with another uid", async () => {
    const clock = new VirtualClock();
    const made = await world(ConfigMap, ["a"], { clock });
    const { namespace, informer } = made;
    const witness = new Witness(informer);
    await expire(made);
    const uid = informer.get({ namespace, name: "a" })?.metadata.uid;
    await remove(namespace, "a");
    const again = await create(namespace, "a");
    await clock.advance(1600);
    await expect.poll(() => witness.events).toEqual(["create a initial", "create last", "update a"]);
    expect(witness.uids).toEqual([[uid, again.metadata.uid]]);
    expect(uid).not.toBe(again.metadata.uid);
    expect(witness.illegal).toEqual([]);
  });
});

/** Creates, updates and deletes a few objects over and over. Conflicts of the writers are part of the game. */
async function hammer(namespace: string, writer: number, rounds: number): Promise<void> {
  const random = seededRandom(writer);
  for (let round = 0; round < rounds; round++) {
    const name = `shared-${Math.floor(random.next() * 6)}`;
    const write = [create, update, remove][Math.floor(random.next() * 3)] ?? create;
    await write(namespace, name, `${writer}-${round}`).catch((error: unknown) => {
      if (!(error instanceof Error) || !/AlreadyExists|NotFound|Conflict/.test(error.message)) throw error;
    });
  }
}

describe("an informer under load", () => {
  it("[IN3] [IN9] [IN10] ends up equal to a fresh list, and every subscriber has received a legal history", async () => {
    const made = await world(ConfigMap, ["shared-0", "shared-1"]);
    const { namespace, informer, transport } = made;
    const witnesses = [new Witness(informer)];
    let isDone = false;
    const writing = Promise.all(
      Array.from({ length: 8 }, (_, writer) => hammer(namespace, writer, 40)),
    ).finally(() => {
      isDone = true;
    });
    onTestFinished(async () => void (await writing));
    await informer.synced();
    while (!isDone) {
      const late = new Witness(informer, { resyncMs: 1000 });
      witnesses.push(late);
      const stored = informer.list().map(({ metadata }) => `create ${metadata.name} initial`);
      await late.subscription.synced();
      expect(late.events.slice(0, stored.length)).toEqual(stored);
      const seen = late.events.length;
      await expect.poll(() => isDone || late.events.length >= seen + 10).toBe(true);
      if (witnesses.length % 3 === 0) transport.cutStreams({}, "reset");
    }
    await writing;
    const expected = await freshVersions(namespace);
    await expect.poll(() => storedVersions(made), { timeout: 20_000 }).toEqual(expected);
    for (const { known, illegal } of witnesses) {
      await expect.poll(() => Object.fromEntries(known)).toEqual(expected);
      expect(illegal).toEqual([]);
    }
    expect(witnesses.length).toBeGreaterThan(2);
  });

  it("[IN11] calls no subscriber that was removed, and none at all once it has stopped", async () => {
    const { namespace, informer, stop } = await world(ConfigMap, ["shared-0"]);
    const removed = new Witness(informer);
    const staying = new Witness(informer);
    await removed.subscription.synced();
    await hammer(namespace, 1, 20);
    await expect.poll(() => removed.events.length).toBeGreaterThan(5);
    await removed.subscription.remove();
    const receivedCount = removed.events.length;
    const writing = hammer(namespace, 2, 60);
    onTestFinished(() => writing);
    await expect.poll(() => staying.events.length).toBeGreaterThan(receivedCount + 5);
    expect(removed.events).toHaveLength(receivedCount);
    await stop();
    const last = staying.events.length;
    await writing;
    await create(namespace, "after");
    expect(staying.events).toHaveLength(last);
    expect(staying.illegal).toEqual([]);
  });

  it("gets over a restart of the API server", async () => {
    const made = await world(ConfigMap, ["a", "b"]);
    const { namespace, informer } = made;
    const witness = new Witness(informer);
    await witness.subscription.synced();
    await controlPlane.restart("kube-apiserver");
    await create(namespace, "c");
    await remove(namespace, "a");
    await update(namespace, "b", "2");
    // A reflector that met a dead server may be up to a minute into its back-off [RF13].
    await expect
      .poll(() => storedVersions(made), { timeout: 70_000 })
      .toEqual(await freshVersions(namespace));
    // Each once. If the server has forgotten the version from which to go on, they come from a new list.
    const later = () => witness.events.slice(2).map((line) => line.replace(" unseen", ""));
    await expect.poll(() => later().toSorted()).toEqual(["create c", "delete a", "update b"]);
    expect(witness.illegal).toEqual([]);
  }, 150_000);
});
