import { type RunningOperator, type RunningSandbox, runOperator, startSandbox } from "@keelson/testkit";
import type { ObjectKey } from "keelson";
import type { Kubeconfig } from "keelson/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { applyCrds } from "../../testing/crds.ts";
import { redirected, startSilentServer } from "../support/silent-server.ts";
import {
  createReservation,
  namesOf,
  setStatus,
  type TenantMonitor,
  tenantMonitor,
} from "../support/tenant-monitor.ts";

/** The API servers behind the tenant clusters that live. */
let servers: RunningSandbox[];
let management: RunningSandbox;
let monitor: TenantMonitor;
let operator: RunningOperator;

beforeAll(async () => {
  [management, ...servers] = await Promise.all([start(), start(), start(), start()]);
  for (const { client } of servers) {
    await applyCrds(client, "zenith");
    for (const name of ["api", "web"]) await createReservation(client, { name });
  }
  monitor = tenantMonitor();
  operator = await runOperator(monitor.operator, { access: management });
}, 120_000);
afterAll(async () => {
  await operator?.stop();
  await Promise.all([management, ...(servers ?? [])].map((server) => server?.stop()));
});

const start = (): Promise<RunningSandbox> => startSandbox({ controllers: false });

const living = keys("living", 140);
const dead = keys("dead", 10);
const hanging = keys("hanging", 50);

function keys(namespace: string, count: number): readonly ObjectKey[] {
  return Array.from({ length: count }, (_, index) => ({ namespace, name: `t${index}` }));
}

const stateOf = (key: ObjectKey): string | undefined => monitor.tenants.state(key)?.state;
const countIn = (state: string, among: readonly ObjectKey[]): number =>
  among.filter((key) => stateOf(key) === state).length;
const patience = { timeout: 60_000, interval: 20 };

function resources(type: string): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === type).length;
}

it("watches 200 tenant clusters in one process, of which some are down and some hang", {
  timeout: 180_000,
}, async () => {
  const silent = await startSilentServer();
  const before = { rss: process.memoryUsage().rss, timers: resources("Timeout") };
  const observe = (key: ObjectKey, kubeconfig: Kubeconfig): void =>
    monitor.tenants.observe(key, JSON.stringify(kubeconfig));
  const { kubeconfig } = management;
  // Those that hang come first, and none of the others waits for them.
  for (const key of hanging) observe(key, redirected(kubeconfig, silent.url));
  for (const key of dead) observe(key, redirected(kubeconfig, "https://127.0.0.1:1"));
  for (const [index, key] of living.entries()) {
    const server = servers[index % servers.length];
    if (server !== undefined) observe(key, server.kubeconfig);
  }
  await expect.poll(() => countIn("synced", living), patience).toBe(living.length);
  expect(countIn("synced", hanging)).toBe(0);
  await expect.poll(() => countIn("failed", [...dead, ...hanging]), patience).toBe(60);
  expect(new Set(living.map((key) => namesOf(monitor.tenants, key)))).toEqual(new Set(["api, web"]));

  // Each living one has one connection, of which both ends are in this process; each other one has at most one.
  expect(resources("TCPSocketWrap")).toBeLessThan(2 * (living.length + hanging.length) + 30);
  expect(resources("Timeout") - before.timers).toBeLessThan(6 * 200);
  expect(process.memoryUsage().rss - before.rss).toBeLessThan(300 * 2 ** 20);

  await changeIsSeenBy(living.filter((_, index) => index % servers.length === 0));
  await operator.stop();
  await expect.poll(() => silent.connections, patience).toBe(0);
  for (const { sandbox } of servers) expect(sandbox.faults.cutWatches()).toBe(0);
});

/** Within a second by the first of them, and by all of them soon after. */
async function changeIsSeenBy(tenants: readonly ObjectKey[]): Promise<void> {
  const [server] = servers;
  const [first] = tenants;
  if (server === undefined || first === undefined) throw new Error("there is no tenant cluster");
  const isSeen = (key: ObjectKey): boolean =>
    monitor.tenants.reservations(key)?.some(({ status }) => status?.fqdn === "new.example") ?? false;
  await setStatus(server.client, { namespace: "default", name: "web" }, { fqdn: "new.example" });
  await expect.poll(() => isSeen(first), { timeout: 1_000, interval: 5 }).toBe(true);
  await expect.poll(() => tenants.filter(isSeen).length, patience).toBe(tenants.length);
}
