import { createClient, type Selection } from "@keelson/client";
import {
  type Clock,
  compareResourceVersions,
  type KubeObject,
  metadataOnly,
  type Resource,
} from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { errorEvent, type FaultyTransport, faults, faultyTransport, VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { Reflector } from "../../src/watch/reflector.ts";
import type { ReflectorOptions } from "../../src/watch/reflector-options.ts";
import { noWatches } from "../../src/watch/reflector-watches.ts";
import type { Snapshot } from "../../src/watch/snapshot.ts";
import type { WatchSink } from "../../src/watch/watch-sink.ts";
import type { ObjectEvent } from "../../src/watch/watch-state.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const { controlPlane, admin, realTransport } = await startTestCluster();

/** A store that remembers all it was told. */
class RecordingSink<T extends KubeObject> implements WatchSink<T> {
  objects = new Map<string, T>();
  readonly history: string[] = [];
  /** All that it was told of, bookmarks included, which the server may send at any time. */
  readonly versions: string[] = [];
  /** Those of whole states. */
  readonly replacedAt: string[] = [];
  /** What `apply` throws, if anything. */
  mistake: Error | undefined;

  replace(snapshots: ReadonlyMap<string, Snapshot<T>>, resourceVersion: string): void {
    this.objects = new Map([...snapshots.values()].map(({ name, object }) => [name, object]));
    this.history.push(`REPLACE ${[...this.objects.keys()].sort().join(" ")}`.trim());
    this.versions.push(resourceVersion);
    this.replacedAt.push(resourceVersion);
  }

  apply({ type, snapshot: { name, object, resourceVersion } }: ObjectEvent<T>): void {
    if (this.mistake !== undefined) throw this.mistake;
    if (type === "DELETED") this.objects.delete(name);
    else this.objects.set(name, object);
    this.history.push(`${type} ${name}`);
    this.versions.push(resourceVersion);
  }

  bookmark(resourceVersion: string): void {
    this.versions.push(resourceVersion);
  }

  get names(): readonly string[] {
    return [...this.objects.keys()].sort();
  }
}

interface World<T extends KubeObject> {
  readonly namespace: string;
  readonly transport: FaultyTransport;
  readonly sink: RecordingSink<T>;
  readonly reflector: Reflector<T>;
  readonly errors: Error[];
  readonly warnings: string[];
  /** How each request began: `watch-list`, `watch`, `list`, with the version it asked for. */
  asked(): readonly string[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

let worlds = 0;

/** A namespace of its own with these objects, and a reflector that has not started. */
async function world<T extends KubeObject>(
  resource: Resource<T>,
  names: readonly string[] = [],
  options: Partial<Omit<ReflectorOptions<T>, "selection">> & { selection?: Selection; clock?: Clock } = {},
): Promise<World<T>> {
  worlds += 1;
  const namespace = `world-${worlds}`;
  await admin.create(Namespace, { metadata: { name: namespace } });
  // Not all at once: each would want a connection, and on a busy machine the last ones would come too late.
  for (let start = 0; start < names.length; start += 10)
    await Promise.all(names.slice(start, start + 10).map((name) => create(namespace, name)));
  const transport = faultyTransport(realTransport());
  const sink = new RecordingSink<T>();
  const errors: Error[] = [];
  const warnings: string[] = [];
  const reflector = new Reflector<T>({
    client: createClient({ transport }),
    resource,
    sink,
    onError: (error) => errors.push(error),
    onWarning: (message) => warnings.push(message),
    ...options,
    selection: { namespace, ...options.selection },
  });
  const controller = new AbortController();
  let run: Promise<void> = Promise.resolve();
  const stop = async (): Promise<void> => {
    controller.abort();
    await run;
  };
  onTestFinished(async () => {
    await stop();
    expect(transport.openStreams).toEqual([]);
    await transport.close();
  });
  return {
    namespace,
    transport,
    sink,
    reflector,
    errors,
    warnings,
    asked: () =>
      transport.requests.map(({ query }) => {
        const verb =
          query.sendInitialEvents === "true" ? "watch-list" : query.watch === "true" ? "watch" : "list";
        return `${verb} ${query.continue === undefined ? query.resourceVersion : "more"}`.trim();
      }),
    start: async () => {
      run = reflector.run(controller.signal);
      await Promise.resolve();
    },
    stop,
  };
}

/** A world whose objects have come. A first list may be a little old, and what it lacks follows as events. */
async function synced<T extends KubeObject>(...args: Parameters<typeof world<T>>): Promise<World<T>> {
  const made = await world<T>(...args);
  await made.start();
  const [, names = []] = args;
  await expect.poll(() => made.sink.history.length).toBeGreaterThanOrEqual(1);
  if (args[2]?.selection === undefined) await expect.poll(() => made.sink.objects.size).toBe(names.length);
  return made;
}

/** It has data, because managedFields are only about fields that somebody has set. */
async function create(
  namespace: string,
  name: string,
  data: Record<string, string> = { filled: "yes" },
): Promise<string> {
  const created = await admin.create(ConfigMap, { metadata: { namespace, name }, data });
  return created.metadata.resourceVersion ?? "";
}

async function remove(namespace: string, name: string): Promise<void> {
  await admin.delete(ConfigMap, { namespace, name });
}

/**
 * Has the live watch deliver something, so that it is open and of use, and ends it. Gives the version that is known then:
 * of the object, or of a bookmark that came after it.
 */
async function endWatch<T extends KubeObject>(made: World<T>): Promise<string> {
  await create(made.namespace, "last");
  await expect.poll(() => made.sink.names).toContain("last");
  expect(made.transport.cutStreams({}, "end")).toBe(1);
  return knownVersion(made);
}

/** The last version that the sink was told of. */
function knownVersion<T extends KubeObject>({ sink }: World<T>): string {
  return sink.versions.at(-1) ?? "none";
}

const watchLists = { watch: true, query: { sendInitialEvents: "true" } };
const plainWatches = { watch: true, query: { sendInitialEvents: undefined } };

describe("the first sync", () => {
  it("[RF1] [RF2] is one watch that begins with all objects and goes on with their changes", async () => {
    const { namespace, transport, sink } = await synced(ConfigMap, ["a", "b", "c"]);
    expect(sink.history).toEqual(["REPLACE a b c"]);
    await create(namespace, "d");
    await remove(namespace, "a");
    await expect.poll(() => sink.history).toEqual(["REPLACE a b c", "ADDED d", "DELETED a"]);
    const [request, ...more] = transport.requests;
    expect(more).toEqual([]);
    expect(request?.query).toEqual({
      watch: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
      resourceVersion: "",
      timeoutSeconds: expect.stringMatching(/^[345]\d\d$/),
    });
  });

  it("[RF2] is not seen by anybody before it is complete", async () => {
    const { transport, sink, reflector, start } = await world(ConfigMap, ["a", "b", "c"]);
    transport.fault(watchLists, faults.blackholeAfter(2));
    await start();
    await expect.poll(() => reflector.freshness.lastEventAtMs).toBeDefined();
    await expect.poll(() => transport.heldRequests).toHaveLength(1);
    expect(sink.history).toEqual([]);
    expect(reflector.freshness).toMatchObject({ phase: "streaming", resourceVersion: undefined });
    transport.releaseAll();
    await expect.poll(() => sink.history).toEqual(["REPLACE a b c"]);
  });

  it("[RF3] begins from nothing if its stream breaks, so that what was deleted meanwhile is not in it", async () => {
    const clock = new VirtualClock();
    const { namespace, transport, sink, reflector, asked, start } = await world(ConfigMap, ["a", "b", "c"], {
      clock,
    });
    transport.fault(watchLists, faults.cutAfter(2));
    await start();
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await remove(namespace, "a");
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE b c"]);
    expect(asked()).toEqual(["watch-list", "watch-list"]);
  });

  it.each([
    ["refused", faults.refuse()],
    ["429", faults.answerStatus("TooManyRequests")],
  ])("[RF3] is tried again after a wait if it is %s", async (_, fault) => {
    const clock = new VirtualClock();
    const { transport, sink, reflector, asked, start } = await world(ConfigMap, ["a"], { clock });
    transport.fault(watchLists, fault);
    await start();
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE a"]);
    expect(asked()).toEqual(["watch-list", "watch-list"]);
  });

  it("[RF3] [RF7] is a list if the server does not know watch-lists, followed by a watch from its version", async () => {
    const { namespace, transport, sink, asked, start, reflector, errors } = await world(ConfigMap, [
      "a",
      "b",
    ]);
    transport.fault(watchLists, faults.answerStatus("Invalid"));
    await start();
    await expect.poll(() => sink.names).toEqual(["a", "b"]);
    const [version] = sink.replacedAt;
    await create(namespace, "c");
    await expect.poll(() => sink.names).toEqual(["a", "b", "c"]);
    expect(asked()).toEqual(["watch-list", "list 0", `watch ${version}`]);
    expect(transport.requests[1]?.query.limit).toBe("500");
    expect(errors).toHaveLength(1);
    expect(reflector.freshness.phase).toBe("watching");
  });

  it("[RF3] asks for the newest state if the server has forgotten the last version", async () => {
    const clock = new VirtualClock();
    const made = await world(ConfigMap, ["a"], { clock });
    const { transport, sink, reflector, asked, start, errors } = made;
    transport.fault(plainWatches, faults.injectAfter(0, errorEvent("Expired")));
    await start();
    await expect.poll(() => sink.history).toHaveLength(1);
    transport.fault(watchLists, faults.answerStatus("Expired"));
    transport.cutStreams({}, "end");
    const version = knownVersion(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE a", "REPLACE a"]);
    expect(asked()).toEqual(["watch-list", `watch ${version}`, `watch-list ${version}`, "watch-list"]);
    expect(errors).toHaveLength(2);
  });

  it("[RF4] is warned about if nothing comes for 10 s", async () => {
    const clock = new VirtualClock();
    const { namespace, transport, sink, warnings, start } = await world(ConfigMap, ["a"], { clock });
    transport.fault(watchLists, faults.blackholeAfter(0));
    await start();
    await expect.poll(() => transport.heldRequests).toHaveLength(1);
    await clock.advance(10_000);
    expect(warnings).toEqual([
      `watch configmaps in ${namespace}: still waiting for the first objects, of which 0 have come; ` +
        `nothing was heard for 10 s`,
    ]);
    transport.releaseAll();
    await expect.poll(() => sink.history).toEqual(["REPLACE a"]);
  });

  it("takes objects with any text in them, however the bytes are cut", async () => {
    const { namespace, transport, sink, start } = await world(ConfigMap, []);
    const text = 'line\u2028line\u2029 "managedFields":[{ \\ ] é 🚢';
    await create(namespace, "odd", { text });
    transport.fault(watchLists, faults.splitBytes());
    await start();
    await expect.poll(() => sink.objects.get("odd")?.data).toEqual({ text });
  });
});

describe("what is watched", () => {
  it("[IN19] comes without managedFields, in the first objects, in changes and in lists", async () => {
    for (const useWatchList of [true, false]) {
      const { namespace, sink } = await synced(ConfigMap, ["a"], { useWatchList });
      await create(namespace, "b");
      await expect.poll(() => sink.names).toEqual(["a", "b"]);
      for (const { metadata } of sink.objects.values()) {
        expect(metadata).not.toHaveProperty("managedFields");
        expect(metadata).toHaveProperty("uid");
      }
    }
  });

  it("[IN19] comes with managedFields if they are asked for", async () => {
    for (const useWatchList of [true, false]) {
      const { namespace, sink } = await synced(ConfigMap, ["a"], { useWatchList, keepManagedFields: true });
      await create(namespace, "b");
      await expect.poll(() => sink.names).toEqual(["a", "b"]);
      for (const { metadata } of sink.objects.values()) expect(metadata.managedFields).toHaveLength(1);
    }
  });

  it("may be the metadata only, by a stream and by a list", async () => {
    for (const useWatchList of [true, false]) {
      const { namespace, sink, warnings } = await synced(metadataOnly(ConfigMap), ["a"], { useWatchList });
      await create(namespace, "b", { much: "data" });
      await expect.poll(() => sink.names).toEqual(["a", "b"]);
      expect(sink.objects.get("b")).toEqual({
        apiVersion: "meta.k8s.io/v1",
        kind: "PartialObjectMetadata",
        metadata: expect.objectContaining({ name: "b" }),
      });
      expect(warnings).toEqual([]);
    }
  });

  it("may be a selection, which objects enter and leave", async () => {
    const { namespace, sink } = await synced(ConfigMap, ["a"], {
      selection: { labelSelector: { matchLabels: { ship: "yes" } }, fieldSelector: "metadata.name!=b" },
    });
    for (const name of ["b", "c"])
      await admin.create(ConfigMap, { metadata: { namespace, name, labels: { ship: "yes" } } });
    await expect.poll(() => sink.names).toEqual(["c"]);
    await admin.update(ConfigMap, { metadata: { namespace, name: "c" } });
    await expect.poll(() => sink.history).toEqual(["REPLACE", "ADDED c", "DELETED c"]);
  });

  it("[IN20] tells how far it is and what it has received", async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const { namespace, reflector, sink } = await synced(ConfigMap, ["a"], { clock });
    const first = reflector.freshness;
    expect(first).toEqual({
      phase: "watching",
      resourceVersion: sink.versions.at(-1),
      lastEventAtMs: 1_000_000,
      lastBookmarkAtMs: 1_000_000,
      bytesReceived: expect.any(Number),
      lastEventLagMs: undefined,
      lists: 0,
      watches: noWatches(),
    });
    await clock.advance(5_000);
    const version = await create(namespace, "b", { text: "x".repeat(10_000) });
    await expect.poll(() => sink.names).toEqual(["a", "b"]);
    const { resourceVersion = "", lastEventAtMs } = reflector.freshness;
    // The server may have sent a bookmark meanwhile.
    expect(compareResourceVersions(resourceVersion, version)).toBeGreaterThanOrEqual(0);
    expect(lastEventAtMs).toBe(1_005_000);
    expect(reflector.freshness.bytesReceived).toBeGreaterThan(first.bytesReceived + 10_000);
  });

  it("[RF19] has versions that only grow, as integers", async () => {
    const { namespace, sink } = await synced(ConfigMap, ["a"]);
    for (let count = 0; count < 20; count++) await create(namespace, `more-${count}`);
    await expect.poll(() => sink.versions.length).toBeGreaterThanOrEqual(21);
    const sorted = [...sink.versions].sort(compareResourceVersions);
    expect(sink.versions).toEqual(sorted);
  });
});

describe("a list", () => {
  const many = Array.from({ length: 600 }, (_, index) => `many-${index}`);

  it("[RF5] [RF6] at the last version is not paged, and if that has expired the newest state is, at once", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, many, { clock, useWatchList: false });
    const { transport, sink, reflector, asked } = made;
    expect(sink.objects.size).toBe(600);
    expect(asked()).toEqual(["list 0", `watch ${sink.replacedAt[0]}`]);
    transport.fault(plainWatches, faults.injectAfter(0, errorEvent("Expired")));
    transport.fault({ watch: false }, faults.answerStatus("Expired"));
    const last = await endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history.at(-1)).toMatch(/^REPLACE last many-0 /);
    expect(sink.objects.size).toBe(601);
    expect(asked().slice(2)).toEqual([
      `watch ${last}`,
      `list ${last}`,
      "list",
      "list more",
      `watch ${sink.replacedAt[1]}`,
    ]);
    expect(transport.requests.slice(3, 6).map(({ query }) => query.limit)).toEqual([undefined, "500", "500"]);
  });

  it("[RF6] whose second page has expired is read once more, without pages", async () => {
    const { transport, sink, asked, start } = await world(ConfigMap, many, { useWatchList: false });
    transport.fault({ watch: false, query: { resourceVersion: "0" } }, faults.answerStatus("Expired"));
    transport.fault({ watch: false, query: { continue: /./ } }, faults.answerStatus("Expired"));
    await start();
    await expect.poll(() => sink.history).toHaveLength(1);
    expect(sink.objects.size).toBe(600);
    const [version] = sink.replacedAt;
    expect(asked()).toEqual(["list 0", "list", "list more", "list", `watch ${version}`]);
    expect(transport.requests[3]?.query).toEqual({ resourceVersion: "" });
  });

  it("[RF16] that fails is reported, and repeated after a wait", async () => {
    const clock = new VirtualClock();
    const made = await world(ConfigMap, ["a"], { clock, useWatchList: false });
    const { transport, sink, reflector, errors, start } = made;
    transport.fault({ watch: false }, faults.answerStatus("InternalError"));
    await start();
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("500 InternalError") }),
    ]);
    await clock.advance(1600);
    await expect.poll(() => sink.names).toEqual(["a"]);
  });
});

describe("a version that the server has not reached", () => {
  /** A server that was restored from a backup is behind what its clients have seen. */
  const future = "9999999999";
  const metadata = { resourceVersion: future };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata };
  const fromTheFuture = `${JSON.stringify({ type: "BOOKMARK", object })}\n${errorEvent("Expired")}`;

  it("[RF3] is forgotten", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock });
    const { transport, sink, reflector, asked } = made;
    transport.fault(plainWatches, faults.injectAfter(0, fromTheFuture));
    await endWatch(made);
    await expect.poll(() => reflector.freshness).toMatchObject({ phase: "waiting", resourceVersion: future });
    await clock.advance(1600);
    // The server first waits a few seconds for that version.
    await expect.poll(() => sink.history.at(-1), { timeout: 30_000 }).toBe("REPLACE a last");
    expect(asked().slice(2)).toEqual([`watch-list ${future}`, "watch-list"]);
    expect(reflector.freshness.resourceVersion).not.toBe(future);
  });
});

describe("a live watch", () => {
  it("[RF9] that ends is opened again from the last version, without a list and without a wait", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock });
    const { namespace, sink, reflector, asked, errors } = made;
    const known: string[] = [];
    for (let count = 0; count < 3; count++) {
      await create(namespace, `more-${count}`);
      await expect.poll(() => sink.names).toContain(`more-${count}`);
      made.transport.cutStreams({}, "end");
      // Of the object, or of a bookmark that came after it.
      known.push(`watch ${sink.versions.at(-1)}`);
    }
    await create(namespace, "z");
    await expect.poll(() => sink.names).toContain("z");
    expect(asked()).toEqual(["watch-list", ...known]);
    expect(errors).toEqual([]);
    expect(reflector.freshness.phase).toBe("watching");
  });

  it("[RF9] that ends at once and without an event goes through the back-off", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock });
    const { transport, sink, reflector, asked, errors, namespace } = made;
    transport.fault(plainWatches, faults.answer({ status: 200 }));
    const last = await endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    expect(errors.map(({ name }) => name)).toEqual(["VeryShortWatchError"]);
    await create(namespace, "z");
    await clock.advance(1600);
    await expect.poll(() => sink.names).toContain("z");
    expect(asked()).toEqual(["watch-list", `watch ${last}`, `watch ${last}`]);
  });

  it("whose connection breaks is opened again at once, and misses nothing", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a", "b"], { clock });
    const { namespace, transport, sink, asked, errors } = made;
    transport.cutStreams();
    const known = knownVersion(made);
    await create(namespace, "c");
    await remove(namespace, "a");
    await expect.poll(() => sink.history).toEqual(["REPLACE a b", "ADDED c", "DELETED a"]);
    expect(asked()).toEqual(["watch-list", `watch ${known}`]);
    expect(errors.map(({ name }) => name)).toEqual(["ConnectionError"]);
  });

  it.each([
    ["429", errorEvent("TooManyRequests"), "watch"],
    ["410", errorEvent("Expired"), "watch-list"],
    ["500", errorEvent("InternalError"), "watch-list"],
    ["503", errorEvent("ServiceUnavailable"), "watch-list"],
  ])("[RF11] that ends with %s goes on as it must, from the last version", async (_, line, next) => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock });
    const { namespace, transport, sink, reflector, asked, errors } = made;
    transport.fault(plainWatches, faults.injectAfter(0, line));
    const last = await endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await create(namespace, "z");
    await clock.advance(1600);
    await expect.poll(() => sink.names).toEqual(["a", "last", "z"]);
    expect(asked()).toEqual(["watch-list", `watch ${last}`, `${next} ${last}`]);
    expect(errors).toHaveLength(1);
  });

  it("[RF11] that ends with 500 is only opened again while the grace lasts", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock, internalErrorGraceMs: 60_000 });
    const { transport, reflector, asked } = made;
    transport.fault(plainWatches, faults.injectAfter(0, errorEvent("InternalError")));
    const last = await endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => asked()).toHaveLength(3);
    expect(asked()[2]).toBe(`watch ${last}`);
  });

  it.each([
    ["refused", faults.refuse(), "watch"],
    ["answered by 429", faults.answerStatus("TooManyRequests"), "watch"],
    ["answered by 500", faults.answerStatus("InternalError"), "watch-list"],
    ["answered by 403", faults.answerStatus("Forbidden"), "watch-list"],
    ["answered by 410", faults.answerStatus("Expired"), "watch-list"],
  ])("[RF12] whose opening is %s goes on as it must, from the last version", async (_, fault, next) => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock });
    const { namespace, transport, sink, reflector, asked } = made;
    transport.fault(plainWatches, fault);
    const last = await endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await create(namespace, "z");
    await clock.advance(1600);
    await expect.poll(() => sink.names).toEqual(["a", "last", "z"]);
    expect(asked()).toEqual(["watch-list", `watch ${last}`, `${next} ${last}`]);
  });

  it.each([
    ["a Table", { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "1" } }],
    ["another kind", { kind: "Secret", apiVersion: "v1", metadata: { name: "x", resourceVersion: "1" } }],
    [
      "another version",
      { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "x", resourceVersion: "1" } },
    ],
  ])("[RF14] passes over %s, and says so", async (_, object) => {
    const made = await synced(ConfigMap, ["a"]);
    const { namespace, transport, sink, reflector, warnings } = made;
    transport.fault(plainWatches, faults.injectAfter(0, JSON.stringify({ type: "ADDED", object })));
    const last = await endWatch(made);
    await expect
      .poll(() => warnings)
      .toEqual([
        `watch configmaps in ${namespace}: skipped an event about ${object.kind} of ${object.apiVersion}, ` +
          `which was not asked for`,
      ]);
    const { resourceVersion = "" } = reflector.freshness;
    expect(compareResourceVersions(resourceVersion, last)).toBeGreaterThanOrEqual(0);
    await create(namespace, "z");
    await expect.poll(() => sink.history).toEqual(["REPLACE a", "ADDED last", "ADDED z"]);
  });

  it("[RF15] tells nobody anything after it was stopped, and no error", async () => {
    const { namespace, sink, transport, errors, stop } = await synced(ConfigMap, ["a"]);
    await create(namespace, "b");
    await stop();
    const history = [...sink.history];
    await create(namespace, "c");
    await admin.get(ConfigMap, { namespace, name: "c" });
    expect(sink.history).toEqual(history);
    expect(transport.openStreams).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("[RF17] on a dead connection heals within 200 s, without a list and without a lost event", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a", "b"], { clock });
    const { namespace, transport, sink, asked, errors } = made;
    expect(transport.blackholeStreams()).toBe(1);
    const known = knownVersion(made);
    await create(namespace, "c");
    await admin.update(ConfigMap, { metadata: { namespace, name: "b" }, data: { changed: "yes" } });
    await remove(namespace, "a");
    await clock.advance(179_999);
    expect(asked()).toEqual(["watch-list"]);
    await clock.advance(1);
    await expect.poll(() => sink.history).toEqual(["REPLACE a b", "ADDED c", "MODIFIED b", "DELETED a"]);
    expect(asked()).toEqual(["watch-list", `watch ${known}`]);
    expect(errors.map(({ name }) => name)).toEqual(["SilentWatchError"]);
    expect(transport.openStreams).toHaveLength(1);
  });

  it("[RF17] without bookmarks is left alone until 30 s after its end", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock, random: { next: () => 0 } });
    const { namespace, transport, sink, asked } = made;
    const ended = await endWatch(made);
    await create(namespace, "y");
    await expect.poll(() => sink.names).toContain("y");
    transport.blackholeStreams();
    const known = knownVersion(made);
    await create(namespace, "z");
    await clock.advance(329_999);
    expect(asked()).toHaveLength(2);
    await clock.advance(1);
    await expect.poll(() => sink.history.slice(-2)).toEqual(["ADDED y", "ADDED z"]);
    expect(asked()).toEqual(["watch-list", `watch ${ended}`, `watch ${known}`]);
  });

  it.each(["watch-list", "watch"])(
    "[RF20] that garbles a line is left and opened again: a %s",
    async (verb) => {
      const clock = new VirtualClock();
      const made = await world(ConfigMap, ["a", "b"], { clock });
      const { namespace, transport, sink, reflector, asked, errors, start } = made;
      transport.fault(verb === "watch" ? plainWatches : watchLists, faults.garbleAfter(0));
      await start();
      let last = "";
      if (verb === "watch") {
        await expect.poll(() => sink.history).toHaveLength(1);
        last = await endWatch(made);
        await expect.poll(() => transport.openStreams).toHaveLength(1);
        await create(namespace, "z");
      }
      await expect.poll(() => reflector.freshness.phase).toBe("waiting");
      expect(errors.map(({ name }) => name)).toEqual(["MalformedResponseError"]);
      await clock.advance(1600);
      const expected = verb === "watch" ? ["a", "b", "last", "z"] : ["a", "b"];
      await expect.poll(() => sink.names).toEqual(expected);
      const opened =
        verb === "watch" ? ["watch-list", `watch ${last}`, `watch ${last}`] : ["watch-list", "watch-list"];
      expect(asked()).toEqual(opened);
    },
  );

  it("hands everything over again after the sink has thrown", async () => {
    const clock = new VirtualClock();
    const made = await synced(ConfigMap, ["a"], { clock });
    const { namespace, sink, reflector, errors } = made;
    sink.mistake = new Error("full");
    await create(namespace, "b");
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    expect(errors).toEqual([sink.mistake]);
    sink.mistake = undefined;
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE a", "REPLACE a b"]);
  });
});

describe("an API server that restarts", () => {
  it("[RF12] is found again, and nothing is listed or lost", async () => {
    const { namespace, sink, asked, errors } = await synced(ConfigMap, ["a", "b"]);
    await controlPlane.restart("kube-apiserver");
    await create(namespace, "c");
    await remove(namespace, "a");
    // A reflector that met a dead server may be up to a minute into its back-off [RF13].
    await expect.poll(() => sink.names, { timeout: 70_000 }).toEqual(["b", "c"]);
    const [first, ...others] = asked();
    expect(first).toBe("watch-list");
    // From the last version each, which a bookmark may have made a later one. A server that was restarted has forgotten
    // it if anything was written after it, a lease for example, and is asked for all then.
    expect(others).toEqual(others.map(() => expect.stringMatching(/^watch(-list)? \d+$/)));
    const isForgotten = others.some((line) => line.startsWith("watch-list"));
    if (!isForgotten) expect(sink.history).toEqual(["REPLACE a b", "ADDED c", "DELETED a"]);
    expect(errors.length).toBeGreaterThan(0);
  }, 150_000);
});
