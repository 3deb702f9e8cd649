import { generateKeyPairSync } from "node:crypto";
import { describeWrite, type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import type { Condition } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { sharedSecret } from "../../src/operator.ts";
import {
  type CanisterFault,
  type CanisterServer,
  startCanisterServer,
} from "../support/canister/canister-server.ts";
import { CanisterSpace } from "../support/canister-space.ts";
import { fastClock } from "../support/fast-clock.ts";
import { asking } from "../support/space.ts";

let world: World;
let server: CanisterServer;
let operator: RunningOperator;

beforeAll(async () => {
  [world, server] = await Promise.all([
    startWorld(process.env.KEELSON_LEVEL, { nodes: 2 }),
    startCanisterServer(),
  ]);
  operator = await runWithCanister();
});
afterAll(async () => {
  await operator?.stop();
  await server?.stop();
  await world?.stop();
});

const canisterIdentity = String(
  generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }),
);

/** Its time-outs and intervals are a fifth of what they are otherwise. */
function runWithCanister(): Promise<RunningOperator> {
  const { url: canisterHost, canisterId, rootKey } = server;
  return runOperator(sharedSecret, {
    ...{ access: world.cluster, webhooks: true, clock: fastClock(5) },
    settings: {
      ...{ policy: "canister", canisterHost, canisterId, canisterIdentity },
      canisterRootKey: Buffer.from(rootKey).toString("hex"),
      canisterPollInterval: "1s",
    },
  });
}

async function newSpace(): Promise<CanisterSpace> {
  return new CanisterSpace(world, await world.createNamespace(), server);
}

function patchSpec(space: CanisterSpace, spec: object): Promise<string> {
  return space.kubectl("patch", "sharedsecret", "db", "--type=merge", "-p", JSON.stringify({ spec }));
}

/** Resolves when the operator has read the canister some more times. */
async function polls(times: number): Promise<void> {
  const queries = () => server.requests.filter(({ endpoint }) => endpoint === "query").length;
  const before = queries();
  await expect.poll(queries).toBeGreaterThanOrEqual(before + times);
}

describe("a SharedSecret", () => {
  it("that is created has the fields of the operator overridden, and is shared when the canister has approved it", async () => {
    const space = await newSpace();
    await space.createSecret("db", { rotate: 60 }, { secret: "stolen", podsRestartRequired: true });
    await expect
      .poll(() => space.get(SharedSecret, "db"))
      .toMatchObject({
        ...{ secret: "", podsRestartRequired: false },
        status: { secret: "db-secret", approved: false, pendingRequests: 1, podsRestartRequired: false },
      });
    expect(space.calls).toEqual([`add_secret ${space.idOf("db")} 60`]);
    expect(await space.conditionOf(SharedSecret, "db", "Approved")).toMatchObject({
      status: "False",
      reason: "AwaitingApproval",
    });
    await space.approveShare("db");
    await expect
      .poll(() => space.status("db"))
      .toMatchObject({ approved: true, rotateSeconds: 60, pendingRequests: 0, consumers: [] });
    expect(await space.conditionOf(SharedSecret, "db", "Synced")).toMatchObject({ reason: "Verified" });
    expect(await space.list(SecretAccess)).toEqual([]);
  });

  it("keeps its approved period until the canister has approved another one", async () => {
    const space = await newSpace();
    await space.createApproved("db", { rotate: 60 });
    await patchSpec(space, { rotate: 120 });
    await expect
      .poll(() => space.conditionOf(SharedSecret, "db", "Approved"))
      .toMatchObject({ status: "True", reason: "PeriodAwaitsApproval" });
    expect(await space.status("db")).toMatchObject({ rotateSeconds: 60, pendingRequests: 1 });
    expect(space.calls.slice(1)).toEqual([`update_secret ${space.idOf("db")} 120`]);
    await space.approveShare("db");
    await expect.poll(() => space.status("db")).toMatchObject({ rotateSeconds: 120, pendingRequests: 0 });
  });
});

describe("a consumer", () => {
  it("whose pods ask becomes a request; approved in the canister it gets the secret, and revoked it loses it", async () => {
    const space = await newSpace();
    const { namespace } = space;
    const { canister } = server;
    const [db, web] = [space.idOf("db"), space.idOf("Deployment/web")];
    await space.createApproved("db");
    await space.createDeployment("web", asking(namespace));
    await space.hasPods("web", 1);
    const requests = () => space.calls.filter((call) => call === `add_consumer ${web} ${db} 2`).length;
    await expect.poll(requests).toBe(1);
    expect(await space.variables("web")).toEqual([`<${namespace}/db>`]);

    await space.approveConsumer("db", web);
    await expect.poll(() => space.variables("web")).toEqual(["db-secret"]);
    expect((await space.status("db")).consumers).toEqual([{ consumer: web, permission: "ReadOnly" }]);
    expect(await space.rolloutsOf("web")).toBe(1);

    canister.revokeConsumer(web, db);
    await expect.poll(() => space.variables("web")).toEqual([`<${namespace}/db>`]);
    expect((await space.status("db")).consumers).toEqual([]);
    expect(await space.rolloutsOf("web")).toBe(2);

    await expect.poll(requests).toBe(2);
    canister.denyConsumer(web, db);
    await expect.poll(async () => (await space.status("db")).pendingRequests).toBe(0);
    await polls(3);
    expect(requests()).toBe(2);
  });
});

describe("podsRestartRequired", () => {
  it("restarts the read-only consumers of the canister, whatever the status shows, and nothing while it is false", async () => {
    const space = await newSpace();
    const names = ["reader", "writer", "stranger"];
    const rollouts = () => Promise.all(names.map((name) => space.rolloutsOf(name)));
    await space.createApproved("db");
    for (const name of names) await space.createDeployment(name);
    await space.allowDeployment("db", "reader");
    await space.allowDeployment("db", "writer", "ReadWrite");
    await space.hasConsumers("db", "Deployment/reader", "Deployment/writer");
    await patchSpec(space, { restart: { allowDeletion: true } });
    await expect.poll(async () => (await space.status("db")).observedGeneration).toBe(2);
    await polls(2);
    expect(await rollouts()).toEqual([0, 0, 0]);

    const [old] = await space.hasPods("reader", 1);
    const consumers = [{ consumer: space.idOf("Deployment/stranger"), permission: "ReadOnly" }];
    const patch = JSON.stringify({ status: { consumers, podsRestartRequired: true } });
    await space.kubectl("patch", "sharedsecret", "db", "--subresource=status", "--type=merge", "-p", patch);
    await expect.poll(() => space.rolloutsOf("reader")).toBe(1);
    await space.isRestarted("db");
    expect(await rollouts()).toEqual([1, 0, 0]);
    const [pod] = await space.hasPods("reader", 1);
    expect(pod?.metadata.uid).not.toBe(old?.metadata.uid);
    await space.hasConsumers("db", "Deployment/reader", "Deployment/writer");
  });

  it("stays true while one cannot be restarted, which is shown, and becomes false when it was", async () => {
    const space = await newSpace();
    await space.createApproved("db");
    for (const name of ["held", "web"]) {
      await space.createDeployment(name);
      await space.allowDeployment("db", name);
    }
    await space.hasConsumers("db", "Deployment/held", "Deployment/web");
    await space.kubectl("rollout", "pause", "deployment/held");
    await space.flag("db");
    await expect
      .poll(() => space.status("db"))
      .toMatchObject({
        podsRestartRequired: true,
        consumers: [
          { problem: expect.stringContaining("is paused"), failures: expect.any(Number) },
          { restartedAt: expect.any(String) },
        ],
      });
    expect((await space.get(SharedSecret, "db")).podsRestartRequired).toBe(true);
    expect(await space.conditionOf(SharedSecret, "db", "ConsumersRestarted")).toMatchObject({
      status: "False",
      reason: "RestartFailed",
    });
    await expect.poll(() => space.eventsAbout(SharedSecret, "db")).toContain("Warning RestartFailed");
    await space.kubectl("rollout", "resume", "deployment/held");
    await space.isRestarted("db");
    expect((await space.status("db")).consumers?.[0]).not.toHaveProperty("problem");
  });
});

describe("while what the canister says is not certain", () => {
  let shop: CanisterSpace;
  let other: CanisterSpace;
  let copy: string;
  let isCreated = false;

  /** Creates the consumers before the first test; resolves when the policy is known and nothing has to be done any more. */
  async function isSettled(): Promise<void> {
    if (!isCreated) await create();
    isCreated = true;
    await expect.poll(synced).toMatchObject({ status: "True", reason: "Verified" });
    await expect
      .poll(() => shop.conditionOf(SharedSecret, "db", "ConsumersRestarted"))
      .toMatchObject({ status: "True" });
    await shop.isRestarted("db");
    for (const name of ["web", "stranger"]) await shop.hasPods(name, 1);
    await other.hasPods("far", 1);
  }

  /** Two consumers, one of them in another namespace, and a Deployment that waits for approval. */
  async function create(): Promise<void> {
    [shop, other] = [await newSpace(), await newSpace()];
    copy = `${shop.namespace}.db-secret`;
    await shop.createApproved("db");
    await shop.writeValue("db", "s3cret");
    await shop.flag("db");
    await shop.isRestarted("db");
    await shop.allowDeployment("db", "web");
    await shop.allow("db", { namespace: other.namespace, kind: "Deployment", name: "far" });
    await expect.poll(async () => (await shop.status("db")).consumers?.length).toBe(2);
    await expect.poll(() => other.find(Secret, copy)).toBeDefined();
    await shop.createDeployment("web", asking(shop.namespace));
    await shop.createDeployment("stranger", asking(shop.namespace));
    await other.createDeployment("far", asking(shop.namespace));
  }

  const synced = (): Promise<Condition | undefined> => shop.conditionOf(SharedSecret, "db", "Synced");
  const generation = async (): Promise<number | undefined> =>
    (await shop.get(SharedSecret, "db")).metadata.generation;

  const rollouts = (): Promise<readonly number[]> =>
    Promise.all([shop.rolloutsOf("web"), other.rolloutsOf("far"), shop.rolloutsOf("stranger")]);

  /** All that could be lost or given away. */
  async function state() {
    const pods = [...(await shop.readyPods()), ...(await other.readyPods())];
    const { approved, consumers } = await shop.status("db");
    return {
      ...{ approved, consumers, rollouts: await rollouts() },
      variables: [
        await shop.variables("web"),
        await other.variables("far"),
        await shop.variables("stranger"),
      ],
      pods: pods.map(({ metadata }) => metadata.uid),
      values: [await shop.valueIn("db-secret"), await other.valueIn(copy)],
    };
  }

  /** What the operator has written here. */
  const writes = (): readonly string[] => [
    ...new Set(
      operator.writes
        .filter(({ namespace }) => namespace === shop.namespace || namespace === other.namespace)
        .map(describeWrite),
    ),
  ];

  async function endFaults(): Promise<void> {
    server.faults.clear();
    await server.restart();
  }

  const strangerAdded: CanisterFault = {
    type: "TamperedLists",
    tamper: (lists) => ({
      ...lists,
      consumers: lists.consumers.flatMap((each) => [
        each,
        { ...each, kube_id: shop.idOf("Deployment/stranger") },
      ]),
    }),
  };
  const allRevoked: CanisterFault = {
    type: "TamperedLists",
    tamper: (lists) => ({ ...lists, consumers: [] }),
  };

  const faults: readonly (readonly [string, string, CanisterFault | "Down"])[] = [
    ["a certificate of another key", "PolicyUnverified", { type: "WrongSignature" }],
    ["a certificate about another canister", "PolicyUnverified", { type: "OtherCanister" }],
    ["a certificate 6 s old", "PolicyStale", { type: "Age", seconds: 6 }],
    ["a consumer that the host has added", "PolicyUnverified", strangerAdded],
    ["lists without consumers", "PolicyUnverified", allRevoked],
    ["a host that is down", "PolicyUnreachable", "Down"],
    ["half a response", "PolicyUnreachable", { type: "CutBody" }],
    ["no response", "PolicyUnreachable", { type: "Hang" }],
  ];
  it.each(faults)(
    "because of %s, nothing changes, and a restart waits for its end",
    async (_, reason, fault) => {
      await isSettled();
      const before = await state();
      expect(before.variables).toEqual([["db-secret"], [copy], [`<${shop.namespace}/db>`]]);
      operator.clearWrites();
      onTestFinished(endFaults);
      if (fault === "Down") await server.stop();
      else server.faults.set("query", fault);
      await expect.poll(synced).toMatchObject({ status: "False", reason });
      expect(await state()).toEqual(before);

      await shop.flag("db");
      const observedGeneration = await generation();
      await expect.poll(synced).toMatchObject({ status: "False", reason, observedGeneration });
      expect(await state()).toEqual(before);
      expect((await shop.get(SharedSecret, "db")).podsRestartRequired).toBe(true);
      expect(writes()).toEqual([`patch sharedsecrets.vault.keelson.dev/status ${shop.idOf("db")}`]);

      await endFaults();
      await isSettled();
      const [web = 0, far = 0, stranger = 0] = before.rollouts;
      expect(await rollouts()).toEqual([web + 1, far + 1, stranger]);
    },
  );

  it("an operator that starts gives pods what they had, and nothing to new consumers, until it is", async () => {
    await isSettled();
    await operator.stop();
    onTestFinished(endFaults);
    await server.stop();
    await shop.flag("db");
    const before = await state();
    operator = await runWithCanister();
    const observedGeneration = await generation();
    const unreachable = { status: "False", reason: "PolicyUnreachable", observedGeneration };
    await expect.poll(synced).toMatchObject(unreachable);
    expect(await state()).toEqual(before);

    await shop.kubectl("delete", "pod", "-l", "app in (web, stranger)");
    await shop.createDeployment("late", asking(shop.namespace));
    for (const name of ["web", "stranger", "late"]) await shop.hasPods(name, 1);
    const { pods: _, ...rest } = before;
    expect(await state()).toMatchObject(rest);
    expect(await shop.variables("late")).toEqual([`<${shop.namespace}/db>`]);
    expect((await shop.get(SharedSecret, "db")).podsRestartRequired).toBe(true);

    await endFaults();
    await isSettled();
    const [web = 0, far = 0, stranger = 0] = before.rollouts;
    expect(await rollouts()).toEqual([web + 1, far + 1, stranger]);
    await shop.approveConsumer("db", shop.idOf("Deployment/late"));
    await expect.poll(() => shop.variables("late")).toEqual(["db-secret"]);
  });
});
