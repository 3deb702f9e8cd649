import { createClient, mergePatch, NotFoundError } from "@keelson/client";
import type { TransportRequest } from "@keelson/core";
import { Lease } from "@keelson/core/kinds/coordination/v1";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { type FaultyTransport, faults, faultyTransport, VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { LeaseStore } from "../../test/support/leader/lease-store.ts";
import { electionRules } from "./election-rules.ts";
import { LeaseNotRenewedError, NotLeaderError } from "./errors.ts";
import { LeaseTerm, leaseHealthCheck } from "./lease-term.ts";
import { guardTransport, guardWrites } from "./write-guard.ts";

const rules = electionRules({ lease: { namespace: "shop", name: "lock" }, identity: "me" });
const key = { namespace: "shop", name: "web" };
const object = { metadata: key };

function setUp() {
  const clock = new VirtualClock();
  const term = new LeaseTerm({ rules, clock });
  const transport: FaultyTransport = faultyTransport(new LeaseStore());
  const client = guardWrites(createClient({ transport, clock }), term);
  return { clock, term, transport, client };
}

type Guarded = ReturnType<typeof setUp>["client"];
const status = (client: Guarded) => client.status(ConfigMap);

const writes: readonly [string, (client: Guarded) => Promise<unknown>][] = [
  ["create configmaps shop", (client) => client.create(ConfigMap, object)],
  ["update configmaps shop/web", (client) => client.update(ConfigMap, object)],
  ["patch configmaps shop/web", (client) => client.patch(ConfigMap, key, mergePatch({}))],
  ["patch configmaps shop/web", (client) => client.apply(ConfigMap, object, { fieldOwner: "me" })],
  ["delete configmaps shop/web", (client) => client.delete(ConfigMap, key)],
  ["deletecollection configmaps shop", (client) => client.deleteAllOf(ConfigMap, { namespace: "shop" })],
  ["update configmaps/status shop/web", (client) => status(client).update(object)],
  ["patch configmaps/status shop/web", (client) => status(client).apply(object, { fieldOwner: "me" })],
  [
    "create configmaps/token shop/web",
    (client) => client.subresource(ConfigMap, "token", ConfigMap).create(key, object),
  ],
];

describe("a write guard", () => {
  it.each(writes)(
    "[LE12] refuses `%s` of a replica that does not lead, and sends nothing",
    async (name, write) => {
      const { client, transport } = setUp();
      const error = await write(client).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NotLeaderError);
      expect(String(error)).toContain(
        `${name}: lease shop/lock is not held by this replica; nothing was sent`,
      );
      expect(transport.requests).toEqual([]);
    },
  );

  it("[LE12] lets writes pass until the last renewal is older than the renew deadline, and no longer", async () => {
    const { clock, client, term } = setUp();
    term.renew(clock.monotonicNow());
    await clock.advance(10_000);
    await expect(client.create(Lease, object)).resolves.toMatchObject(object);
    await clock.advance(1);
    await expect(client.create(Lease, object)).rejects.toMatchObject({
      code: "NOT_LEADER",
      renewedAgoMs: 10_001,
    });
    term.renew(clock.monotonicNow());
    await expect(client.create(Lease, object)).resolves.toMatchObject(object);
  });

  it("[LE12] measures from the request that renewed, not from its response", async () => {
    const { clock, client, term } = setUp();
    await clock.advance(9_000);
    term.renew(0);
    await clock.advance(1_001);
    await expect(client.create(Lease, object)).rejects.toBeInstanceOf(NotLeaderError);
  });

  it("[LE12] ignores changes of the wall clock", async () => {
    const { clock, client, term } = setUp();
    term.renew(clock.monotonicNow());
    clock.setWallTime(clock.now() + 3_600_000);
    await expect(client.create(Lease, object)).resolves.toMatchObject(object);
    await clock.advance(10_001);
    clock.setWallTime(0);
    await expect(client.create(Lease, object)).rejects.toBeInstanceOf(NotLeaderError);
  });

  it("[LE12] refuses at once when leadership is lost or released, however new the last renewal is", async () => {
    for (const end of ["lose", "end"] as const) {
      const { clock, client, term } = setUp();
      term.renew(clock.monotonicNow());
      term[end]();
      await expect(client.create(Lease, object)).rejects.toBeInstanceOf(NotLeaderError);
    }
  });

  it("[LE12] lets reads pass always", async () => {
    const { client } = setUp();
    await expect(client.get(Lease, key)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.raw("/version")).rejects.toBeInstanceOf(NotFoundError);
  });

  it.each([
    ["its last renewal is too old", (_: LeaseTerm, clock: VirtualClock) => clock.advance(10_001)],
    ["leadership is lost", async (term: LeaseTerm) => term.lose()],
    ["the lease is given up", async (term: LeaseTerm) => term.end()],
  ])("[LE12] aborts a write that waits as soon as %s", async (_, endTerm) => {
    const { clock, client, term, transport } = setUp();
    term.renew(clock.monotonicNow());
    transport.fault({ method: "POST" }, faults.neverRespond());
    const created = client.create(Lease, object).catch((thrown: unknown) => thrown);
    await clock.settle();
    await endTerm(term, clock);
    const error = await created;
    expect(error).toBeInstanceOf(NotLeaderError);
    expect(error).toMatchObject({ mayHaveBeenSent: true });
    expect(String(error)).toMatch(
      /^.*create leases\.coordination\.k8s\.io shop: .*; it may have been sent before$/,
    );
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[LE12] lets a write wait for as long as the lease is renewed, and the caller abort it", async () => {
    const { clock, client, term, transport } = setUp();
    term.renew(clock.monotonicNow());
    transport.fault({ method: "POST" }, faults.hold(), { times: 2 });
    const created = client.create(Lease, object);
    await clock.advance(9_000);
    term.renew(clock.monotonicNow());
    await clock.advance(9_000);
    transport.releaseAll();
    await expect(created).resolves.toMatchObject(object);
    const giveUp = new AbortController();
    const second = client.create(Lease, object, { signal: giveUp.signal });
    await clock.settle();
    giveUp.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    expect(clock.pendingTimers).toEqual([]);
  });

  it("[LE12] of a transport checks again right before the request is sent", async () => {
    const { clock, term } = setUp();
    term.renew(clock.monotonicNow());
    const sent: TransportRequest[] = [];
    const store = new LeaseStore();
    const spying = {
      send: (request: TransportRequest) => {
        sent.push(request);
        return store.send(request);
      },
      close: () => store.close(),
    };
    const client = createClient({ transport: guardTransport(spying, term), clock });
    await client.create(Lease, object);
    await client.get(Lease, key);
    const [write, read] = sent;
    expect(() => write?.checkBeforeSend?.()).not.toThrow();
    await clock.advance(10_001);
    expect(() => write?.checkBeforeSend?.()).toThrow(NotLeaderError);
    expect(read?.checkBeforeSend).toBeUndefined();
  });

  it("[LE12] of a transport also refuses what the client retries after a delay", async () => {
    const clock = new VirtualClock();
    const term = new LeaseTerm({ rules, clock });
    const transport = faultyTransport(new LeaseStore());
    const client = createClient({ transport: guardTransport(transport, term), clock });
    term.renew(clock.monotonicNow());
    transport.fault({ method: "POST" }, faults.refuse("TooManyRequests", { retryAfterSeconds: 11 }));
    const created = client.create(Lease, object).catch((thrown: unknown) => thrown);
    const error = await clock.runUntil(created);
    expect(error).toBeInstanceOf(NotLeaderError);
    expect(transport.requests).toHaveLength(1);
    await expect(client.get(Lease, key)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("a lease term", () => {
  it("[LE12] is known at once to another term with the same memory", async () => {
    const clock = new VirtualClock();
    const term = new LeaseTerm({ rules, clock });
    const other = new LeaseTerm({ rules, clock, memory: term.memory });
    expect(term.isCertain).toBe(false);
    await clock.advance(1_000);
    other.renew(999.5);
    expect(term).toMatchObject({ isCertain: true, renewedAgoMs: 0.5 });
    other.lose();
    expect(term).toMatchObject({ isCertain: false, renewedAgoMs: 0.5 });
  });
});

describe("a lease health check", () => {
  it("[LE10] fails when a leader renewed longer ago than lease and tolerance, and not before", async () => {
    const clock = new VirtualClock();
    const term = new LeaseTerm({ rules, clock });
    const check = leaseHealthCheck(term, { toleranceMs: 5_000 });
    expect(check).not.toThrow();
    term.renew(0);
    await clock.advance(20_000);
    expect(check).not.toThrow();
    await clock.advance(1);
    expect(check).toThrow(LeaseNotRenewedError);
    expect(leaseHealthCheck(term)).not.toThrow();
    term.lose();
    expect(check).toThrow(/^check lease shop\/lock: this replica leads, but renewed it last 20\.0 s ago/);
    term.end();
    expect(check).not.toThrow();
  });

  it("[LE10] tolerates 20 s by default, and passes in a replica that does not lead", () => {
    const lease = { namespace: "shop", name: "lock" };
    const checkAt = (renewedAgoMs: number | undefined) =>
      leaseHealthCheck({ lease, leaseDurationMs: 15_000, renewedAgoMs, isCertain: false });
    expect(checkAt(35_000)).not.toThrow();
    expect(checkAt(35_001)).toThrow(LeaseNotRenewedError);
    expect(checkAt(undefined)).not.toThrow();
  });
});
