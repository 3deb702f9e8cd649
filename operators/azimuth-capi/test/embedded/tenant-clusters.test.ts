import {
  type FaultyTransport,
  faults,
  faultyTransport,
  RecordingLogger,
  type RunningOperator,
  startWorld,
  VirtualClock,
  type VirtualWorld,
} from "@keelson/testkit";
import { NotFoundError } from "keelson";
import type { ClusterAccess } from "keelson/client";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { seededRandom } from "keelson/low-level";
import type { Runnable } from "keelson/manager";
import { MetricsRegistry } from "keelson/telemetry";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TenantClusters } from "../../src/tenant/tenant-clusters.ts";
import { applyCrds } from "../../testing/crds.ts";
import {
  createReservation,
  kubeconfigText,
  namesOf,
  Reservations,
  setStatus,
  type TenantMonitor,
  tenantMonitor,
  zenithApiVersion,
} from "../support/tenant-monitor.ts";

const demo = { namespace: "shop", name: "demo" };
const other = { namespace: "bank", name: "demo" };
const always = { times: Number.POSITIVE_INFINITY };

/** A connection to a tenant cluster that was opened. */
interface Opened {
  readonly server: string;
  readonly access: ClusterAccess;
  readonly transport: FaultyTransport;
  /** When each request was sent, on the clock of the monitor. */
  readonly sentMs: readonly number[];
  isClosed: boolean;
}

let world: VirtualWorld;
/** The clock of the connections alone: what is left on it was left by them. */
let clock: VirtualClock;
let log: RecordingLogger;
let opened: Opened[];
/** Injects faults into connections as they are opened. */
let prepare: (transport: FaultyTransport, server: string) => void;
let monitor: TenantMonitor;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld({ clock: new VirtualClock() });
});
afterAll(async () => {
  await world?.stop();
});

beforeEach(async () => {
  clock = new VirtualClock();
  log = new RecordingLogger();
  opened = [];
  prepare = () => undefined;
  await applyCrds(world.client, "zenith");
  await startMonitor();
});
afterEach(async () => {
  await stopMonitor();
  await world.client.deleteAllOf(Reservations, { namespace: "default" }).catch(ignoreNotFound);
});

async function startMonitor(): Promise<void> {
  monitor = tenantMonitor({
    clock,
    random: seededRandom(1),
    log,
    openTransport: (access) => {
      const sentMs: number[] = [];
      const faulty = faultyTransport(world.sandbox.transport());
      const entry: Opened = {
        server: access.server,
        access,
        transport: faulty,
        sentMs,
        isClosed: false,
      };
      opened.push(entry);
      prepare(faulty, access.server);
      return {
        send: (request) => {
          sentMs.push(clock.monotonicNow());
          return faulty.send(request);
        },
        close: async () => {
          entry.isClosed = true;
          await faulty.close();
        },
      };
    },
  });
  operator = await world.runOperator(monitor.operator);
}

/** Nothing may be left of any connection. */
async function stopMonitor(): Promise<void> {
  await operator.stop();
  expect(clock.pendingTimers).toEqual([]);
  expect(opened.filter(({ isClosed }) => !isClosed)).toEqual([]);
  expect(opened.flatMap(({ transport }) => transport.openStreams)).toEqual([]);
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}

const stateOf = (key = demo): string | undefined => monitor.tenants.state(key)?.state;

/** The newest connection to a server. */
function connection(server: string): Opened {
  const found = opened.findLast((each) => each.server === server);
  if (found === undefined) throw new Error(`no connection to ${server} was opened`);
  return found;
}

const a = "https://a.example";
const b = "https://b.example";

describe("the Reservations of a tenant cluster", () => {
  it("C.9: are not known before it was reached, and then are those that exist, in all namespaces", async () => {
    await createReservation(world.client, { name: "web" });
    await createReservation(world.client, { namespace: "kube-system", name: "api" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    expect(monitor.tenants.reservations(demo)).toBeUndefined();
    expect(monitor.tenants.state(demo)).toEqual({ state: "connecting", sinceMs: clock.now() });
    await clock.advance(1_000);
    expect(namesOf(monitor.tenants, demo)).toBe("api, web");
    expect(monitor.tenants.state(demo)).toEqual({ state: "synced", sinceMs: clock.now() - 1_000 });
    await operator.idle();
    expect(monitor.reconciled).toEqual(["shop/demo: api, web"]);
    expect(log.lines).toEqual([
      {
        level: "info",
        message: "the tenant cluster is watched",
        fields: { Cluster: demo, reservations: 2 },
      },
    ]);
    await world.client.delete(Reservations, { namespace: "kube-system", name: "api" });
  });

  it("C.9: are followed: one more, another status, one less", async () => {
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    await createReservation(world.client, { name: "web" });
    await clock.settle();
    await operator.idle();
    expect(monitor.reconciled.at(-1)).toBe("shop/demo: web");
    await setStatus(world.client, { namespace: "default", name: "web" }, { phase: "Failed" });
    await clock.settle();
    expect(monitor.tenants.reservations(demo)?.[0]?.status).toEqual({
      phase: "Failed",
      subdomain: "web",
      fqdn: "web.example",
    });
    const reconciles = monitor.reconciled.length;
    await world.client.delete(Reservations, { namespace: "default", name: "web" });
    await clock.settle();
    await operator.idle();
    expect(monitor.reconciled.slice(reconciles)).toEqual(["shop/demo: "]);
  });

  it("wake no reconcile if only what is not used of them has changed", async () => {
    await createReservation(world.client, { name: "web" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    await operator.idle();
    monitor.reconciled.length = 0;
    const key = { namespace: "default", name: "web" };
    await setStatus(world.client, key, { fingerprint: "SHA256:x" });
    await clock.settle();
    await operator.idle();
    expect(monitor.reconciled).toEqual([]);
    connection(a).transport.cutStreams();
    world.sandbox.faults.compact();
    await clock.advance(60_000);
    await operator.idle();
    expect({ state: stateOf(), reconciled: monitor.reconciled }).toEqual({ state: "synced", reconciled: [] });
  });

  it("are none while the API of Zenith is not served, and are found when it is installed late", async () => {
    await uninstallZenith();
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    expect({ state: stateOf(), names: namesOf(monitor.tenants, demo) }).toEqual({
      state: "synced",
      names: "",
    });
    await clock.advance(120_000);
    await applyCrds(world.client, "zenith");
    await createReservation(world.client, { name: "web" });
    await clock.advance(11_000);
    await operator.idle();
    expect(monitor.reconciled).toEqual(["shop/demo: ", "shop/demo: web"]);
    expect(log.messages("warn")).toEqual([]);
  });

  it("are none when the API of Zenith was removed", async () => {
    await createReservation(world.client, { name: "web" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    await uninstallZenith();
    await clock.advance(60_000);
    expect({ state: stateOf(), names: namesOf(monitor.tenants, demo) }).toEqual({
      state: "synced",
      names: "",
    });
  });

  it("are read again after 410, and what changed meanwhile is seen", async () => {
    await createReservation(world.client, { name: "lost" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    connection(a).transport.blackholeStreams();
    await createReservation(world.client, { name: "web" });
    await world.client.delete(Reservations, { namespace: "default", name: "lost" });
    world.sandbox.faults.compact();
    connection(a).transport.cutStreams();
    await clock.advance(60_000);
    expect({ state: stateOf(), names: namesOf(monitor.tenants, demo) }).toEqual({
      state: "synced",
      names: "web",
    });
    expect(opened).toHaveLength(1);
  });

  it("are listed where the API server does not know watch-lists, and never seem to be none meanwhile", async () => {
    await createReservation(world.client, { name: "web" });
    prepare = (transport) =>
      transport.fault({ query: { sendInitialEvents: "true" } }, faults.refuse("NotFound"), always);
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    expect({ state: stateOf(), warnings: log.messages("warn") }).toEqual({ state: "synced", warnings: [] });
    world.sandbox.faults.compact();
    connection(a).transport.cutStreams();
    await clock.advance(60_000);
    await operator.idle();
    expect({ state: stateOf(), reconciled: monitor.reconciled }).toEqual({
      state: "synced",
      reconciled: ["shop/demo: web"],
    });
  });

  it("are not taken if they are very many, and those that were known stay", async () => {
    await createReservation(world.client, { name: "web" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    monitor.tenants.observe(other, kubeconfigText(b));
    await clock.advance(1_000);
    const names = Array.from({ length: 1_000 }, (_, index) => `web-${index}`);
    const spec = { credentialSecretName: "credential" };
    for (const name of names)
      await world.client.create(Reservations, { metadata: { namespace: "default", name }, spec });
    await clock.advance(60_000);
    expect(monitor.tenants.state(demo)).toMatchObject({
      state: "failed",
      problem: "watch reservations: there are more than 1000; are they created in a loop?",
    });
    expect(monitor.tenants.reservations(demo)).toHaveLength(1_000);
    monitor.tenants.observe(demo, undefined);
    // Not even all of them are received.
    prepare = (transport) => transport.fault({}, faults.blackholeAfter(1_001));
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1);
    expect([stateOf(), monitor.tenants.reservations(demo)]).toEqual(["failed", undefined]);
    await clock.advance(60_000);
    expect([stateOf(), monitor.tenants.reservations(demo)]).toEqual(["failed", undefined]);
    prepare = (transport) =>
      transport.fault({ query: { sendInitialEvents: "true" } }, faults.refuse("BadRequest"), always);
    const listed = { namespace: "shop", name: "listed" };
    monitor.tenants.observe(listed, kubeconfigText(a));
    await clock.advance(1_000);
    expect([stateOf(listed), monitor.tenants.reservations(listed)]).toEqual(["failed", undefined]);
    await world.client.delete(Reservations, { namespace: "default", name: "web-1" });
    await clock.advance(61_000);
    expect([stateOf(), monitor.tenants.reservations(demo)?.length]).toEqual(["synced", 1_000]);
    await clock.advance(61_000);
    expect([stateOf(other), monitor.tenants.reservations(other)?.length]).toEqual(["synced", 1_000]);
  });

  async function uninstallZenith(): Promise<void> {
    const { items } = await world.client.list(CustomResourceDefinition);
    for (const { metadata, spec } of items)
      if (spec.group === "zenith.stackhpc.com") await world.client.delete(CustomResourceDefinition, metadata);
    await world.clock.advance(10_000);
  }
});

describe("a tenant cluster that fails", () => {
  it.each([
    [
      "is not reached",
      faults.refuseConnection(),
      "connect ECONNREFUSED (injected); is the API server reachable?",
    ],
    ["resets connections", faults.reset(), "read ECONNRESET (injected); is the API server reachable?"],
    ["does not know the user", faults.refuse("Unauthorized"), "the API server responded with 401"],
    ["refuses the user", faults.refuse("Forbidden"), "the API server responded with 403"],
    ["is broken", faults.refuse("InternalError"), "the API server responded with 500"],
    ["is no API server", faults.respond({ status: 200, body: "<html>" }), "is there something between us"],
    ["never responds", faults.neverRespond(), "no response within 15 s"],
  ])(
    "because it %s is tried again, less and less often, by one request at a time",
    async (_, fault, problem) => {
      prepare = (transport) => transport.fault({}, fault, always);
      monitor.tenants.observe(demo, kubeconfigText(a));
      const mostHeld = { requests: 0 };
      for (let second = 0; second < 600; second++) {
        await clock.advance(1_000);
        const { heldRequests, openStreams } = connection(a).transport;
        mostHeld.requests = Math.max(mostHeld.requests, heldRequests.length + openStreams.length);
      }
      expect(mostHeld.requests).toBeLessThanOrEqual(1);
      expect(monitor.tenants.state(demo)).toMatchObject({
        state: "failed",
        problem: expect.stringContaining(problem),
      });
      expect(monitor.tenants.reservations(demo)).toBeUndefined();
      const waits = waitsOf(connection(a).sentMs);
      expect(waits.slice(0, 4)).toEqual(waits.slice(0, 4).toSorted((one, next) => one - next));
      expect(waits[0]).toBeLessThan(17_000);
      expect(waits.length).toBeGreaterThan(8);
      expect(waits.length).toBeLessThan(70);
      expect(Math.max(...waits)).toBeLessThanOrEqual(76_000);
      expect(log.messages("warn")).toEqual(["the tenant cluster cannot be watched"]);
      await operator.idle();
      expect(monitor.reconciled).toEqual([]);
      connection(a).transport.removeFaults();
      await clock.advance(120_000);
      expect(stateOf()).toBe("synced");
      expect(log.messages("info")).toEqual(["the tenant cluster is watched"]);
    },
  );

  it("keeps what was known of it, shows since when it fails, and goes on from there", async () => {
    await createReservation(world.client, { name: "web" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    const outage = connection(a).transport.fault({}, faults.refuseConnection(), always);
    connection(a).transport.cutStreams();
    await clock.settle();
    const downSinceMs = clock.now();
    await clock.advance(300_000);
    expect(monitor.tenants.state(demo)).toMatchObject({ state: "failed", sinceMs: downSinceMs });
    expect(namesOf(monitor.tenants, demo)).toBe("web");
    await createReservation(world.client, { name: "late" });
    outage.remove();
    await clock.advance(61_000);
    expect(monitor.tenants.state(demo)).toMatchObject({ state: "synced" });
    expect(namesOf(monitor.tenants, demo)).toBe("late, web");
    expect(log.lines.map(({ message }) => message)).toEqual([
      "the tenant cluster is watched",
      "the tenant cluster cannot be watched",
      "the tenant cluster is watched",
    ]);
  });

  it("for another reason than before shows that one, and still since when it fails", async () => {
    prepare = (transport) => transport.fault({}, faults.refuseConnection(), always);
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    const { sinceMs } = monitor.tenants.state(demo) ?? {};
    connection(a).transport.removeFaults();
    connection(a).transport.fault({}, faults.refuse("Forbidden"), always);
    await clock.advance(60_000);
    expect(monitor.tenants.state(demo)).toEqual({
      state: "failed",
      sinceMs,
      problem: expect.stringContaining("403"),
    });
    expect(log.lines.map(({ fields }) => fields.problem)).toEqual([
      expect.stringContaining("ECONNREFUSED"),
      expect.stringContaining("403"),
    ]);
  });

  it("does not keep others from being watched", async () => {
    prepare = (transport, server) => {
      if (server === a) transport.fault({}, faults.neverRespond(), always);
    };
    const hanging = Array.from({ length: 50 }, (_, index) => ({ namespace: "hang", name: `t${index}` }));
    for (const key of hanging) monitor.tenants.observe(key, kubeconfigText(a));
    monitor.tenants.observe(other, kubeconfigText(b));
    await clock.advance(10_000);
    expect(stateOf(other)).toBe("synced");
    await createReservation(world.client, { name: "web" });
    await clock.settle();
    expect(namesOf(monitor.tenants, other)).toBe("web");
    await clock.advance(60_000);
    expect(new Set(hanging.map(stateOf))).toEqual(new Set(["failed"]));
    connection(b).transport.cutStreams();
    await clock.advance(10_000);
    expect(stateOf(other)).toBe("synced");
    expect(await operator.metrics()).toContain(
      [
        'azimuth_kube_tenant_clusters{state="connecting"} 0',
        'azimuth_kube_tenant_clusters{state="synced"} 1',
        'azimuth_kube_tenant_clusters{state="failed"} 50',
      ].join("\n"),
    );
  });
});

/** The times between attempts; requests without a pause between them are one attempt. */
function waitsOf(sentMs: readonly number[]): readonly number[] {
  return sentMs.map((ms, index) => ms - (sentMs[index - 1] ?? ms)).filter((ms) => ms > 0);
}

describe("a kubeconfig", () => {
  it("that is the same as before changes nothing", async () => {
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    expect(opened).toHaveLength(1);
    expect(connection(a).isClosed).toBe(false);
  });

  it("that is another one replaces the connection, and what was known stays until the new one has synced", async () => {
    await createReservation(world.client, { name: "web" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    const before = connection(a);
    prepare = (transport) => transport.fault({}, faults.hold());
    monitor.tenants.observe(demo, kubeconfigText(a, { token: "neu" }));
    await clock.settle();
    const now = connection(a);
    expect(now).not.toBe(before);
    expect(await now.access.headers()).toEqual({ authorization: "Bearer neu" });
    expect({ isClosed: before.isClosed, openStreams: before.transport.openStreams }).toEqual({
      isClosed: true,
      openStreams: [],
    });
    await world.client.delete(Reservations, { namespace: "default", name: "web" });
    await createReservation(world.client, { name: "api" });
    await clock.settle();
    expect({ state: stateOf(), names: namesOf(monitor.tenants, demo) }).toEqual({
      state: "connecting",
      names: "web",
    });
    now.transport.releaseAll();
    await clock.advance(1_000);
    expect({ state: stateOf(), names: namesOf(monitor.tenants, demo) }).toEqual({
      state: "synced",
      names: "api",
    });
  });

  it("that changes several times at once leaves one connection, by the last one", async () => {
    for (const token of ["one", "two", "three"]) monitor.tenants.observe(demo, kubeconfigText(a, { token }));
    await clock.advance(1_000);
    const living = opened.filter(({ isClosed }) => !isClosed);
    expect(await Promise.all(living.map(({ access }) => access.headers()))).toEqual([
      { authorization: "Bearer three" },
    ]);
  });

  it("that names a program is refused without an attempt, until it is another one", async () => {
    const user = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "touch" } };
    monitor.tenants.observe(demo, kubeconfigText(a, user));
    await clock.advance(600_000);
    expect(monitor.tenants.state(demo)).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("a user admin with exec"),
    });
    expect(opened).toEqual([]);
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    expect(stateOf()).toBe("synced");
  });

  it("is in no log and no state", async () => {
    prepare = (transport) => transport.fault({}, faults.refuse("Unauthorized"), always);
    monitor.tenants.observe(demo, kubeconfigText(a));
    monitor.tenants.observe(other, `${kubeconfigText(b)}]`);
    await clock.advance(60_000);
    await expect.poll(() => stateOf(other)).toBe("failed");
    const shown = [log.lines, monitor.tenants.state(demo), monitor.tenants.state(other)];
    expect(stateOf()).toBe("failed");
    expect(JSON.stringify(shown)).not.toContain("geheim");
  });
});

describe("a tenant cluster that is forgotten", () => {
  it("has no connection, no Reservations and no state any more", async () => {
    await createReservation(world.client, { name: "web" });
    monitor.tenants.observe(demo, kubeconfigText(a));
    monitor.tenants.observe(other, kubeconfigText(b));
    await clock.advance(1_000);
    const timers = clock.pendingTimers.length;
    monitor.tenants.observe(demo, undefined);
    await clock.settle();
    expect(connection(a).isClosed).toBe(true);
    expect(connection(b).isClosed).toBe(false);
    expect(clock.pendingTimers).toHaveLength(timers / 2);
    expect([monitor.tenants.reservations(demo), monitor.tenants.state(demo)]).toEqual([undefined, undefined]);
    monitor.tenants.observe(demo, undefined);
    expect(namesOf(monitor.tenants, other)).toBe("web");
  });

  it("while it hangs leaves nothing either", async () => {
    prepare = (transport) => transport.fault({}, faults.neverRespond(), always);
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    expect(connection(a).transport.openStreams).toHaveLength(1);
    monitor.tenants.observe(demo, undefined);
    await clock.settle();
    expect(connection(a).transport.openStreams).toEqual([]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("may come again", async () => {
    monitor.tenants.observe(demo, kubeconfigText(a));
    monitor.tenants.observe(demo, undefined);
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    expect(stateOf()).toBe("synced");
    expect(opened.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
  });
});

describe("a manager", () => {
  it("that has stopped leaves no connection, and opens none any more", async () => {
    monitor.tenants.observe(demo, kubeconfigText(a));
    await clock.advance(1_000);
    await stopMonitor();
    const connections = opened.length;
    monitor.tenants.observe(other, kubeconfigText(b));
    monitor.tenants.observe(demo, kubeconfigText(b));
    await clock.advance(1_000);
    expect(opened).toHaveLength(connections);
  });

  it("that does not lead yet opens no connection", async () => {
    const transport = faultyTransport(world.sandbox.transport());
    const tenants = new TenantClusters({
      ...{ zenithApiVersion, clock, log, random: seededRandom(1), metrics: new MetricsRegistry() },
      openTransport: () => transport,
    });
    const runnable: Runnable = tenants;
    expect(runnable.needsLeadership).not.toBe(false);
    tenants.observe(demo, kubeconfigText(a));
    await clock.advance(60_000);
    expect(transport.requests).toEqual([]);
    expect(tenants.state(demo)?.state).toBe("connecting");
    const stop = new AbortController();
    const running = tenants.run(stop.signal);
    await clock.advance(1_000);
    expect(tenants.state(demo)?.state).toBe("synced");
    stop.abort();
    await running;
    expect(transport.openStreams).toEqual([]);
  });
});
