import { Space, startWorld, type World } from "@keelson/testkit";
import { defineOperator, type Stored } from "keelson";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SecretAccess, type SecretAccessStatus } from "../../src/api/secret-access.ts";
import { accessAdmissions } from "../../src/webhook/decisions.ts";

/** The webhooks alone. */
const recorder = defineOperator({
  name: "shared-secret",
  resources: [SecretAccess],
  webhooks: [...accessAdmissions],
});

let world: World;
const users = new Map<string, string>();

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await world.runOperator(recorder, { webhooks: true });
  for (const user of ["anna", "otto"]) {
    const apiGroups = [SecretAccess.group];
    const resources = ["secretaccesses", "secretaccesses/status"];
    const rules = [{ apiGroups, resources, verbs: ["get", "create", "patch"] }];
    users.set(user, (await world.cluster.createUser({ user, rules })).kubeconfigPath);
  }
});
afterAll(() => world?.stop());

const spec = { secret: "db", permission: "ReadOnly", consumer: { kind: "Deployment", name: "web" } };

class AccessSpace extends Space {
  /** Creates a SecretAccess as a user. */
  async request(user: string, fields: object = {}): Promise<Stored<SecretAccess>> {
    const apiVersion = `${SecretAccess.group}/${SecretAccess.version}`;
    const metadata = { namespace: this.namespace, name: "web" };
    const manifest = { apiVersion, kind: "SecretAccess", metadata, spec: { ...spec, ...fields } };
    await this.#as(user, ["create", "-f", "-"], JSON.stringify(manifest));
    return this.get(SecretAccess, "web");
  }

  /** Patches the status as a user, and returns what is stored then. */
  async decide(user: string, status: object): Promise<SecretAccessStatus | undefined> {
    const patch = JSON.stringify({ status });
    await this.#as(user, [
      ...["-n", this.namespace, "patch", "secretaccess", "web"],
      ...["--subresource=status", "--type=merge", "-p", patch],
    ]);
    return (await this.get(SecretAccess, "web")).status;
  }

  async #as(user: string, args: readonly string[], input?: string): Promise<void> {
    const kubeconfigPath = users.get(user) ?? "";
    await world.cluster.kubectl(args, { kubeconfigPath, ...(input !== undefined && { input }) });
  }
}

const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const forged = { decidedBy: "root", decidedAt: "2020-01-01T00:00:00Z" };

describe("a SecretAccess", () => {
  it("shows who requested it, whatever the user wrote", async () => {
    const { spec: stored } = await (await AccessSpace.create(world)).request("anna", { requestedBy: "root" });
    expect(stored).toEqual({ ...spec, requestedBy: "anna" });
  });

  it("that has no spec is refused for that", async () => {
    const space = await AccessSpace.create(world);
    const { group, version, kind } = SecretAccess;
    expect(
      await space.refusal({ apiVersion: `${group}/${version}`, kind, metadata: { name: "a" }, spec: "b" }),
    ).toContain("spec: Invalid value");
  });

  it("shows who decided and when, whatever the user wrote", async () => {
    const space = await AccessSpace.create(world);
    await space.request("anna");
    const approved = await space.decide("otto", { decision: "Approved", ...forged });
    expect(approved).toEqual({ decision: "Approved", decidedBy: "otto", decidedAt: time });
    expect(approved?.decidedAt).not.toBe(forged.decidedAt);
    expect(await space.decide("anna", { decision: "Revoked" })).toEqual({
      decision: "Revoked",
      decidedBy: "anna",
      decidedAt: time,
    });
  });

  it("keeps who decided while the decision stays", async () => {
    const space = await AccessSpace.create(world);
    await space.request("anna");
    const approved = await space.decide("otto", { decision: "Approved" });
    expect(await space.decide("anna", { decision: "Approved", ...forged })).toEqual(approved);
    expect(await space.decide("anna", { decidedBy: null, decidedAt: null })).toEqual(approved);
    expect(await space.decide("anna", { observedGeneration: 1 })).toEqual({
      ...approved,
      observedGeneration: 1,
    });
  });

  it("shows no decision while it waits", async () => {
    const space = await AccessSpace.create(world);
    await space.request("anna");
    expect(await space.decide("otto", forged)).toEqual({});
    expect(await space.decide("otto", { decision: "Pending", ...forged })).toEqual({ decision: "Pending" });
    await space.decide("otto", { decision: "Denied" });
    expect(await space.decide("otto", { decision: "Pending" })).toEqual({ decision: "Pending" });
    await space.decide("otto", { decision: "Denied" });
    expect(await space.decide("otto", { decision: null })).toEqual({});
  });
});
