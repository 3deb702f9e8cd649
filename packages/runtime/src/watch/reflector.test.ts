import { type Client, createClient } from "@keelson/client";
import { seededRandom, type Transport } from "@keelson/core";
import { Pod } from "@keelson/core/kinds/core/v1";
import { type FaultyTransport, faults, faultyTransport, VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { ReflectorReusedError } from "./errors.ts";
import { EventLag, Reflector } from "./reflector.ts";
import { noWatches, type WatchSink } from "./reflector-options.ts";

/** A transport without a server: only faults respond. */
const nowhere: Transport = {
  send: () => Promise.reject(new Error("there is no server")),
  close: () => Promise.resolve(),
};

const deaf: WatchSink<never> = {
  replace: () => undefined,
  apply: () => undefined,
  bookmark: () => undefined,
};

function setUp(): { clock: VirtualClock; transport: FaultyTransport; client: Client } {
  const clock = new VirtualClock();
  const transport = faultyTransport(nowhere);
  return { clock, transport, client: createClient({ transport, clock }) };
}

describe("a reflector without a server", () => {
  it("[RF13] sends at most 0.07 requests a second once the back-off is at its longest", async () => {
    const { clock, transport, client } = setUp();
    transport.fault({}, faults.refuseConnection(), { times: Number.POSITIVE_INFINITY });
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const stop = new AbortController();
    const reflector = new Reflector({
      client,
      resource: Pod,
      sink: deaf,
      clock,
      random: seededRandom(1),
      onError,
    });
    const run = reflector.run(stop.signal);
    await clock.advance(120_000);
    const before = transport.requests.length;
    await clock.advance(3_600_000);
    const requests = transport.requests.slice(before);
    expect(requests.length).toBeLessThanOrEqual(0.07 * 3600);
    expect(requests.length).toBeGreaterThanOrEqual(60);
    expect(new Set(requests.map(({ query }) => query.sendInitialEvents))).toEqual(new Set(["true"]));
    expect(errors).toHaveLength(transport.requests.length);
    stop.abort();
    await run;
  });

  it("[RF13] [RF3] [MX5] requests both a stream and a list in each attempt if it is refused, counts both, and still not too often", async () => {
    const { clock, transport, client } = setUp();
    transport.fault({}, faults.refuse("Unauthorized"), { times: Number.POSITIVE_INFINITY });
    const stop = new AbortController();
    const reflector = new Reflector({ client, resource: Pod, sink: deaf, clock, random: seededRandom(1) });
    const run = reflector.run(stop.signal);
    await clock.advance(120_000);
    const before = transport.requests.length;
    await clock.advance(3_600_000);
    const requests = transport.requests.slice(before);
    expect(requests.length).toBeLessThanOrEqual(0.07 * 3600);
    expect(requests.filter(({ isStream }) => !isStream).length).toBeGreaterThanOrEqual(60);
    stop.abort();
    await run;
    const streams = transport.requests.filter(({ isStream }) => isStream).length;
    const { lists, watches } = reflector.freshness;
    expect(lists).toBe(transport.requests.length - streams);
    expect(watches).toEqual({ ...noWatches(), other: streams });
  });

  it("[IN25] passes each object of a sync to the sink when it arrives, and all of them at the end", async () => {
    const { clock, transport, client } = setUp();
    const line = (type: string, metadata: object): string =>
      `${JSON.stringify({ type, object: { apiVersion: "v1", kind: "Pod", metadata } })}\n`;
    const annotations = { "k8s.io/initial-events-end": "true" };
    const lines = [
      line("ADDED", { name: "a", resourceVersion: "1" }),
      line("ADDED", { name: "b", resourceVersion: "2" }),
      line("DELETED", { name: "a", resourceVersion: "3" }),
      line("BOOKMARK", { resourceVersion: "3", annotations }),
    ];
    transport.fault({}, faults.respond({ status: 200, body: lines.join("") }));
    const calls: string[] = [];
    const sink: WatchSink<Pod> = {
      ...deaf,
      arrived: ({ name }) => calls.push(`arrived ${name}`),
      replace: (snapshots) => calls.push(`replace ${[...snapshots.keys()].join(" ")}`),
    };
    const stop = new AbortController();
    const run = new Reflector({ client, resource: Pod, sink, clock }).run(stop.signal);
    await clock.settle();
    expect(calls).toEqual(["arrived a", "arrived b", "replace /b"]);
    stop.abort();
    await run;
  });

  it("[RF15] stops while it waits, leaves no timer, and reports no error for the stop", async () => {
    const { clock, transport, client } = setUp();
    transport.fault({}, faults.refuseConnection());
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const stop = new AbortController();
    const reflector = new Reflector({ client, resource: Pod, sink: deaf, clock, onError });
    const run = reflector.run(stop.signal);
    await clock.settle();
    expect(reflector.freshness.phase).toBe("waiting");
    expect(clock.pendingTimers).toHaveLength(1);
    stop.abort();
    expect(await run).toBeUndefined();
    expect(clock.pendingTimers).toEqual([]);
    expect(errors).toHaveLength(1);
    expect(reflector.freshness).toEqual({
      phase: "stopped",
      resourceVersion: undefined,
      lastEventAtMs: undefined,
      lastBookmarkAtMs: undefined,
      bytesReceived: 0,
      lastEventLagMs: undefined,
      lists: 0,
      watches: { ...noWatches(), unreachable: 1 },
    });
  });

  it("[RF15] stops while a request is open, and ends it", async () => {
    const { clock, transport, client } = setUp();
    transport.fault({}, faults.neverRespond());
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    const stop = new AbortController();
    const run = new Reflector({ client, resource: Pod, sink: deaf, clock, onError }).run(stop.signal);
    await clock.settle();
    expect(transport.openStreams).toHaveLength(1);
    stop.abort();
    await run;
    expect(transport.openStreams).toEqual([]);
    expect(clock.pendingTimers).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("[RF15] sends no request if it was stopped before it began", async () => {
    const { clock, transport, client } = setUp();
    const errors: Error[] = [];
    const onError = (error: Error) => errors.push(error);
    await new Reflector({ client, resource: Pod, sink: deaf, clock, onError }).run(AbortSignal.abort());
    await clock.settle();
    expect(transport.requests).toEqual([]);
    expect(errors).toEqual([]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[RF16] goes on whatever the hook for errors does", async () => {
    const { clock, transport, client } = setUp();
    transport.fault({}, faults.refuseConnection(), { times: Number.POSITIVE_INFINITY });
    const stop = new AbortController();
    const onError = (error: Error) => {
      throw error;
    };
    const run = new Reflector({ client, resource: Pod, sink: deaf, clock, onError }).run(stop.signal);
    await clock.advance(60_000);
    expect(transport.requests.length).toBeGreaterThan(3);
    stop.abort();
    await run;
  });

  it("runs once", async () => {
    const { clock, client } = setUp();
    const reflector = new Reflector({
      client,
      resource: Pod,
      selection: { namespace: "shop" },
      sink: deaf,
      clock,
    });
    await reflector.run(AbortSignal.abort());
    await expect(reflector.run(AbortSignal.abort())).rejects.toThrow(ReflectorReusedError);
    await expect(reflector.run(AbortSignal.abort())).rejects.toThrow(
      "watch pods in shop: this reflector has been run",
    );
  });
});

const clockAt = (time: string): VirtualClock => new VirtualClock({ startAt: Date.parse(time) });

const line = (type: string, metadata: object): Buffer =>
  Buffer.from(JSON.stringify({ type, object: { kind: "ConfigMap", metadata } }));

const written = (...times: string[]) => ({ managedFields: times.map((time) => ({ time })) });

describe("the lag of events", () => {
  it("[MX5] is the time since the newest write that the object records", () => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    expect(lag.lagMs).toBeUndefined();
    lag.observe(line("MODIFIED", written("2026-01-01T00:00:07Z", "2025-01-01T00:00:00Z")));
    expect(lag.lagMs).toBe(3_000);
  });

  it("[MX5] of a new object without fields is the time since its creation; of an old one it is unknown", () => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    lag.observe(line("ADDED", { creationTimestamp: "2026-01-01T00:00:09Z" }));
    expect(lag.lagMs).toBe(1_000);
    const another = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    another.observe(line("MODIFIED", { creationTimestamp: "2025-01-01T00:00:00Z" }));
    expect(another.lagMs).toBeUndefined();
  });

  it("[MX5] is 0 if the server's clock is ahead", () => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    lag.observe(line("ADDED", written("2026-01-01T00:00:12Z")));
    expect(lag.lagMs).toBe(0);
  });

  it("[MX5] is measured once a second", async () => {
    const clock = clockAt("2026-01-01T00:00:10Z");
    const lag = new EventLag(clock);
    lag.observe(line("ADDED", written("2026-01-01T00:00:10Z")));
    await clock.advance(999);
    lag.observe(line("ADDED", written("2026-01-01T00:00:00Z")));
    expect(lag.lagMs).toBe(0);
    await clock.advance(1);
    lag.observe(line("ADDED", written("2026-01-01T00:00:00Z")));
    expect(lag.lagMs).toBe(11_000);
  });

  it.each([
    ["a deletion", line("DELETED", written("2026-01-01T00:00:00Z"))],
    [
      "the beginning of one",
      line("MODIFIED", { deletionTimestamp: "x", ...written("2026-01-01T00:00:00Z") }),
    ],
    ["an object that records no write", line("ADDED", {})],
    ["an object whose times are none", line("ADDED", written("yesterday"))],
    [
      "an event that is large",
      line("ADDED", { ...written("2026-01-01T00:00:00Z"), name: "x".repeat(70_000) }),
    ],
  ])("[MX5] is not known from %s", (_, event) => {
    const lag = new EventLag(clockAt("2026-01-01T00:00:10Z"));
    lag.observe(event);
    expect(lag.lagMs).toBeUndefined();
  });
});
