import { type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import { type Client, ForbiddenError, mergePatch, systemClock } from "keelson";
import { accessFromKubeconfig, createClient, httpTransport } from "keelson/client";
import { Secret } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import type { PolicyRule } from "keelson/kinds/rbac/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { sharedSecret } from "../../src/operator.ts";
import { asking, SharedSecretSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 2 });
  operator = await runOperator(sharedSecret, { access: world.cluster, webhooks: true });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const newSpace = (): Promise<SharedSecretSpace> => SharedSecretSpace.create(world);

/** The commands that Events offer to approve something. */
async function approvals(space: SharedSecretSpace): Promise<readonly string[]> {
  const notes = (await space.list(Event)).map(({ note = "" }) => note);
  return [...new Set(notes.flatMap((note) => /to approve: (kubectl .*)$/.exec(note)?.[1] ?? []))];
}

describe("a SharedSecret", () => {
  it("is shared only after a person has approved it, by the line that the Event shows", async () => {
    const space = await newSpace();
    await space.createSecret("db", { rotate: "1h" });
    await expect
      .poll(() => space.conditionOf(SharedSecret, "db", "Approved"))
      .toMatchObject({ status: "False", reason: "AwaitingApproval" });
    await expect.poll(() => approvals(space)).toHaveLength(1);
    const [line = ""] = await approvals(space);
    const args = line
      .split(" ")
      .slice(1)
      .map((word) => word.replaceAll("'", ""));
    await world.cluster.kubectl(args);
    await expect.poll(() => space.status("db")).toMatchObject({ approved: true, rotateSeconds: 3600 });
    const [access] = await space.list(SecretAccess);
    expect(access?.status).toMatchObject({
      decision: "Approved",
      decidedBy: expect.stringMatching(/./),
      decidedAt: expect.stringMatching(/^20/),
    });
  });

  it("keeps its approved period until another one is approved", async () => {
    const space = await newSpace();
    await space.createApproved("db", { rotate: "1h" });
    await space.kubectl("patch", "sharedsecret", "db", "--type=merge", "-p", '{"spec":{"rotate":7200}}');
    await expect
      .poll(() => space.conditionOf(SharedSecret, "db", "Approved"))
      .toMatchObject({ status: "True", reason: "PeriodAwaitsApproval" });
    expect(await space.status("db")).toMatchObject({
      approved: true,
      rotateSeconds: 3600,
      pendingRequests: 1,
    });
    await space.approveShare("db");
    await expect.poll(() => space.status("db")).toMatchObject({ rotateSeconds: 7200, pendingRequests: 0 });
    // Back to the first one, which has to be approved again.
    await space.kubectl("patch", "sharedsecret", "db", "--type=merge", "-p", '{"spec":{"rotate":"1h"}}');
    await expect.poll(() => space.status("db")).toMatchObject({ rotateSeconds: 7200, pendingRequests: 1 });
    await space.approveShare("db");
    await expect.poll(() => space.status("db")).toMatchObject({ rotateSeconds: 3600, pendingRequests: 0 });
  });

  it("is not requested again after it was denied", async () => {
    const space = await newSpace();
    await space.createSecret("db");
    await expect.poll(async () => (await space.list(SecretAccess)).length).toBe(1);
    const [access] = await space.list(SecretAccess);
    await space.decide(access?.metadata.name ?? "", "Denied");
    await expect.poll(() => space.status("db")).toMatchObject({ approved: false, pendingRequests: 0 });
    expect(await space.list(SecretAccess)).toHaveLength(1);
  });
});

describe("a consumer", () => {
  it("whose pods ask for the secret becomes a request; approved, it gets it; revoked, it loses it", async () => {
    const space = await newSpace();
    const { namespace } = space;
    await space.createApproved("db");
    await space.createDeployment("web", { replicas: 2, ...asking(namespace) });
    await space.hasPods("web", 2);
    expect(await space.variables("web")).toEqual([`<${namespace}/db>`]);
    const requested = async () =>
      (await space.list(SecretAccess)).find(({ spec }) => spec.permission === "ReadOnly");
    await expect.poll(requested).toMatchObject({
      spec: { secret: "db", consumer: { namespace, kind: "Deployment", name: "web" } },
      status: { decision: "Pending" },
    });
    const name = (await requested())?.metadata.name ?? "";
    await space.decide(name, "Approved");
    await expect.poll(() => space.variables("web")).toEqual(["db-secret"]);
    await expect.poll(() => space.rolloutsOf("web")).toBe(1);
    await space.decide(name, "Revoked");
    await expect.poll(() => space.variables("web")).toEqual([`<${namespace}/db>`]);
    await space.hasConsumers("db");
    expect(await space.rolloutsOf("web")).toBe(2);
    expect(await space.eventsAbout(SharedSecret, "db")).toEqual(
      expect.arrayContaining(["Normal AccessApproved", "Normal AccessRequested", "Warning AccessRevoked"]),
    );
  });

  it("that is approved before its pods exist gets the secret at once, without a restart", async () => {
    const space = await newSpace();
    await space.createApproved("db");
    await space.allowDeployment("db", "web");
    await space.hasConsumers("db", "Deployment/web");
    await space.createDeployment("web", asking(space.namespace));
    await space.hasPods("web", 1);
    expect(await space.variables("web")).toEqual(["db-secret"]);
    expect(await space.rolloutsOf("web")).toBe(0);
  });

  it("in another namespace gets a copy of the Secret, which follows it and goes with the access", async () => {
    const space = await newSpace();
    const other = await newSpace();
    await space.createApproved("db");
    await space.writeValue("db", "first");
    const access = await space.allow("db", { namespace: other.namespace, kind: "Deployment", name: "web" });
    const copy = `${space.namespace}.db-secret`;
    await expect.poll(() => other.find(Secret, copy)).toBeDefined();
    await other.createDeployment("web", asking(space.namespace));
    await other.hasPods("web", 1);
    expect(await other.variables("web")).toEqual([copy]);
    await space.writeValue("db", "second");
    await space.flagStatus("db");
    await expect.poll(() => other.valueIn(copy)).toBe("second");
    await space.isRestarted("db");
    expect(await other.rolloutsOf("web")).toBe(1);
    await space.decide(access, "Revoked");
    await expect.poll(() => other.find(Secret, copy)).toBeUndefined();
    await expect.poll(() => other.variables("web")).toEqual([`<${space.namespace}/db>`]);
  });

  it("in another namespace loses its copy with the SharedSecret", async () => {
    const space = await newSpace();
    const other = await newSpace();
    await space.createApproved("db");
    await space.allow("db", { namespace: other.namespace, kind: "Deployment", name: "web" });
    const copy = `${space.namespace}.db-secret`;
    await expect.poll(() => other.find(Secret, copy)).toBeDefined();
    await space.kubectl("delete", "sharedsecret", "db", "--timeout=30s");
    expect(await other.find(Secret, copy)).toBeUndefined();
  });

  it("by labels is every pod that has them, restarted by its workload", async () => {
    const space = await newSpace();
    await space.createApproved("db");
    await space.createDeployment("web", { replicas: 2 });
    await space.createDeployment("other");
    await space.allow("db", { selector: { matchLabels: { app: "web" } } });
    await expect.poll(async () => (await space.status("db")).consumers?.length).toBe(1);
    await space.hasPods("web", 2);
    await space.flag("db");
    await space.isRestarted("db");
    expect([await space.rolloutsOf("web"), await space.rolloutsOf("other")]).toEqual([1, 0]);
  });
});

describe("permissions", () => {
  const group = "vault.keelson.dev";

  async function clientOf(rules: readonly PolicyRule[], user: string): Promise<Client> {
    const { kubeconfig } = await world.cluster.createUser({ user, rules });
    return createClient({
      transport: httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} })),
    });
  }

  it("to request access do not allow to approve it, and nothing changes what was approved", async () => {
    const space = await newSpace();
    const { namespace } = space;
    await space.createApproved("db");
    const verbs = ["create", "get", "patch", "update"];
    const requester = await clientOf(
      [{ apiGroups: [group], resources: ["secretaccesses"], verbs }],
      "requester",
    );
    const consumer = { kind: "Deployment", name: "web" };
    const { metadata, spec, status } = await requester.create(SecretAccess, {
      metadata: { namespace, name: "mine" },
      spec: { secret: "db", permission: "ReadOnly", consumer, requestedBy: "the boss" },
      ...{ status: { decision: "Approved" } },
    });
    expect([spec.requestedBy, status?.decision]).toEqual(["requester", undefined]);
    const approval = mergePatch({ status: { decision: "Approved" } });
    await expect(requester.status(SecretAccess).patch(metadata, approval)).rejects.toThrow(ForbiddenError);
    await requester.patch(SecretAccess, metadata, approval);
    expect((await space.get(SecretAccess, "mine")).status?.decision ?? "Pending").toBe("Pending");
    const status2 = { apiGroups: [group], resources: ["secretaccesses/status"], verbs: ["patch"] };
    const approver = await clientOf([status2], "approver");
    const forged = mergePatch({
      status: { decision: "Approved", decidedBy: "the boss", decidedAt: "2020-01-01T00:00:00Z" },
    });
    await approver.status(SecretAccess).patch(metadata, forged);
    expect((await space.get(SecretAccess, "mine")).status).toMatchObject({
      decision: "Approved",
      decidedBy: "approver",
      decidedAt: expect.not.stringContaining("2020"),
    });
    const wider = mergePatch({ spec: { permission: "ReadWrite" } });
    await expect(requester.patch(SecretAccess, metadata, wider)).rejects.toThrow("must not be changed");
    await expect(approver.patch(SecretAccess, metadata, wider)).rejects.toThrow(ForbiddenError);
  });
});

describe("kubectl get", () => {
  it("shows who asked for what, who decided, and when it was rotated", async () => {
    const space = await newSpace();
    await space.createApproved("db");
    await space.createDeployment("web", asking(space.namespace));
    await expect.poll(async () => (await space.list(SecretAccess)).length).toBe(2);
    const columns = async (kind: string): Promise<string> =>
      (await space.kubectl("get", kind)).split("\n")[0] ?? "";
    expect(await columns("sharedsecrets")).toMatch(
      /NAME +APPROVED +CONSUMERS +PENDING +RESTARTING +LAST ROTATION +NEXT ROTATION +AGE/,
    );
    expect(await columns("secretaccesses")).toMatch(
      /NAME +SECRET +PERMISSION +NAMESPACE +KIND +CONSUMER +DECISION +BY +DECIDED +AGE/,
    );
    expect(await space.kubectl("get", "secretaccesses")).toMatch(
      new RegExp(`db +ReadOnly +${space.namespace} +Deployment +web +Pending`),
    );
  });
});
