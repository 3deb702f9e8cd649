import { createClient } from "@keelson/client";
import { ifServed, type KubeObject, type Resource, seededRandom, type Transport } from "@keelson/core";
import { type FaultyTransport, faults, faultyTransport, VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { OptionalReflector } from "./optional-reflector.ts";

/** A transport without a server: only faults respond. */
const nowhere: Transport = {
  send: () => Promise.reject(new Error("there is no server")),
  close: () => Promise.resolve(),
};

const Gadget: Resource<KubeObject> = ifServed({
  group: "example.com",
  version: "v1",
  kind: "Gadget",
  plural: "gadgets",
  scope: "Namespaced",
});

const discovery = { path: /^\/apis\/example\.com\/v1$/ };
const collection = { path: /gadgets$/ };
const always = { times: Number.POSITIVE_INFINITY };

const described = (...names: readonly string[]) => ({
  kind: "respond" as const,
  response: {
    status: 200,
    body: JSON.stringify({
      kind: "APIResourceList",
      resources: names.map((name) => ({ name, kind: "Gadget", namespaced: true, verbs: ["list"] })),
    }),
  },
});

interface Lab {
  readonly transport: FaultyTransport;
  readonly clock: VirtualClock;
  readonly reflector: OptionalReflector<KubeObject>;
  /** What the sink and the hooks were called with. */
  readonly calls: string[];
  start(): void;
  stop(): Promise<void>;
}

function lab(): Lab {
  const clock = new VirtualClock();
  const transport = faultyTransport(nowhere);
  const calls: string[] = [];
  const reflector = new OptionalReflector({
    client: createClient({ transport, clock }),
    resource: Gadget,
    clock,
    random: seededRandom(1),
    checkEveryMs: 30_000,
    sink: {
      replace: (snapshots) => void calls.push(`replace ${snapshots.size}`),
      apply: () => undefined,
      bookmark: () => undefined,
    },
    onError: (error) => void calls.push(error.constructor.name),
    onServed: (isServed) => void calls.push(isServed ? "served" : "not served"),
  });
  const signals = new AbortController();
  let run = Promise.resolve();
  const stop = async (): Promise<void> => {
    signals.abort();
    await run;
  };
  onTestFinished(stop);
  return {
    transport,
    clock,
    reflector,
    calls,
    start: () => {
      run = reflector.run(signals.signal);
    },
    stop,
  };
}

const pathsOf = ({ transport }: Lab): readonly string[] => transport.requests.map(({ path }) => path);

describe("a reflector of an optional kind", () => {
  it.each([
    ["the group and version are unknown", faults.refuse("NotFound")],
    ["the group and version have other kinds alone", described("widgets", "gadgets/status")],
  ])("[RF25] checks discovery twice a minute and nothing else, while %s", async (_, fault) => {
    const made = lab();
    made.transport.fault(discovery, fault, always);
    made.start();
    await made.clock.advance(1);
    expect(made.calls).toEqual(["replace 0", "not served"]);
    expect(made.reflector.freshness.phase).toBe("notServed");
    await made.clock.advance(3_600_000);
    expect(new Set(pathsOf(made))).toEqual(new Set(["/apis/example.com/v1"]));
    expect(pathsOf(made).length).toBeGreaterThan(110);
    expect(pathsOf(made).length).toBeLessThan(134);
    expect(new Set(made.calls)).toEqual(new Set(["replace 0", "not served"]));
    expect(made.calls.filter((call) => call === "not served")).toHaveLength(1);
  });

  it("[RF25] watches when the kind is served, and reports errors as any reflector", async () => {
    const made = lab();
    made.transport.fault(discovery, faults.refuse("NotFound"));
    made.transport.fault(discovery, described("gadgets"), always);
    made.transport.fault(collection, faults.refuse("Forbidden"), always);
    made.start();
    await made.clock.advance(34_000);
    expect(made.calls.slice(0, 4)).toEqual(["replace 0", "not served", "served", "ForbiddenError"]);
    expect(made.reflector.freshness.lists).toBeGreaterThan(0);
  });

  it("[RF25] reports a watch that is not found while discovery has the kind, and goes on", async () => {
    const made = lab();
    made.transport.fault(discovery, described("gadgets"), always);
    made.transport.fault(collection, faults.refuse("NotFound"), always);
    made.start();
    await made.clock.advance(500);
    expect(made.calls).toContain("NotFoundError");
    expect(made.calls).not.toContain("not served");
  });

  it("[RF25] relies on the watch if discovery fails, and keeps the counts of watches that have ended", async () => {
    const made = lab();
    made.transport.fault(discovery, faults.refuse("Forbidden"), always);
    made.transport.fault(collection, faults.refuse("NotFound"), always);
    made.start();
    await made.clock.advance(100_000);
    expect(new Set(made.calls)).toEqual(new Set(["replace 0", "not served"]));
    const { watches, lists } = made.reflector.freshness;
    expect(watches.other + watches.abandoned).toBeGreaterThanOrEqual(3);
    expect(lists + watches.other).toBe(pathsOf(made).filter((path) => path.endsWith("gadgets")).length);
  });

  it("[RF15] [RF25] calls nothing after its end, and leaves no request", async () => {
    const made = lab();
    made.transport.fault(discovery, { kind: "neverRespond" }, always);
    made.start();
    await made.clock.advance(1);
    await made.stop();
    expect(made.calls).toEqual([]);
    expect(made.transport.openStreams).toEqual([]);
  });
});
