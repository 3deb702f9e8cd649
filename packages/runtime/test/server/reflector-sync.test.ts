import { createClient } from "@keelson/client";
import { compareResourceVersions, metadataOnly, type Transport } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { errorEvent, faults, faultyTransport, VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { noWatches } from "../../src/watch/reflector-options.ts";
import { WatchListSupport } from "../../src/watch/watch-list-support.ts";
import { knownVersion, plainWatches, ReflectorLab, watchLists } from "../support/reflector-lab.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const cluster = await startTestCluster();
const lab = new ReflectorLab(cluster);
const { admin } = cluster;

describe("the first sync", () => {
  it("[RF1] [RF2] is one watch that begins with all objects and goes on with their changes", async () => {
    const { namespace, transport, sink } = await lab.synced(ConfigMap, ["a", "b", "c"]);
    expect(sink.history).toEqual(["REPLACE a b c"]);
    await lab.create(namespace, "d");
    await lab.remove(namespace, "a");
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

  it("[RF2] is not visible before it is complete", async () => {
    const { transport, sink, reflector, start } = await lab.world(ConfigMap, ["a", "b", "c"]);
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
    const { namespace, transport, sink, reflector, requested, start } = await lab.world(
      ConfigMap,
      ["a", "b", "c"],
      {
        clock,
      },
    );
    transport.fault(watchLists, faults.cutAfter(2));
    await start();
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await lab.remove(namespace, "a");
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE b c"]);
    expect(requested()).toEqual(["watch-list", "watch-list"]);
  });

  it.each([
    ["refused", faults.refuseConnection()],
    ["429", faults.refuse("TooManyRequests")],
  ])("[RF3] is tried again after a wait if it is %s", async (_, fault) => {
    const clock = new VirtualClock();
    const { transport, sink, reflector, requested, start } = await lab.world(ConfigMap, ["a"], { clock });
    transport.fault(watchLists, fault);
    await start();
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE a"]);
    expect(requested()).toEqual(["watch-list", "watch-list"]);
  });

  it("[RF3] [RF7] is a list if the server does not know watch-lists, followed by a watch from its version", async () => {
    const { namespace, transport, sink, requested, start, reflector, errors } = await lab.world(ConfigMap, [
      "a",
      "b",
    ]);
    transport.fault(watchLists, faults.refuse("Invalid"));
    await start();
    await expect.poll(() => sink.names).toEqual(["a", "b"]);
    const [version] = sink.replacedAt;
    await lab.create(namespace, "c");
    await expect.poll(() => sink.names).toEqual(["a", "b", "c"]);
    expect(requested()).toEqual(["watch-list", "list 0", `watch ${version}`]);
    expect(transport.requests[1]?.query.limit).toBe("500");
    expect(errors).toHaveLength(1);
    expect(reflector.freshness.phase).toBe("watching");
  });

  it("[RF3] requests the newest state if the server no longer has the last version", async () => {
    const clock = new VirtualClock();
    const made = await lab.world(ConfigMap, ["a"], { clock });
    const { transport, sink, reflector, requested, start, errors } = made;
    transport.fault(plainWatches, faults.injectAfter(0, errorEvent("Expired")));
    await start();
    await expect.poll(() => sink.history).toHaveLength(1);
    transport.fault(watchLists, faults.refuse("Expired"));
    transport.cutStreams({}, "end");
    const version = knownVersion(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE a", "REPLACE a"]);
    expect(requested()).toEqual(["watch-list", `watch ${version}`, `watch-list ${version}`, "watch-list"]);
    expect(errors).toHaveLength(2);
  });

  it("[RF4] is warned about if nothing comes for 10 s", async () => {
    const clock = new VirtualClock();
    const { namespace, transport, sink, warnings, start } = await lab.world(ConfigMap, ["a"], { clock });
    transport.fault(watchLists, faults.blackholeAfter(0));
    await start();
    await expect.poll(() => transport.heldRequests).toHaveLength(1);
    await clock.advance(10_000);
    expect(warnings).toEqual([
      `watch configmaps in ${namespace}: still waiting for the first objects, of which 0 have come; ` +
        `nothing was received for 10 s`,
    ]);
    transport.releaseAll();
    await expect.poll(() => sink.history).toEqual(["REPLACE a"]);
  });

  it("takes objects with any text in them, however the bytes are cut", async () => {
    const { namespace, transport, sink, start } = await lab.world(ConfigMap, []);
    const text = 'line\u2028line\u2029 "managedFields":[{ \\ ] é 🚢';
    await lab.create(namespace, "odd", { text });
    transport.fault(watchLists, faults.splitBytes());
    await start();
    await expect.poll(() => sink.objects.get("odd")?.data).toEqual({ text });
  });
});

describe("what is watched", () => {
  it("[IN19] comes without managedFields, in the first objects, in changes and in lists", async () => {
    for (const useWatchList of [true, false]) {
      const { namespace, sink } = await lab.synced(ConfigMap, ["a"], { useWatchList });
      await lab.create(namespace, "b");
      await expect.poll(() => sink.names).toEqual(["a", "b"]);
      for (const { metadata } of sink.objects.values()) {
        expect(metadata).not.toHaveProperty("managedFields");
        expect(metadata).toHaveProperty("uid");
      }
    }
  });

  it("[IN19] comes with managedFields if keepManagedFields is set", async () => {
    for (const useWatchList of [true, false]) {
      const { namespace, sink } = await lab.synced(ConfigMap, ["a"], {
        useWatchList,
        keepManagedFields: true,
      });
      await lab.create(namespace, "b");
      await expect.poll(() => sink.names).toEqual(["a", "b"]);
      for (const { metadata } of sink.objects.values()) expect(metadata.managedFields).toHaveLength(1);
    }
  });

  it("may be the metadata only, by a stream and by a list", async () => {
    for (const useWatchList of [true, false]) {
      const { namespace, sink, warnings } = await lab.synced(metadataOnly(ConfigMap), ["a"], {
        useWatchList,
      });
      await lab.create(namespace, "b", { much: "data" });
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
    const { namespace, sink } = await lab.synced(ConfigMap, ["a"], {
      selection: { labelSelector: { matchLabels: { ship: "yes" } }, fieldSelector: "metadata.name!=b" },
    });
    for (const name of ["b", "c"])
      await admin.create(ConfigMap, { metadata: { namespace, name, labels: { ship: "yes" } } });
    await expect.poll(() => sink.names).toEqual(["c"]);
    await admin.update(ConfigMap, { metadata: { namespace, name: "c" } });
    await expect.poll(() => sink.history).toEqual(["REPLACE", "ADDED c", "DELETED c"]);
  });

  it("[IN20] reports its version and what it has received", async () => {
    const clock = new VirtualClock({ startAt: 1_000_000 });
    const { namespace, reflector, sink } = await lab.synced(ConfigMap, ["a"], { clock });
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
    const version = await lab.create(namespace, "b", { text: "x".repeat(10_000) });
    await expect.poll(() => sink.names).toEqual(["a", "b"]);
    const { resourceVersion = "", lastEventAtMs } = reflector.freshness;
    // The server may have sent a bookmark meanwhile.
    expect(compareResourceVersions(resourceVersion, version)).toBeGreaterThanOrEqual(0);
    expect(lastEventAtMs).toBe(1_005_000);
    expect(reflector.freshness.bytesReceived).toBeGreaterThan(first.bytesReceived + 10_000);
  });

  it("[RF19] has versions that only grow, as integers", async () => {
    const { namespace, sink } = await lab.synced(ConfigMap, ["a"]);
    for (let count = 0; count < 20; count++) await lab.create(namespace, `more-${count}`);
    await expect.poll(() => sink.versions.length).toBeGreaterThanOrEqual(21);
    const sorted = [...sink.versions].sort(compareResourceVersions);
    expect(sink.versions).toEqual(sorted);
  });
});

describe("a list", () => {
  const many = Array.from({ length: 600 }, (_, index) => `many-${index}`);

  it("[RF5] [RF6] at the last version is not paged, and if that has expired the newest state is, at once", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, many, { clock, useWatchList: false });
    const { transport, sink, reflector, requested } = made;
    expect(sink.objects.size).toBe(600);
    expect(requested()).toEqual(["list 0", `watch ${sink.replacedAt[0]}`]);
    transport.fault(plainWatches, faults.injectAfter(0, errorEvent("Expired")));
    transport.fault({ watch: false }, faults.refuse("Expired"));
    const last = await lab.endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history.at(-1)).toMatch(/^REPLACE last many-0 /);
    expect(sink.objects.size).toBe(601);
    expect(requested().slice(2)).toEqual([
      `watch ${last}`,
      `list ${last}`,
      "list",
      "list more",
      `watch ${sink.replacedAt[1]}`,
    ]);
    expect(transport.requests.slice(3, 6).map(({ query }) => query.limit)).toEqual([undefined, "500", "500"]);
  });

  it("[RF6] whose second page has expired is read once more, without pages", async () => {
    const { transport, sink, requested, start } = await lab.world(ConfigMap, many, { useWatchList: false });
    transport.fault({ watch: false, query: { resourceVersion: "0" } }, faults.refuse("Expired"));
    transport.fault({ watch: false, query: { continue: /./ } }, faults.refuse("Expired"));
    await start();
    await expect.poll(() => sink.history).toHaveLength(1);
    expect(sink.objects.size).toBe(600);
    const [version] = sink.replacedAt;
    expect(requested()).toEqual(["list 0", "list", "list more", "list", `watch ${version}`]);
    expect(transport.requests[3]?.query).toEqual({ resourceVersion: "" });
  });

  it("[RF16] that fails is reported, and repeated after a wait", async () => {
    const clock = new VirtualClock();
    const made = await lab.world(ConfigMap, ["a"], { clock, useWatchList: false });
    const { transport, sink, reflector, errors, start } = made;
    transport.fault({ watch: false }, faults.refuse("InternalError"));
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
    const made = await lab.synced(ConfigMap, ["a"], { clock });
    const { transport, sink, reflector, requested } = made;
    transport.fault(plainWatches, faults.injectAfter(0, fromTheFuture));
    await lab.endWatch(made);
    await expect.poll(() => reflector.freshness).toMatchObject({ phase: "waiting", resourceVersion: future });
    await clock.advance(1600);
    // The server first waits a few seconds for that version.
    await expect.poll(() => sink.history.at(-1), { timeout: 30_000 }).toBe("REPLACE a last");
    expect(requested().slice(2)).toEqual([`watch-list ${future}`, "watch-list"]);
    expect(reflector.freshness.resourceVersion).not.toBe(future);
  });
});

describe("a version that the server cannot parse", () => {
  const invalid = ["abc", "99999999999999999999999999"];
  const bookmarkAt = (resourceVersion: string, annotations = {}): string =>
    JSON.stringify({
      type: "BOOKMARK",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion, annotations } },
    });

  it.each(invalid)("[RF22] ends no watch if an event and a bookmark have it: %s", async (version) => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock });
    const { namespace, transport, sink, requested, errors, warnings } = made;
    const metadata = { namespace, name: "a", resourceVersion: version };
    const changed = { type: "MODIFIED", object: { apiVersion: "v1", kind: "ConfigMap", metadata } };
    const lines = `${JSON.stringify(changed)}\n${bookmarkAt(version)}`;
    transport.fault(plainWatches, faults.injectAfter(0, lines));
    const last = await lab.endWatch(made);
    await expect.poll(() => sink.history.at(-1)).toBe("MODIFIED a");
    expect(transport.cutStreams({}, "end")).toBe(1);
    await lab.create(namespace, "z");
    await expect.poll(() => sink.names).toEqual(["a", "last", "z"]);
    expect(requested()).toEqual(["watch-list", `watch ${last}`, `watch ${last}`]);
    expect(warnings).toEqual([expect.stringContaining(JSON.stringify(version))]);
    expect(errors).toEqual([]);
  });

  it.each(invalid)("[RF22] is left after one refusal if a watch-list ended with it: %s", async (version) => {
    const clock = new VirtualClock();
    const made = await lab.world(ConfigMap, ["a"], { clock });
    const { namespace, transport, sink, reflector, requested, start } = made;
    const end = bookmarkAt(version, { "k8s.io/initial-events-end": "true" });
    transport.fault(watchLists, faults.respond({ status: 200, body: `${end}\n` }));
    await start();
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history.at(-1), { timeout: 10_000 }).toBe("REPLACE a");
    await lab.create(namespace, "z");
    await expect.poll(() => sink.names).toEqual(["a", "z"]);
    const [, ...later] = requested();
    expect(later.slice(0, 3)).toEqual([`watch ${version}`, `watch-list ${version}`, `list ${version}`]);
    expect(later.slice(3)).toEqual(["list", `watch ${sink.replacedAt.at(-1)}`]);
  });

  it.each(invalid)("[RF22] is left after one refusal if a list had it: %s", async (version) => {
    const clock = new VirtualClock();
    const made = await lab.world(ConfigMap, ["a"], { clock, useWatchList: false });
    const { namespace, transport, sink, reflector, requested, start } = made;
    const list = {
      apiVersion: "v1",
      kind: "ConfigMapList",
      metadata: { resourceVersion: version },
      items: [],
    };
    const headers = { "content-type": "application/json" };
    transport.fault({ watch: false }, faults.respond({ status: 200, headers, body: JSON.stringify(list) }));
    await start();
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => sink.history.at(-1)).toBe("REPLACE a");
    await lab.create(namespace, "z");
    await expect.poll(() => sink.names).toEqual(["a", "z"]);
    expect(requested().slice(1, 4)).toEqual([`watch ${version}`, `list ${version}`, "list"]);
  });
});

describe("an object without a key", () => {
  const identity = { apiVersion: "v1", kind: "ConfigMap" };
  const unusable = [
    { resourceVersion: "7" },
    { name: "", resourceVersion: "7" },
    { name: 7, resourceVersion: "7" },
    { name: null, resourceVersion: "7" },
    { name: "x", namespace: 7, resourceVersion: "7" },
    { name: "x", resourceVersion: 7 },
  ];

  it.each(unusable)("[RF23] is skipped in a watch with a warning: %j", async (metadata) => {
    const made = await lab.synced(ConfigMap, ["a"]);
    const { namespace, transport, sink, warnings, errors } = made;
    const line = JSON.stringify({ type: "ADDED", object: { ...identity, metadata } });
    transport.fault(plainWatches, faults.injectAfter(0, line));
    await lab.endWatch(made);
    await lab.create(namespace, "z");
    await expect.poll(() => sink.history).toEqual(["REPLACE a", "ADDED last", "ADDED z"]);
    expect(warnings).toEqual([expect.stringContaining("skipped an event: ")]);
    expect(errors).toEqual([]);
  });

  it("[RF23] is skipped in a list with a warning", async () => {
    const made = await lab.world(ConfigMap, [], { useWatchList: false });
    const { transport, sink, warnings, start } = made;
    const good = { ...identity, metadata: { name: "good", namespace: made.namespace, resourceVersion: "5" } };
    const items = [...unusable.map((metadata) => ({ ...identity, metadata })), good];
    const list = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "1" }, items };
    transport.fault({ watch: false }, faults.respond({ status: 200, body: JSON.stringify(list) }));
    await start();
    await expect.poll(() => sink.history).toEqual(["REPLACE good"]);
    expect(warnings).toHaveLength(unusable.length);
  });
});

describe("a server that ignores the parameters of watch-lists", () => {
  /** Bookmarks are removed, too: a current server takes a watch from the newest state with bookmarks for a watch-list. */
  const parameters = /&(sendInitialEvents|resourceVersionMatch|allowWatchBookmarks)=[^&]*/g;
  const ignoring = (inner: Transport): Transport => ({
    close: () => inner.close(),
    send: (request) => {
      const path = request.path.replace(parameters, "");
      return inner.send({ ...request, path });
    },
  });

  it("[RF21] is listed after a while, also later, and by all reflectors; with one warning", async () => {
    const clock = new VirtualClock();
    const transport = ignoring(cluster.realTransport());
    onTestFinished(() => transport.close());
    const recorded = faultyTransport(transport);
    const client = createClient({ transport: recorded });
    const shared = { client, clock, watchListSupport: new WatchListSupport() };
    const first = await lab.world(ConfigMap, ["a", "b"], shared);
    await first.start();
    await expect.poll(() => first.reflector.freshness.lastEventAtMs).toBeDefined();
    await clock.advance(19_000);
    expect(first.sink.history).toEqual([]);
    await clock.advance(1_000);
    await expect.poll(() => first.sink.names).toEqual(["a", "b"]);
    await lab.create(first.namespace, "c");
    await expect.poll(() => first.sink.names).toEqual(["a", "b", "c"]);
    const second = await lab.world(ConfigMap, ["d"], shared);
    await second.start();
    await expect.poll(() => second.sink.names).toEqual(["d"]);
    const isWatchList = recorded.requests.map(({ query }) => query.sendInitialEvents === "true");
    expect(isWatchList.filter(Boolean)).toHaveLength(1);
    const ignored = [...first.warnings, ...second.warnings].filter((text) => text.includes("ignores"));
    expect(ignored).toHaveLength(1);
    await first.stop();
    await second.stop();
  });
});
