import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type CanisterFault,
  type CanisterServerOptions,
  startCanisterServer,
} from "../../../test/support/canister/canister-server.ts";
import { PolicyError, type PolicyRequest } from "../policy.ts";
import { type CanisterPolicyOptions, canisterPolicy } from "./canister-policy.ts";

const ed25519 = generateKeyPairSync("ed25519").privateKey;
const secp256k1 = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey;

function pemOf(key: KeyObject): string {
  return String(key.export({ format: "pem", type: "pkcs8" }));
}

const db = { namespace: "shop", name: "db" };
const web = { namespace: "shop", kind: "Deployment", name: "web" };
const never = new AbortController().signal;

/** A canister with an approved secret and consumer, and a policy; both on one clock that stands still. */
async function start(
  options: CanisterServerOptions = {},
  policyOptions: Partial<CanisterPolicyOptions> = {},
) {
  const clock = new VirtualClock();
  const server = await startCanisterServer({ clock, ...options });
  onTestFinished(() => server.stop());
  const { url: host, canisterId, rootKey, canister, faults, requests } = server;
  canister.shareSecret("shop/db", 60);
  canister.allowConsumer("shop/Deployment/web", "shop/db", "ReadOnly");
  const log = new RecordingLogger();
  const policy = canisterPolicy({
    ...{ host, canisterId, rootKey, identity: pemOf(ed25519), pollMs: 30_000, fetch, clock, log },
    ...policyOptions,
  });
  return {
    ...{ clock, server, canister, faults, requests, log, policy },
    read: (signal = never) => policy.read(db, signal),
    request: (request: PolicyRequest, signal = never) => policy.request(db, request, signal),
    calls: () =>
      requests.filter(({ endpoint }) => endpoint === "call").map(({ method, args }) => [method, args]),
    /** Nothing that the policy started is left. */
    isIdle: async () => {
      expect(clock.pendingTimers).toEqual([]);
      await expect.poll(() => server.connections).toBe(0);
    },
    /** Lets the wait before the next poll end, and no time-out. */
    pollOnce: async () => {
      await expect.poll(() => clock.pendingTimers.some(({ inMs }) => inMs <= 1_000)).toBe(true);
      await clock.advance(1_000);
    },
  };
}

const approved = {
  approval: { rotateSeconds: 60 },
  pendingRotateSeconds: undefined,
  consumers: [{ consumer: web, permission: "ReadOnly", state: "Approved" }],
};

async function reasonOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PolicyError)) throw new Error("there was no PolicyError", { cause: error });
  return error.reason;
}

const share = (rotateSeconds: number): PolicyRequest => ({ type: "Share", rotateSeconds, isUpdate: true });
const access = (name: string, permission: "ReadOnly" | "ReadWrite" = "ReadOnly"): PolicyRequest => ({
  type: "Access",
  consumer: { ...web, name },
  permission,
});

describe("reading", () => {
  it("returns what the canister certifies", async () => {
    const { read, isIdle, requests } = await start();
    expect(await read()).toEqual(approved);
    expect(requests).toMatchObject([{ endpoint: "query", method: "get_certified_status" }]);
    await isIdle();
  });

  it("knows nothing about a secret that the canister does not know", async () => {
    const { policy } = await start();
    const none = { approval: undefined, pendingRotateSeconds: undefined, consumers: [] };
    expect(await policy.read({ namespace: "shop", name: "other" }, never)).toEqual(none);
  });

  it.each([
    ["Responsible", 0],
    ["Responsible", 29 * 24 * 3600],
  ] as const)("believes a subnet that is %s, by a delegation of %d s ago", async (subnet, age) => {
    const { read } = await start({ subnet, delegationAgeSeconds: age });
    expect(await read()).toEqual(approved);
  });

  const untrusted: readonly (readonly [string, string, CanisterFault])[] = [
    ["a certificate of another key", "PolicyUnverified", { type: "WrongSignature" }],
    ["a certificate about another canister", "PolicyUnverified", { type: "OtherCanister" }],
    ["no certificate", "PolicyUnverified", { type: "NoCertificate" }],
    ["a certificate 6 s old", "PolicyStale", { type: "Age", seconds: 6 }],
    ["a certificate 6 s in the future", "PolicyStale", { type: "Age", seconds: -6 }],
    [
      "another permission than the certified one",
      "PolicyUnverified",
      {
        type: "TamperedLists",
        tamper: (lists) => ({
          ...lists,
          consumers: lists.consumers.map((each) => ({ ...each, permission_type: 1 })),
        }),
      },
    ],
    [
      "one consumer less than certified",
      "PolicyUnverified",
      { type: "TamperedLists", tamper: (lists) => ({ ...lists, consumers: [] }) },
    ],
  ];
  it.each(untrusted)("does not believe %s", async (_, reason, fault) => {
    const { read, faults, isIdle } = await start();
    faults.set("query", fault);
    expect(await reasonOf(read())).toBe(reason);
    await isIdle();
    faults.clear();
    expect(await read()).toEqual(approved);
  });

  it.each([5, -5])("believes a certificate %d s old", async (seconds) => {
    const { read, faults } = await start();
    faults.set("query", { type: "Age", seconds });
    expect(await read()).toEqual(approved);
  });

  it("does not believe a subnet that is not responsible for the canister", async () => {
    const { read } = await start({ subnet: "Foreign" });
    expect(await reasonOf(read())).toBe("PolicyUnverified");
  });

  it("does not believe a subnet whose delegation is 31 days old", async () => {
    const { read } = await start({ subnet: "Responsible", delegationAgeSeconds: 31 * 24 * 3600 });
    expect(await reasonOf(read())).toBe("PolicyStale");
  });

  it("does not take the root key from the host", async () => {
    const { read, requests } = await start({}, { rootKey: undefined });
    expect(await reasonOf(read())).toBe("PolicyUnverified");
    expect(requests.map(({ endpoint }) => endpoint)).toEqual(["query"]);
  });

  const useless: readonly (readonly [string, string, CanisterFault])[] = [
    ["half a response", "PolicyUnreachable", { type: "CutBody" }],
    ["status 500", "PolicyUnreachable", { type: "Status", status: 500 }],
    ["status 429", "PolicyUnreachable", { type: "Status", status: 429 }],
    ["status 404", "PolicyRefused", { type: "Status", status: 404, text: "no such canister" }],
    ["a redirect", "PolicyUnreachable", { type: "Status", status: 307 }],
    ["a rejection", "PolicyRefused", { type: "Rejected", message: "the canister is stopped" }],
    ["bytes that are no CBOR", "PolicyRefused", { type: "Body", body: Buffer.from("hello") }],
    ["other CBOR", "PolicyRefused", { type: "Body", body: Uint8Array.from([0x18, 0x2a]) }],
    ["no bytes", "PolicyRefused", { type: "Body", body: new Uint8Array() }],
    ["too many bytes", "PolicyRefused", { type: "Body", body: new Uint8Array(8 * 1024 * 1024 + 1) }],
    ["a reply that is no Candid", "PolicyRefused", { type: "Reply", arg: Buffer.from("hello") }],
    // A record with a field of 4,294,967,295 nulls.
    [
      "a reply that would take hours to decode",
      "PolicyRefused",
      { type: "Reply", arg: Buffer.from("4449444c026d7f6c0100000101ffffffff0f", "hex") },
    ],
  ];
  it.each(useless)("reports %s", async (_, reason, fault) => {
    const { read, faults, isIdle } = await start();
    faults.set("query", fault);
    expect(await reasonOf(read())).toBe(reason);
    await isIdle();
    faults.clear();
    expect(await read()).toEqual(approved);
  });

  it("says what was done and what happened, in one line", async () => {
    const { read, faults, server } = await start();
    faults.set("query", { type: "Status", status: 503 });
    const subject = `call get_certified_status of canister ${server.canisterId}`;
    await expect(read()).rejects.toThrow(`${subject}: the host responded with 503`);
    faults.set("query", { type: "Rejected", message: "x".repeat(10_000) });
    await expect(read()).rejects.toThrow(/^.{100,400}…$/);
  });

  it("reads no more than 8 MiB", async () => {
    const { read, faults } = await start();
    faults.set("query", { type: "Body", body: new Uint8Array(8 * 1024 * 1024 + 1) });
    await expect(read()).rejects.toThrow("the response has more than 8388608 bytes");
  });

  it("reports a host that is down", async () => {
    const { read, server } = await start();
    await server.stop();
    await expect(read()).rejects.toThrow("ECONNREFUSED");
    expect(await reasonOf(read())).toBe("PolicyUnreachable");
  });

  it("waits 10 s for a response and no longer", async () => {
    const { clock, read, faults, requests, isIdle } = await start();
    faults.set("query", { type: "Hang" });
    const reason = reasonOf(read());
    await expect.poll(() => requests.length).toBe(1);
    await clock.advance(9_999);
    expect(clock.pendingTimers).toHaveLength(1);
    await clock.advance(1);
    expect(await reason).toBe("PolicyUnreachable");
    await isIdle();
  });

  it("ends when its signal aborts", async () => {
    const { read, faults, requests, isIdle } = await start();
    faults.set("query", { type: "Hang" });
    const stop = new AbortController();
    const reading = read(stop.signal);
    await expect.poll(() => requests.length).toBe(1);
    stop.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
    await isIdle();
  });

  it("gives up when the host keeps refusing the expiry of requests", async () => {
    const { read, faults, requests, isIdle } = await start();
    faults.set("query", { type: "Status", status: 400, text: "Invalid request expiry: too late" });
    expect(await reasonOf(read())).toBe("PolicyRefused");
    expect(requests.filter(({ endpoint }) => endpoint === "query").length).toBeLessThanOrEqual(2);
    faults.set("read_state", { type: "WrongSignature" });
    expect(await reasonOf(read())).toBe("PolicyUnverified");
    await isIdle();
  });
});

describe("sharing", () => {
  it("makes one request for all that read within 5 s", async () => {
    const { clock, policy, read, requests } = await start();
    const other = { namespace: "shop", name: "other" };
    await Promise.all([read(), read(), policy.read(other, never)]);
    await clock.advance(5_000);
    await read();
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    await read();
    expect(requests).toHaveLength(2);
  });

  it("does not use decisions for longer than the interval in which they are to be read", async () => {
    const { clock, read, requests } = await start({}, { pollMs: 1_000 });
    await read();
    await clock.advance(1_001);
    await read();
    expect(requests).toHaveLength(2);
  });

  it("does not go back to decisions that are older than those it has returned", async () => {
    const { canister, clock, read, faults, requests } = await start({}, { pollMs: 1_000 });
    await read();
    await clock.advance(1_001);
    // The host shows what the network certified a second before the first response.
    faults.set("query", { type: "Age", seconds: 2 });
    const reading = read();
    await expect.poll(() => clock.pendingTimers.some(({ inMs }) => inMs === 500)).toBe(true);
    faults.clear();
    canister.revokeConsumer("shop/Deployment/web", "shop/db");
    await clock.advance(500);
    expect(await reading).toMatchObject({ consumers: [] });
    expect(requests).toHaveLength(3);
  });

  it("lets one reader leave without the others", async () => {
    const { read } = await start();
    const stop = new AbortController();
    const leaving = read(stop.signal);
    const staying = read();
    stop.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
    expect(await staying).toEqual(approved);
  });

  it("reports each consumer that it does not understand once", async () => {
    const { canister, clock, log, read } = await start();
    canister.addConsumer("web", "shop/db", "ReadOnly");
    for (let round = 0; round < 3; round++) {
      expect(await read()).toEqual(approved);
      await clock.advance(6_000);
    }
    expect(log.lines).toMatchObject([{ level: "warn", fields: { consumer: "web" } }]);
  });
});

describe("requesting", () => {
  it("asks to share a secret, and sees it afterwards", async () => {
    const { policy, calls, isIdle } = await start();
    const other = { namespace: "shop", name: "other" };
    await policy.request(other, { type: "Share", rotateSeconds: 30, isUpdate: false }, never);
    expect(calls()).toEqual([["add_secret", ["shop/other", 30]]]);
    expect(await policy.read(other, never)).toMatchObject({ approval: undefined, pendingRotateSeconds: 30 });
    await isIdle();
  });

  it("asks for another rotation period", async () => {
    const { canister, read, request, calls, clock } = await start();
    await request(share(120));
    expect(calls()).toEqual([["update_secret", ["shop/db", 120]]]);
    expect(await read()).toMatchObject({ approval: { rotateSeconds: 60 }, pendingRotateSeconds: 120 });
    canister.approveSecret("shop/db");
    await clock.advance(6_000);
    expect(await read()).toMatchObject({ approval: { rotateSeconds: 120 }, pendingRotateSeconds: undefined });
  });

  it("asks for access and for another permission", async () => {
    const { canister, read, request, calls } = await start();
    await request(access("shop"));
    await request(access("web", "ReadWrite"));
    expect(calls()).toEqual([
      ["add_consumer", ["shop/Deployment/shop", "shop/db", 2]],
      ["update_consumer", ["shop/Deployment/web", "shop/db", 1]],
    ]);
    canister.approveConsumer("shop/Deployment/web", "shop/db");
    const { consumers } = await read();
    expect(consumers.map(({ permission, state }) => [permission, state])).toEqual([
      ["ReadOnly", "Pending"],
      ["ReadWrite", "Approved"],
    ]);
  });

  it("leaves requests as they are that the canister has", async () => {
    const { request, calls } = await start();
    for (let round = 0; round < 3; round++) {
      await request(share(120));
      await request(access("shop"));
      await request(access("web"));
    }
    expect(calls()).toHaveLength(2);
  });

  it("reports what the canister refuses, cut to a line", async () => {
    const { canister, request } = await start();
    canister.refusal = "not today";
    expect(await reasonOf(request(share(120)))).toBe("PolicyRefused");
    await expect(request(share(120))).rejects.toThrow("call update_secret of canister");
    await expect(request(share(120))).rejects.toThrow(": not today");
    canister.refusal = "x".repeat(10_000);
    await expect(request(share(120))).rejects.toThrow(/^.{100,400}…$/);
  });

  it("reads again after a request that was refused, as the canister may have changed", async () => {
    const { canister, request } = await start();
    await request(share(60));
    canister.revokeSecret("shop/db");
    await expect(request(share(120))).rejects.toThrow("secret not found");
    await request(share(120));
    expect(canister.lists.pending_secret_reqs).toMatchObject([{ kube_id: "shop/db", ttl: 120 }]);
  });

  it.each(["Accepted", "Old"] as const)("waits for the result of a call that is %s", async (calls) => {
    const { request, read, requests, pollOnce, isIdle } = await start({ calls, subnet: "Responsible" });
    const requested = request(share(120));
    await pollOnce();
    await pollOnce();
    await requested;
    expect(requests.filter(({ endpoint }) => endpoint === "read_state")).toHaveLength(2);
    expect(await read()).toMatchObject({ pendingRotateSeconds: 120 });
    await isIdle();
  });

  it("polls for no longer than 30 s", async () => {
    const { request, clock, faults, requests, pollOnce, isIdle } = await start({ calls: "Accepted" });
    faults.set("read_state", { type: "Hang" });
    const reason = reasonOf(request(share(120)));
    await pollOnce();
    await expect.poll(() => requests.at(-1)?.endpoint).toBe("read_state");
    await clock.advance(30_000);
    expect(await reason).toBe("PolicyUnreachable");
    await isIdle();
  });

  const failures: readonly (readonly [string, string, "Result" | "Accepted", CanisterFault])[] = [
    ["a result of another key", "PolicyUnverified", "Result", { type: "WrongSignature" }],
    ["a polled result of another key", "PolicyUnverified", "Accepted", { type: "WrongSignature" }],
    ["half a result", "PolicyUnreachable", "Result", { type: "CutBody" }],
    ["status 503", "PolicyUnreachable", "Result", { type: "Status", status: 503 }],
    ["a rejection", "PolicyRefused", "Result", { type: "Rejected", message: "the canister is frozen" }],
    ["bytes that are no CBOR", "PolicyRefused", "Result", { type: "Body", body: Buffer.from("hello") }],
  ];
  it.each(failures)("reports %s of a call", async (_, reason, calls, fault) => {
    const { request, faults, pollOnce, isIdle } = await start({ calls });
    faults.set(calls === "Result" ? "call" : "read_state", fault);
    const failed = reasonOf(request(share(120)));
    if (calls === "Accepted") await pollOnce();
    expect(await failed).toBe(reason);
    await isIdle();
  });

  it("believes a result whose certificate is old, as it is about this request", async () => {
    const { request, canister, faults } = await start();
    faults.set("call", { type: "Age", seconds: 60 });
    await request(share(120));
    expect(canister.lists.pending_secret_reqs).toHaveLength(1);
  });

  it("does not act on decisions that are older than its last request", async () => {
    const { request, read, faults, requests, clock } = await start();
    await request(share(120));
    // A node that is behind the others.
    faults.set("query", { type: "Age", seconds: 1 });
    const reading = read();
    await expect.poll(() => clock.pendingTimers.some(({ inMs }) => inMs === 500)).toBe(true);
    const before = requests.length;
    faults.clear();
    await clock.advance(500);
    expect(await reading).toMatchObject({ pendingRotateSeconds: 120 });
    expect(requests).toHaveLength(before + 1);
  });

  it("reports a call in which the canister traps", async () => {
    const { request, canister } = await start();
    canister.trap = "out of memory";
    expect(await reasonOf(request(share(120)))).toBe("PolicyRefused");
    await expect(request(share(120))).rejects.toThrow(": out of memory");
  });

  it.each([
    ["Ed25519", ed25519],
    ["secp256k1", secp256k1],
  ])("signs with a key of %s", async (_, key) => {
    const { request, requests } = await start({}, { identity: pemOf(key) });
    await request(share(120));
    const senders = new Set(requests.map(({ sender }) => sender));
    expect(senders.size).toBe(1);
    expect([...senders][0]).not.toBe("2vxsx-fae");
  });

  it("ends when its signal aborts, and no call is left", async () => {
    const { request, faults, requests, isIdle } = await start();
    faults.set("call", { type: "Hang" });
    const stop = new AbortController();
    const requested = request(share(120), stop.signal);
    await expect.poll(() => requests.at(-1)?.endpoint).toBe("call");
    stop.abort(new Error("stopped"));
    await expect(requested).rejects.toThrow("stopped");
    await isIdle();
  });
});

describe("a request that is denied", () => {
  const minute = 60_000;
  const refused = { consumer: { ...web, name: "shop" }, permission: "ReadOnly", state: "Refused" };

  /** Denies what is requested now, and reads as often as the operator does, until it is requested again. */
  async function waitAfterDenial({ canister, clock, read, request }: Awaited<ReturnType<typeof start>>) {
    canister.denyConsumer("shop/Deployment/shop", "shop/db");
    for (let polls = 1; ; polls++) {
      await clock.advance(30_000);
      const { consumers } = await read();
      await request(access("shop"));
      if (canister.lists.pending_consumer_reqs.length > 0) return ((polls - 1) * 30_000) / minute;
      expect(consumers).toContainEqual(refused);
    }
  }

  it("is made again after 5 min, then after twice as long, and at once after it was approved", async () => {
    const started = await start();
    const { canister, clock, request, calls, log } = started;
    await request(access("shop"));
    expect(await waitAfterDenial(started)).toBe(5);
    expect(await waitAfterDenial(started)).toBe(10);
    canister.approveConsumer("shop/Deployment/shop", "shop/db");
    await clock.advance(30_000);
    await request(access("shop"));
    canister.revokeConsumer("shop/Deployment/shop", "shop/db");
    await clock.advance(30_000);
    await request(access("shop"));
    expect(calls()).toHaveLength(4);
    expect(await waitAfterDenial(started)).toBe(5);
    expect(log.lines.map(({ level, fields }) => [level, fields.waitMs])).toEqual([
      ["info", 5 * minute],
      ["info", 10 * minute],
      ["info", 5 * minute],
    ]);
  });

  it("for a rotation period does not hold up one for another period", async () => {
    const { canister, clock, read, request, calls } = await start();
    await request(share(120));
    canister.denySecret("shop/db");
    await clock.advance(30_000);
    expect(await read()).toMatchObject({ refusedRotateSeconds: [120], approval: { rotateSeconds: 60 } });
    await request(share(120));
    await request(share(240));
    expect(calls().map(([, args]) => args)).toEqual([
      ["shop/db", 120],
      ["shop/db", 240],
    ]);
  });

  it("is not one that could not be made", async () => {
    const { canister, clock, request, calls } = await start();
    canister.refusal = "not today";
    await expect(request(access("shop"))).rejects.toThrow(PolicyError);
    canister.refusal = undefined;
    await clock.advance(30_000);
    await request(access("shop"));
    expect(calls()).toHaveLength(2);
  });
});

it("says how to approve a request", async () => {
  const { policy } = await start();
  expect(policy.approvalHint(db, share(60))).toBe(
    "approve secret shop/db in the dashboard of canister rrkah-fqaaa-aaaaa-aaaaq-cai",
  );
  expect(policy.approvalHint(db, access("web"))).toBe(
    "approve consumer shop/Deployment/web of shop/db in the dashboard of canister rrkah-fqaaa-aaaaa-aaaaq-cai",
  );
  expect(policy.pollMs).toBe(30_000);
});

it.each([
  ["host", { host: "icp-api.io" }],
  ["canisterId", { canisterId: "vault" }],
  ["rootKey", { rootKey: new Uint8Array(3) }],
  ["identity", { identity: "" }],
] as const)("refuses a wrong %s at once", async (setting, options) => {
  await expect(start({}, options)).rejects.toMatchObject({ code: "INVALID_CANISTER_SETTING", setting });
});
