import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import { type Access, type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { systemClock, type Transport } from "@keelson/core";
import { Lease } from "@keelson/core/kinds/coordination/v1";
import { Namespace } from "@keelson/core/kinds/core/v1";
import { Role } from "@keelson/core/kinds/rbac/v1";
import { faults, faultyTransport, RecordingLogger } from "@keelson/testkit";
import { afterAll, beforeAll, describe, it, type TestContext } from "vitest";
import { LeadershipLostError, RenewWorkerError } from "../../src/leader/errors.ts";
import { LeaderElector, type LeaderElectorOptions } from "../../src/leader/leader-elector.ts";
import { recordOf } from "../../src/leader/lease-record.ts";
import { type AuditedRequest, AuditLog, timeOf } from "../support/leader/audit-log.ts";
import type { ReplicaSettings } from "../support/leader/replica-lines.ts";
import { ReplicaProcess } from "../support/leader/replica-process.ts";
import { TransportServer } from "../support/leader/transport-server.ts";

/** The lease by which a kube-controller-manager, which is written in Go, elects its leader. */
const goLease = { namespace: "kube-system", name: "kube-controller-manager" };
/** Shorter than the defaults, the same for both. */
const shortTimes = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 1_000 };
const goFlags = [
  "--leader-elect=true",
  "--leader-elect-lease-duration=6s",
  "--leader-elect-renew-deadline=4s",
  "--leader-elect-retry-period=1s",
];

/** On a machine that may be busy. Not part of what is measured. */
const startTimeoutMs = 90_000;
const testTimeoutMs = 300_000;
/** Beside the electors in this process, but one election of processes after the other: each is three busy programs. */
const alone = { concurrent: false };

let controlPlane: ControlPlane;
let audit: AuditLog;
let folder: string;
let admin: Client;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keelson-audit-"));
  audit = await AuditLog.in(folder);
  controlPlane = await startControlPlane({
    controllerManager: true,
    args: { "kube-apiserver": audit.args, "kube-controller-manager": goFlags },
  });
  admin = clientOf(controlPlane);
});
afterAll(async () => {
  for (const close of closing) await close();
  await controlPlane?.stop();
  await rm(folder, { recursive: true, force: true });
});

function transportOf({ kubeconfig }: Access): Transport {
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  closing.push(() => transport.close());
  return transport;
}

function clientOf(access: Access): Client {
  return createClient({ transport: transportOf(access) });
}

/** An election by processes, in a namespace of its own. Tests end what they start. */
async function startReplicas(
  { onTestFinished, expect }: TestContext,
  namespace: string,
  count: number,
  settings: Partial<ReplicaSettings> = {},
): Promise<{ readonly replicas: readonly ReplicaProcess[]; readonly leader: ReplicaProcess }> {
  await admin.create(Namespace, { metadata: { name: namespace } });
  const { kubeconfigPath } = controlPlane;
  const start = (identity: string): ReplicaProcess => {
    const replica = new ReplicaProcess(
      { kubeconfigPath, namespace, lease: "lock", identity, ...settings },
      join(folder, "compiled"),
    );
    onTestFinished(() => replica.kill());
    return replica;
  };
  const leader = start(`${namespace}-0`);
  await expect.poll(() => leader.has("started"), { timeout: startTimeoutMs }).toBe(true);
  const followers = Array.from({ length: count - 1 }, (_, index) => start(`${namespace}-${index + 1}`));
  for (const other of followers)
    await expect.poll(() => other.lines, { timeout: startTimeoutMs }).toEqual(followed(leader));
  await expect.poll(() => leader.has("wrote"), { timeout: startTimeoutMs }).toBe(true);
  return { replicas: [leader, ...followers], leader };
}

const followed = ({ identity }: ReplicaProcess) => [{ type: "newLeader", leader: identity }];

const by =
  ({ identity }: ReplicaProcess) =>
  ({ userAgent }: AuditedRequest): boolean =>
    userAgent === identity;

/** The first write of each of these replicas that the server carried out on the Lease. */
function takeoverBy(
  writes: readonly AuditedRequest[],
  candidates: readonly ReplicaProcess[],
): AuditedRequest {
  const names = new Set(candidates.map(({ identity }) => identity));
  const isTakeover = (write: AuditedRequest): boolean =>
    names.has(write.userAgent ?? "") && isOfLease(write) && write.responseStatus?.code === 200;
  const found = writes.find(isTakeover);
  if (found === undefined) throw new Error("no other replica took over");
  return found;
}

const isOfLease = ({ objectRef }: AuditedRequest): boolean => objectRef?.resource === "leases";

/** Of the Lease only what was carried out: an update that meets another's is refused by the server. */
function writesAfter(takeover: AuditedRequest, writes: readonly AuditedRequest[]): readonly AuditedRequest[] {
  const isHarmless = (write: AuditedRequest): boolean =>
    isOfLease(write) && write.responseStatus?.code === 409;
  return writes.filter((write) => timeOf(write) > timeOf(takeover) && !isHarmless(write));
}

describe.concurrent("three replicas as processes", { timeout: testTimeoutMs }, () => {
  it(
    "[LE8] hand over in less than 4.5 s when the leader gets a SIGTERM, which ends it with code 0",
    alone,
    async (test) => {
      const { expect } = test;
      const { replicas, leader } = await startReplicas(test, "sigterm", 3);
      const followers = replicas.filter((replica) => replica !== leader);
      leader.signal("SIGTERM");
      await expect
        .poll(() => followers.filter((other) => other.has("wrote")).length, { timeout: 60_000 })
        .toBe(1);
      const writes = await audit.writes("sigterm");
      const takeover = takeoverBy(writes, followers);
      const release = writes.findLast((write) => by(leader)(write) && isOfLease(write));
      expect(release).toBeDefined();
      if (release !== undefined) expect(timeOf(takeover) - timeOf(release)).toBeLessThan(4_500);
      expect(writesAfter(takeover, writes.filter(by(leader)))).toEqual([]);
      await expect.poll(() => leader.exitCode).toBe(0);
      expect(leader.lines.map(({ type }) => type)).toEqual([
        "newLeader",
        "started",
        "wrote",
        "stopped",
        "ended",
      ]);
      expect(recordOf(await admin.get(Lease, { namespace: "sigterm", name: "lock" })).transitions).toBe(1);
    },
  );

  it("[LE5] have a new leader in less than 20 s when the leader gets a SIGKILL", alone, async (test) => {
    const { expect } = test;
    const { replicas, leader } = await startReplicas(test, "sigkill", 3);
    const followers = replicas.filter((replica) => replica !== leader);
    const killedMs = Date.now();
    leader.signal("SIGKILL");
    await expect
      .poll(() => followers.filter((other) => other.has("wrote")).length, { timeout: 60_000 })
      .toBe(1);
    const writes = await audit.writes("sigkill");
    const takeover = takeoverBy(writes, followers);
    expect(timeOf(takeover) - killedMs).toBeLessThan(20_000);
    // [LE3] The lease is honoured to its end, 15 s after the followers have seen that it was acquired or renewed.
    const isOfLeader = (write: AuditedRequest): boolean =>
      by(leader)(write) && isOfLease(write) && (write.responseStatus?.code ?? 500) < 300;
    const [last] = writes.filter(isOfLeader).map(timeOf).slice(-1);
    expect(timeOf(takeover) - (last ?? Number.POSITIVE_INFINITY)).toBeGreaterThan(14_900);
  });

  it(
    "[LE12] write nothing as a replica that was stopped for 20 s, once another one leads",
    alone,
    async (test) => {
      const { expect } = test;
      const { replicas, leader } = await startReplicas(test, "sigstop", 3);
      const followers = replicas.filter((replica) => replica !== leader);
      const stoppedMs = Date.now();
      leader.signal("SIGSTOP");
      await expect
        .poll(() => followers.filter((other) => other.has("wrote")).length, { timeout: 60_000 })
        .toBe(1);
      await expect.poll(() => Date.now() - stoppedMs, { timeout: 60_000 }).toBeGreaterThan(20_000);
      const continuedMs = Date.now();
      leader.signal("SIGCONT");
      // It goes on trying to write, and each time it is refused.
      await expect
        .poll(() => leader.lines.filter(({ type }) => type === "refused").length, { timeout: 60_000 })
        .toBeGreaterThan(5);
      const writes = await audit.writes("sigstop");
      const takeover = takeoverBy(writes, followers);
      expect(timeOf(takeover)).toBeLessThan(continuedMs);
      expect(writesAfter(takeover, writes.filter(by(leader)))).toEqual([]);
      expect(writes.filter(by(leader)).length).toBeGreaterThan(0);
      const [refusal] = leader.lines.filter((line) => line.type === "refused");
      expect(refusal).toEqual({
        type: "refused",
        message: expect.stringMatching(
          /^(patch|PATCH) .*configmaps.*: lease sigstop\/lock was last renewed \d{2,}\.\d s ago/,
        ),
      });
      expect(leader.lines).toContainEqual({
        type: "lost",
        message: expect.stringContaining("leader election lost: the lease was not renewed for 10 s"),
      });
    },
  );

  it(
    "[LE12] keep the lease while the leader's main thread stands still for longer than it is valid",
    alone,
    async (test) => {
      const { expect } = test;
      const { replicas, leader } = await startReplicas(test, "blocked", 2, { blocksForMs: 17_000 });
      expect(leader.lines).toContainEqual({ type: "blocked", wasRenewed: true, isCertain: true });
      expect(replicas.flatMap(({ lines }) => lines).filter(({ type }) => type === "refused")).toEqual([]);
      expect(recordOf(await admin.get(Lease, { namespace: "blocked", name: "lock" }))).toMatchObject({
        holder: leader.identity,
        transitions: 0,
      });
    },
  );
});

/** An elector in this process that runs until the test is over. */
function startElector(
  { onTestFinished }: TestContext,
  client: Client,
  options: Omit<Extract<LeaderElectorOptions, { readonly renewIn: "thread" }>, "renewIn">,
): { readonly elector: LeaderElector; stop(): Promise<void> } {
  const stopping = new AbortController();
  const elector = new LeaderElector({ ...options, renewIn: "thread", client });
  const run = elector.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await run;
  };
  onTestFinished(stop);
  return { elector, stop };
}

/** An elector in this process whose worker leads, in a namespace of its own. */
async function leadInWorker(
  { onTestFinished, expect }: TestContext,
  namespace: string,
  kubeconfigPath: string,
) {
  await admin.create(Namespace, { metadata: { name: namespace } });
  const logger = new RecordingLogger();
  const stopping = new AbortController();
  const elector = new LeaderElector({
    renewIn: "worker",
    connect: { kubeconfigPath },
    lease: { namespace, name: "lock" },
    identity: "replica",
    logger,
  });
  onTestFinished(() => elector.close());
  const run = elector.run(stopping.signal);
  // Who closes it without a stop does not wait for it.
  run.catch(() => undefined);
  await expect.poll(() => elector.leadership.isCertain, { timeout: startTimeoutMs }).toBe(true);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await run;
  };
  return { elector, logger, stop };
}

async function holdAs(lease: Lease, holderIdentity: string): Promise<void> {
  await admin.update(Lease, { ...lease, spec: { ...lease.spec, holderIdentity } });
}

describe.concurrent("an elector", { timeout: testTimeoutMs }, () => {
  it("[LE13] shares a Lease with a Go program: waits while that one leads, leads while it waits, and hands over to it", async (test) => {
    const { expect } = test;
    const readLease = async () => recordOf(await admin.get(Lease, goLease));
    await expect.poll(async () => (await readLease()).holder, { timeout: 60_000 }).not.toBe("");
    const made = await readLease();
    const leaders: string[] = [];
    const { elector, stop } = startElector(test, admin, {
      lease: goLease,
      identity: "keelson-replica",
      ...shortTimes,
      onNewLeader: (leader) => leaders.push(leader),
    });
    await expect.poll(() => leaders).toEqual([made.holder]);
    // It sees more renewals than fit into the time after which it would lead if it did not honour them.
    const renewals = new Set<string | undefined>();
    const seeRenewal = async () => renewals.add((await readLease()).renewTime).size;
    await expect.poll(seeRenewal, { timeout: 60_000 }).toBeGreaterThan(7);
    expect(elector.leadership.isCertain).toBe(false);

    await controlPlane.kill("kube-controller-manager");
    await expect.poll(() => leaders, { timeout: 60_000 }).toEqual([made.holder, "keelson-replica"]);
    const taken = await readLease();
    expect(taken).toMatchObject({ durationSeconds: 6, transitions: made.transitions + 1 });

    await controlPlane.restart("kube-controller-manager");
    renewals.clear();
    await expect.poll(seeRenewal, { timeout: 60_000 }).toBeGreaterThan(7);
    expect(await readLease()).toMatchObject({ holder: "keelson-replica", acquireTime: taken.acquireTime });

    await stop();
    expect(await elector.release()).toBe(true);
    await expect.poll(async () => (await readLease()).holder, { timeout: 60_000 }).not.toBe("");
    const succeeded = await readLease();
    expect(succeeded.holder).not.toBe("keelson-replica");
    expect(succeeded.transitions).toBe(taken.transitions + 1);
  });

  it("reports at once which permissions on leases it lacks, and leads as soon as it has them", async (test) => {
    const { expect } = test;
    const namespace = "forbidden";
    await admin.create(Namespace, { metadata: { name: namespace } });
    const mayRead = { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] };
    const user = await controlPlane.createUser({ user: "replica", namespace, rules: [mayRead] });
    const logger = new RecordingLogger();
    const lease = { namespace, name: "lock" };
    const { elector } = startElector(test, clientOf(user), { lease, identity: "replica", logger });
    await expect.poll(() => logger.messages("error")).toHaveLength(1);
    expect(logger.messages("error")).toEqual([
      expect.stringMatching(
        /^elect a leader by lease forbidden\/lock: get leases\.coordination\.k8s\.io forbidden\/lock: .*403 Forbidden.*; grant the verbs get, create and update on leases\.coordination\.k8s\.io in namespace forbidden$/,
      ),
    ]);
    const [role] = (await admin.list(Role, { namespace })).items;
    const rules = [
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
    ];
    if (role !== undefined) await admin.update(Role, { ...role, rules });
    await expect.poll(() => elector.leadership.isCertain, { timeout: 60_000 }).toBe(true);
    // However often it was refused, it was logged once.
    expect(logger.messages("error")).toHaveLength(1);
  });

  it("[LE12] loses its leadership with the worker that renews it", async ({ expect, onTestFinished }) => {
    await admin.create(Namespace, { metadata: { name: "worker" } });
    const { kubeconfigPath } = controlPlane;
    let leading: AbortSignal | undefined;
    const elector = new LeaderElector({
      renewIn: "worker",
      connect: { kubeconfigPath },
      lease: { namespace: "worker", name: "lock" },
      identity: "replica",
      onStarted: (signal) => {
        leading = signal;
      },
    });
    onTestFinished(() => elector.close());
    const failure = elector.run(new AbortController().signal).catch((thrown: unknown) => thrown);
    await expect.poll(() => leading?.aborted, { timeout: startTimeoutMs }).toBe(false);
    expect(elector.leadership.isCertain).toBe(true);
    await elector.close();
    expect(await failure).toBeInstanceOf(LeadershipLostError);
    expect(elector.leadership.isCertain).toBe(false);
    expect(leading?.reason).toBeInstanceOf(LeadershipLostError);
  });

  it("[LE9] that renews in a worker does not wait for the Retry-After of a busy server", async (test) => {
    const { expect } = test;
    const transport = faultyTransport(transportOf(controlPlane));
    await using server = await TransportServer.start(transport);
    const kubeconfigPath = join(folder, "busy.kubeconfig");
    await writeFile(kubeconfigPath, server.kubeconfig);
    const { elector, logger } = await leadInWorker(test, "busy", kubeconfigPath);
    const busy = faults.refuse("ServiceUnavailable", { retryAfterSeconds: 600 });
    transport.fault({ method: "PUT" }, busy, { times: 2 });
    const isUpdate = ({ method }: { readonly method: string }): boolean => method === "PUT";
    const before = transport.requests.filter(isUpdate).length;
    await expect
      .poll(() => transport.requests.filter(isUpdate).length, { timeout: 60_000 })
      .toBeGreaterThan(before + 2);
    expect(logger.messages("warn")).toEqual([expect.stringContaining("the API server responded with 503")]);
    expect(elector.leadership.isCertain).toBe(true);
  });

  it.for([
    ["another holds", "taken", (lease: Lease) => holdAs(lease, "other")],
    ["has no holder", "empty", (lease: Lease) => holdAs(lease, "")],
    ["is deleted", "gone", () => admin.delete(Lease, { namespace: "gone", name: "lock" })],
  ] as const)("[LE8] leaves a lease alone that %s", async ([_, namespace, change], test) => {
    const { expect } = test;
    await admin.create(Namespace, { metadata: { name: namespace } });
    const lease = { namespace, name: "lock" };
    const { elector, stop } = startElector(test, admin, { lease, identity: "replica" });
    await expect.poll(() => elector.leadership.isCertain, { timeout: startTimeoutMs }).toBe(true);
    await stop();
    await change(await admin.get(Lease, lease));
    const read = async () => (await admin.list(Lease, { namespace })).items;
    const before = await read();
    expect(await elector.release()).toBe(false);
    expect(await read()).toEqual(before);
  });

  it("[LE8] that renews in a worker releases its lease once", async (test) => {
    const { expect } = test;
    const { elector, logger, stop } = await leadInWorker(test, "released", controlPlane.kubeconfigPath);
    await stop();
    expect(elector.leadership.isCertain).toBe(true);
    expect(await elector.release()).toBe(true);
    expect(elector.leadership.isCertain).toBe(false);
    expect(recordOf(await admin.get(Lease, { namespace: "released", name: "lock" }))).toMatchObject({
      ...{ holder: "", durationSeconds: 1, transitions: 0 },
    });
    expect(await elector.release()).toBe(false);
    expect(logger.messages("info").filter((message) => message === "released the lease")).toHaveLength(1);
  });

  it("[LE6] that cannot start reports why, and has stopped", async ({ expect }) => {
    let stops = 0;
    const elector = new LeaderElector({
      renewIn: "worker",
      connect: { kubeconfigPath: join(folder, "missing") },
      lease: { namespace: "worker", name: "lock" },
      identity: "replica",
      onStopped: () => {
        stops += 1;
      },
    });
    const error = await elector.run(new AbortController().signal).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RenewWorkerError);
    expect(String(error)).toContain("find a kubeconfig: no file");
    expect(stops).toBe(1);
  });
});
