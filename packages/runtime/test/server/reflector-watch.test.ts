import { compareResourceVersions } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { errorEvent, faults, VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { knownVersion, plainWatches, ReflectorLab, watchLists } from "../support/reflector-lab.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const cluster = await startTestCluster();
const lab = new ReflectorLab(cluster);
const { admin, controlPlane } = cluster;

describe("a live watch", () => {
  it("[RF9] that ends is opened again from the last version, without a list and without a wait", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock });
    const { namespace, sink, reflector, requested, errors } = made;
    const known: string[] = [];
    for (let count = 0; count < 3; count++) {
      await lab.create(namespace, `more-${count}`);
      await expect.poll(() => sink.names).toContain(`more-${count}`);
      made.transport.cutStreams({}, "end");
      // Of the object, or of a bookmark that came after it.
      known.push(`watch ${sink.versions.at(-1)}`);
    }
    await lab.create(namespace, "z");
    await expect.poll(() => sink.names).toContain("z");
    expect(requested()).toEqual(["watch-list", ...known]);
    expect(errors).toEqual([]);
    expect(reflector.freshness.phase).toBe("watching");
  });

  it("[RF9] that ends at once and without an event goes through the back-off", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock });
    const { transport, sink, reflector, requested, errors, namespace } = made;
    transport.fault(plainWatches, faults.respond({ status: 200 }));
    const last = await lab.endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    expect(errors.map(({ name }) => name)).toEqual(["VeryShortWatchError"]);
    await lab.create(namespace, "z");
    await clock.advance(1600);
    await expect.poll(() => sink.names).toContain("z");
    expect(requested()).toEqual(["watch-list", `watch ${last}`, `watch ${last}`]);
  });

  it("whose connection breaks is opened again at once, and misses nothing", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a", "b"], { clock });
    const { namespace, transport, sink, requested, errors } = made;
    transport.cutStreams();
    const known = knownVersion(made);
    await lab.create(namespace, "c");
    await lab.remove(namespace, "a");
    await expect.poll(() => sink.history).toEqual(["REPLACE a b", "ADDED c", "DELETED a"]);
    expect(requested()).toEqual(["watch-list", `watch ${known}`]);
    expect(errors.map(({ name }) => name)).toEqual(["ConnectionError"]);
  });

  it.each([
    ["429", errorEvent("TooManyRequests"), "watch"],
    ["410", errorEvent("Expired"), "watch-list"],
    ["500", errorEvent("InternalError"), "watch-list"],
    ["503", errorEvent("ServiceUnavailable"), "watch-list"],
  ])("[RF11] that ends with %s goes on as it must, from the last version", async (_, line, next) => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock });
    const { namespace, transport, sink, reflector, requested, errors } = made;
    transport.fault(plainWatches, faults.injectAfter(0, line));
    const last = await lab.endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await lab.create(namespace, "z");
    await clock.advance(1600);
    await expect.poll(() => sink.names).toEqual(["a", "last", "z"]);
    expect(requested()).toEqual(["watch-list", `watch ${last}`, `${next} ${last}`]);
    expect(errors).toHaveLength(1);
  });

  it("[RF11] that ends with 500 is only opened again while the grace lasts", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock, internalErrorGraceMs: 60_000 });
    const { transport, reflector, requested } = made;
    transport.fault(plainWatches, faults.injectAfter(0, errorEvent("InternalError")));
    const last = await lab.endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await clock.advance(1600);
    await expect.poll(() => requested()).toHaveLength(3);
    expect(requested()[2]).toBe(`watch ${last}`);
  });

  it.each([
    ["refused", faults.refuseConnection(), "watch"],
    ["refused with 429", faults.refuse("TooManyRequests"), "watch"],
    ["refused with 500", faults.refuse("InternalError"), "watch-list"],
    ["refused with 403", faults.refuse("Forbidden"), "watch-list"],
    ["refused with 410", faults.refuse("Expired"), "watch-list"],
  ])("[RF12] whose opening is %s goes on as it must, from the last version", async (_, fault, next) => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock });
    const { namespace, transport, sink, reflector, requested } = made;
    transport.fault(plainWatches, fault);
    const last = await lab.endWatch(made);
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    await lab.create(namespace, "z");
    await clock.advance(1600);
    await expect.poll(() => sink.names).toEqual(["a", "last", "z"]);
    expect(requested()).toEqual(["watch-list", `watch ${last}`, `${next} ${last}`]);
  });

  it.each([
    ["a Table", { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "1" } }],
    ["another kind", { kind: "Secret", apiVersion: "v1", metadata: { name: "x", resourceVersion: "1" } }],
    [
      "another version",
      { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "x", resourceVersion: "1" } },
    ],
  ])("[RF14] skips %s with a warning", async (_, object) => {
    const made = await lab.synced(ConfigMap, ["a"]);
    const { namespace, transport, sink, reflector, warnings } = made;
    transport.fault(plainWatches, faults.injectAfter(0, JSON.stringify({ type: "ADDED", object })));
    const last = await lab.endWatch(made);
    await expect
      .poll(() => warnings)
      .toEqual([
        `watch configmaps in ${namespace}: skipped an event about ${object.kind} of ${object.apiVersion}, ` +
          `which is not the watched kind`,
      ]);
    const { resourceVersion = "" } = reflector.freshness;
    expect(compareResourceVersions(resourceVersion, last)).toBeGreaterThanOrEqual(0);
    await lab.create(namespace, "z");
    await expect.poll(() => sink.history).toEqual(["REPLACE a", "ADDED last", "ADDED z"]);
  });

  it("[RF15] calls no hook after it was stopped, and reports no error", async () => {
    const { namespace, sink, transport, errors, stop } = await lab.synced(ConfigMap, ["a"]);
    await lab.create(namespace, "b");
    await stop();
    const history = [...sink.history];
    await lab.create(namespace, "c");
    await admin.get(ConfigMap, { namespace, name: "c" });
    expect(sink.history).toEqual(history);
    expect(transport.openStreams).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("[RF17] on a dead connection heals within 200 s, without a list and without a lost event", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a", "b"], { clock });
    const { namespace, transport, sink, requested, errors } = made;
    expect(transport.blackholeStreams()).toBe(1);
    const known = knownVersion(made);
    await lab.create(namespace, "c");
    await admin.update(ConfigMap, { metadata: { namespace, name: "b" }, data: { changed: "yes" } });
    await lab.remove(namespace, "a");
    await clock.advance(179_999);
    expect(requested()).toEqual(["watch-list"]);
    await clock.advance(1);
    await expect.poll(() => sink.history).toEqual(["REPLACE a b", "ADDED c", "MODIFIED b", "DELETED a"]);
    expect(requested()).toEqual(["watch-list", `watch ${known}`]);
    expect(errors.map(({ name }) => name)).toEqual(["SilentWatchError"]);
    expect(transport.openStreams).toHaveLength(1);
  });

  it("[RF17] without bookmarks is left alone until 30 s after its end", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock, random: { next: () => 0 } });
    const { namespace, transport, sink, requested } = made;
    const ended = await lab.endWatch(made);
    await lab.create(namespace, "y");
    await expect.poll(() => sink.names).toContain("y");
    transport.blackholeStreams();
    const known = knownVersion(made);
    await lab.create(namespace, "z");
    await clock.advance(329_999);
    expect(requested()).toHaveLength(2);
    await clock.advance(1);
    await expect.poll(() => sink.history.slice(-2)).toEqual(["ADDED y", "ADDED z"]);
    expect(requested()).toEqual(["watch-list", `watch ${ended}`, `watch ${known}`]);
  });

  it.each(["watch-list", "watch"])(
    "[RF20] that garbles a line is left and opened again: a %s",
    async (verb) => {
      const clock = new VirtualClock();
      const made = await lab.world(ConfigMap, ["a", "b"], { clock });
      const { namespace, transport, sink, reflector, requested, errors, start } = made;
      transport.fault(verb === "watch" ? plainWatches : watchLists, faults.garbleAfter(0));
      await start();
      let last = "";
      if (verb === "watch") {
        await expect.poll(() => sink.history).toHaveLength(1);
        last = await lab.endWatch(made);
        await expect.poll(() => transport.openStreams).toHaveLength(1);
        await lab.create(namespace, "z");
      }
      await expect.poll(() => reflector.freshness.phase).toBe("waiting");
      expect(errors.map(({ name }) => name)).toEqual(["MalformedResponseError"]);
      await clock.advance(1600);
      const expected = verb === "watch" ? ["a", "b", "last", "z"] : ["a", "b"];
      await expect.poll(() => sink.names).toEqual(expected);
      const opened =
        verb === "watch" ? ["watch-list", `watch ${last}`, `watch ${last}`] : ["watch-list", "watch-list"];
      expect(requested()).toEqual(opened);
    },
  );

  it("passes everything to the sink again after it has thrown", async () => {
    const clock = new VirtualClock();
    const made = await lab.synced(ConfigMap, ["a"], { clock });
    const { namespace, sink, reflector, errors } = made;
    sink.mistake = new Error("full");
    await lab.create(namespace, "b");
    await expect.poll(() => reflector.freshness.phase).toBe("waiting");
    expect(errors).toEqual([sink.mistake]);
    sink.mistake = undefined;
    await clock.advance(1600);
    await expect.poll(() => sink.history).toEqual(["REPLACE a", "REPLACE a b"]);
  });
});

describe("an API server that restarts", () => {
  it("[RF12] is found again, and nothing is listed or lost", async () => {
    const { namespace, sink, requested, errors } = await lab.synced(ConfigMap, ["a", "b"]);
    await controlPlane.restart("kube-apiserver");
    await lab.create(namespace, "c");
    await lab.remove(namespace, "a");
    // A reflector that met a dead server may be up to a minute into its back-off [RF13].
    await expect.poll(() => sink.names, { timeout: 70_000 }).toEqual(["b", "c"]);
    const [first, ...later] = requested();
    expect(first).toBe("watch-list");
    // From the last version each, which a bookmark may have made a later one. A server that was restarted has forgotten
    // it if anything was written after it, a lease for example, and then all objects are requested.
    expect(later).toEqual(later.map(() => expect.stringMatching(/^watch(-list)? \d+$/)));
    const isForgotten = later.some((line) => line.startsWith("watch-list"));
    if (!isForgotten) expect(sink.history).toEqual(["REPLACE a b", "ADDED c", "DELETED a"]);
    expect(errors.length).toBeGreaterThan(0);
  }, 150_000);
});
