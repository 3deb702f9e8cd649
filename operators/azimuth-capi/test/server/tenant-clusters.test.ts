import {
  type Cluster,
  type FaultyTransport,
  faultyTransport,
  type RecordedRequest,
  type RunningOperator,
  runOperator,
  startCluster,
} from "@keelson/testkit";
import { type Client, formatKey, type ObjectKey, systemClock } from "keelson";
import {
  accessFromKubeconfig,
  createClient,
  httpTransport,
  type Kubeconfig,
  type Transport,
} from "keelson/client";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { TenantState } from "../../src/tenant/tenant.ts";
import { applyCrds } from "../../testing/crds.ts";
import { redirected, startSilentServer } from "../support/silent-server.ts";
import {
  createReservation,
  namesOf,
  Reservations,
  setStatus,
  type TenantMonitor,
  tenantMonitor,
} from "../support/tenant-monitor.ts";

let management: Cluster;
/** The API server of the tenants of all tests. */
let tenant: Cluster;
let admin: Client;
let adminTransport: Transport | undefined;
let monitor: TenantMonitor;
let operator: RunningOperator;
/** All connections to tenant clusters that were opened. */
let connections: FaultyTransport[];
let socketsBefore: number;

const demo = { namespace: "shop", name: "demo" };
const other = { namespace: "bank", name: "demo" };
const eventually = expect.poll.bind(expect);
const patience = { timeout: 40_000, interval: 20 };

beforeAll(async () => {
  const level = process.env.KEELSON_LEVEL;
  [management, tenant] = await Promise.all([startCluster(level), startCluster(level)]);
  await connectAdmin();
}, 120_000);
afterAll(async () => {
  await adminTransport?.close();
  await management?.stop();
  await tenant?.stop();
});

beforeEach(async () => {
  await applyCrds(admin, "zenith");
  await connectAdmin();
  socketsBefore = openSockets();
  connections = [];
  monitor = tenantMonitor({
    openTransport: (access) => {
      const transport = faultyTransport(httpTransport(access));
      connections.push(transport);
      return transport;
    },
  });
  operator = await runOperator(monitor.operator, { access: management });
});
afterEach(async () => {
  await operator.stop();
  await connectAdmin();
  await eventually(openSockets, patience).toBeLessThanOrEqual(socketsBefore);
  await admin.deleteAllOf(Reservations, { namespace: "default" });
});

/** Connects anew: no connection of the test itself is open until the next request. */
async function connectAdmin(): Promise<void> {
  await adminTransport?.close();
  adminTransport = httpTransport(accessFromKubeconfig(tenant.kubeconfig, { clock: systemClock, env: {} }));
  admin = createClient({ transport: adminTransport });
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length;
}

/** As Cluster API writes it. */
const textOf = ({ kubeconfig }: { readonly kubeconfig: Kubeconfig }): string => stringify(kubeconfig);

/** How often all Reservations were requested. */
function syncs(): number {
  const isSync = ({ query }: RecordedRequest): boolean =>
    query.sendInitialEvents === "true" || query.watch === undefined;
  return connections.flatMap(({ requests }) => requests).filter(isSync).length;
}

const names = (key: ObjectKey = demo) => namesOf(monitor.tenants, key);
const stateOf = (key: ObjectKey = demo): TenantState["state"] | undefined =>
  monitor.tenants.state(key)?.state;

async function synced(key: ObjectKey = demo): Promise<void> {
  await eventually(() => stateOf(key), patience).toBe("synced");
}

const reservationRules = [
  { apiGroups: ["zenith.stackhpc.com"], resources: ["reservations"], verbs: ["list", "watch"] },
];

describe("a tenant cluster", () => {
  it("C.9: is watched from what exists, through what is added, changed and deleted", async () => {
    await createReservation(admin, { name: "web" });
    monitor.tenants.observe(demo, textOf(tenant));
    await eventually(() => names(), patience).toBe("web");
    await createReservation(admin, { name: "api" });
    await eventually(() => monitor.reconciled.at(-1), patience).toBe("shop/demo: api, web");
    await setStatus(admin, { namespace: "default", name: "web" }, { phase: "Failed", fqdn: null });
    const statuses = () => monitor.tenants.reservations(demo)?.map(({ status }) => status);
    await eventually(statuses, patience).toContainEqual({ phase: "Failed", subdomain: "web" });
    await admin.delete(Reservations, { namespace: "default", name: "web" });
    await eventually(() => monitor.reconciled.at(-1), patience).toBe("shop/demo: api");
    expect(monitor.tenants.reservations(demo)?.[0]).toEqual({
      apiVersion: "projected.keelson.dev/service",
      kind: "Reservation",
      metadata: expect.objectContaining({
        ...{ namespace: "default", name: "api", labels: {} },
        annotations: { "meta.helm.sh/release-name": "web" },
      }),
      status: { phase: "Ready", subdomain: "api", fqdn: "api.example" },
    });
  });

  it("has no Reservations until the API of Zenith is installed, and is watched from then on", async () => {
    await uninstallZenith();
    monitor.tenants.observe(demo, textOf(tenant));
    await synced();
    expect(names()).toBe("");
    await applyCrds(admin, "zenith");
    await createReservation(admin, { name: "late" });
    await eventually(() => names(), patience).toBe("late");
    expect(operator.problems).toEqual([]);
  });

  it("that goes down keeps its Reservations, and is watched again when it is up", async () => {
    await createReservation(admin, { name: "web" });
    monitor.tenants.observe(demo, textOf(tenant));
    await synced();
    await tenant.kill("kube-apiserver");
    await eventually(() => stateOf(), patience).toBe("failed");
    expect(names()).toBe("web");
    await tenant.restart("kube-apiserver");
    await connectAdmin();
    await createReservation(admin, { name: "api" });
    await eventually(() => names(), patience).toBe("api, web");
    await synced();
  });

  it("is read again if its API server does not know the version of the watch any more", async () => {
    await createReservation(admin, { name: "web" });
    monitor.tenants.observe(demo, textOf(tenant));
    await synced();
    expect(syncs()).toBe(1);
    for (const connection of connections) connection.blackholeStreams();
    await createReservation(admin, { name: "api" });
    await admin.delete(Reservations, { namespace: "default", name: "web" });
    // It begins with the newest version, and responds with 410 to a watch from an earlier one.
    await tenant.restart("kube-apiserver");
    await connectAdmin();
    for (const connection of connections) connection.cutStreams();
    await eventually(() => names(), patience).toBe("api");
    expect(syncs()).toBeGreaterThan(1);
  });

  it("that hangs disturbs no other, and is forgotten without a trace", async () => {
    const silent = await startSilentServer();
    monitor.tenants.observe(other, textOf({ kubeconfig: redirected(tenant.kubeconfig, silent.url) }));
    monitor.tenants.observe(demo, textOf(tenant));
    await synced();
    await createReservation(admin, { name: "web" });
    await eventually(() => names(), { timeout: 5_000, interval: 20 }).toBe("web");
    await eventually(() => monitor.tenants.state(other), patience).toMatchObject({
      state: "failed",
      problem: expect.stringMatching(/no connection to 127\.0\.0\.1:\d+ within 10 s/),
    });
    expect(monitor.tenants.reservations(other)).toBeUndefined();
    await eventually(() => silent.connections, patience).toBe(1);
    monitor.tenants.observe(other, undefined);
    await eventually(() => silent.connections, patience).toBe(0);
    expect(stateOf()).toBe("synced");
  });

  it("whose certificate is signed by another authority is not trusted", async () => {
    const { kubeconfig } = management;
    monitor.tenants.observe(demo, textOf({ kubeconfig: redirected(kubeconfig, tenant.url) }));
    await eventually(() => monitor.tenants.state(demo), patience).toMatchObject({
      state: "failed",
      problem: expect.stringMatching(/certificate|self-signed/),
    });
  });

  it("that is forgotten is not watched any more", async () => {
    await createReservation(admin, { name: "web" });
    for (const key of [demo, other]) monitor.tenants.observe(key, textOf(tenant));
    await synced(demo);
    await synced(other);
    monitor.tenants.observe(demo, undefined);
    expect([names(demo), stateOf(demo)]).toEqual(["unknown", undefined]);
    const before = monitor.reconciled.length;
    await createReservation(admin, { name: "api" });
    await eventually(() => names(other), patience).toBe("api, web");
    await operator.idle();
    const woken = monitor.reconciled.slice(before).filter((line) => line.startsWith(formatKey(demo)));
    expect(woken).toEqual([]);
  });

  async function uninstallZenith(): Promise<void> {
    const { items } = await admin.list(CustomResourceDefinition);
    for (const { metadata } of items.filter(({ spec }) => spec.group === "zenith.stackhpc.com"))
      await admin.delete(CustomResourceDefinition, metadata);
    const left = async (): Promise<number> =>
      (await admin.list(CustomResourceDefinition)).items.filter(
        ({ spec }) => spec.group === "zenith.stackhpc.com",
      ).length;
    await eventually(left, patience).toBe(0);
  }
});

describe("the credentials of a tenant cluster", () => {
  it("may be those of a user who may do nothing but watch Reservations", async () => {
    await createReservation(admin, { name: "web" });
    const user = await tenant.createUser({ user: "watcher", rules: reservationRules });
    monitor.tenants.observe(demo, textOf(user));
    await eventually(() => names(), patience).toBe("web");
  });

  it("are followed when they rotate, and the old ones are revoked", async () => {
    await createReservation(admin, { name: "web" });
    const first = await tenant.createUser({ user: "first", rules: reservationRules });
    monitor.tenants.observe(demo, textOf(first));
    await synced();
    await tenant.kubectl(["delete", "clusterrolebinding", `keelson-user:${base64url("first")}`]);
    // A watch that is open outlives the permission for it.
    await tenant.restart("kube-apiserver");
    await connectAdmin();
    await eventually(() => monitor.tenants.state(demo), patience).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("403"),
    });
    expect(names()).toBe("web");
    const second = await tenant.createUser({ user: "second", rules: reservationRules });
    await createReservation(admin, { name: "api" });
    monitor.tenants.observe(demo, textOf(second));
    await eventually(() => names(), patience).toBe("api, web");
    expect(stateOf()).toBe("synced");
  });

  const base64url = (text: string): string => Buffer.from(text).toString("base64url");
});
