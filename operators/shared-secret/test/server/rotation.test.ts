import { faults, faultyTransport, startWorld, type World } from "@keelson/testkit";
import { mergePatch, systemClock } from "keelson";
import { accessFromKubeconfig, createClient, httpTransport } from "keelson/client";
import { Secret } from "keelson/kinds/core/v1";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { rotatedAtAnnotation, saltAnnotation, secretLabel, secretNameOf } from "../../src/api/names.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import type { Rotator, SecretData } from "../../src/rotation/rotator.ts";
import { missingPostgres, startPostgres, superuser, type TestPostgres } from "../support/postgres.ts";
import { postgresOn, type RotationSpace, rotationSpace } from "../support/rotation-space.ts";

const missing = await missingPostgres();
const hourMs = 3_600_000;

let world: World;
let server: TestPostgres;

beforeAll(async () => {
  if (missing !== undefined) return;
  [world, server] = await Promise.all([startWorld(process.env.KEELSON_LEVEL), startPostgres()]);
  await installCrds(world.client, [SharedSecret]);
});
afterAll(async () => {
  await Promise.all([world?.stop(), server?.stop()]);
});

/** Whether the database accepts what a Secret contains. */
function works({ username = "", password = "" }: SecretData): Promise<boolean> {
  return server.accepts(username, password);
}

/** A SharedSecret `db` in a namespace of its own. */
async function prepared(status?: object): Promise<RotationSpace> {
  const space = await rotationSpace(world, server);
  await space.create("db", await postgresOn(server), status);
  return space;
}

/** A client whose connection fails as a test wants. */
function faultyClient() {
  const { kubeconfig } = world.cluster;
  const access = accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} });
  const transport = faultyTransport(httpTransport(access));
  onTestFinished(() => transport.close());
  return { transport, client: createClient({ transport }) };
}

const isStatusPatch = { method: "PATCH", path: /\/sharedsecrets\/db\/status/ };
const isSecretPatch = { method: "PATCH", path: /\/secrets\/db-secret/ };

describe.skipIf(missing !== undefined)("a rotation that is due", () => {
  it("replaces the content of the Secret and has the consumers restarted", async () => {
    const space = await prepared();
    await world.client.patch(
      Secret,
      { namespace: space.namespace, name: "db-secret" },
      mergePatch({ data: { extra: btoa("x") } }),
    );
    const beforeMs = Date.now();
    const outcome = await space.rotate("db");
    const { metadata, data = {} } = await space.get(Secret, secretNameOf("db"));
    expect(Object.keys(data).sort()).toEqual(["database", "host", "password", "port", "username", "value"]);
    expect(metadata.labels).toEqual({ [secretLabel]: "db" });
    expect(metadata.annotations?.[saltAnnotation]).toBe("salt");
    expect(await works(await space.content("db"))).toBe(true);
    const rotatedAt = metadata.annotations?.[rotatedAtAnnotation] ?? "";
    const rotatedMs = Date.parse(rotatedAt);
    expect(rotatedMs).toBeGreaterThanOrEqual(beforeMs);
    const { status } = await space.get(SharedSecret, "db");
    const { nextTime = "" } = status?.rotation ?? {};
    expect(status).toEqual({
      ...{ approved: true, rotateSeconds: 3600, podsRestartRequired: true, lastUpdated: rotatedAt },
      rotation: { lastTime: rotatedAt, nextTime, rotations: 1 },
    });
    expect(Date.parse(nextTime) - rotatedMs).toBeGreaterThanOrEqual(0.9 * hourMs);
    expect(Date.parse(nextTime) - rotatedMs).toBeLessThanOrEqual(hourMs);
    expect(outcome).toEqual({ result: "Rotated", nextMs: Date.parse(nextTime) });
    expect(await space.rotate("db")).toEqual({
      result: "NotDue",
      reason: "NotDue",
      retryAtMs: Date.parse(nextTime),
    });
  });

  it("waits until the consumers have the current value", async () => {
    const space = await prepared();
    await space.rotate("db");
    space.clock.move(hourMs);
    const content = await space.content("db");
    expect(await space.rotate("db")).toEqual({ result: "NotDue", reason: "WaitingForConsumers" });
    await space.patchStatus("db", {
      restart: { startedAt: "2026-01-01T00:00:00Z", version: "1", isFlagged: false },
    });
    await space.consumersRestarted("db");
    expect(await space.rotate("db")).toEqual({ result: "NotDue", reason: "WaitingForConsumers" });
    expect(await space.content("db")).toEqual(content);
    await space.patchStatus("db", { restart: null });
    expect(await space.rotate("db")).toMatchObject({ result: "Rotated" });
    expect((await space.get(SharedSecret, "db")).status?.rotation?.rotations).toBe(2);
  });

  it("is decided by what the server has, whatever the caller has read before", async () => {
    const space = await prepared();
    const stale = await space.get(SharedSecret, "db");
    await space.patchStatus("db", { approved: false });
    const never: Rotator = { name: "never", rotate: () => Promise.reject(new Error("it was called")) };
    expect(await space.rotate("db", { sharedSecret: stale, rotator: never })).toEqual({
      ...{ result: "NotDue", reason: "NotApproved" },
    });
  });

  it("does not happen without an approval, a Secret of the SharedSecret, or a rotator", async () => {
    const space = await prepared({ approved: false });
    expect(await space.rotate("db")).toEqual({ result: "NotDue", reason: "NotApproved" });
    await space.create("plain", undefined);
    expect(await space.rotate("plain")).toEqual({ result: "NotDue", reason: "NoRotator" });
    await space.patchStatus("db", { approved: true, rotateSeconds: 3600 });
    const key = { namespace: space.namespace, name: "db-secret" };
    await world.client.patch(Secret, key, mergePatch({ metadata: { ownerReferences: null } }));
    expect(await space.rotate("db")).toMatchObject({ result: "NotDue", reason: "NoSecret" });
    expect((await space.get(Secret, "db-secret")).data).toEqual({ value: "" });
    await world.client.delete(Secret, key);
    expect(await space.rotate("db")).toMatchObject({ result: "NotDue", reason: "NoSecret" });
  });

  it("is done by one of several rotators", async () => {
    const space = await prepared();
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => space.rotate("db")));
    expect(outcomes.filter(({ result }) => result === "Rotated")).toHaveLength(1);
    expect(outcomes.filter(({ result }) => result === "NotDue")).toHaveLength(3);
    expect((await space.get(SharedSecret, "db")).status?.rotation?.rotations).toBe(1);
    expect(await works(await space.content("db"))).toBe(true);
  });
});

describe.skipIf(missing !== undefined)("after a crash", () => {
  it("between the Secret and the status, only the status follows", async () => {
    const space = await prepared();
    const { client, transport } = faultyClient();
    transport.fault(isStatusPatch, faults.refuse("InternalError"));
    await expect(space.rotate("db", { client })).rejects.toMatchObject({ code: expect.any(String) });
    const content = await space.content("db");
    expect(await works(content)).toBe(true);
    expect((await space.get(SharedSecret, "db")).status?.rotation).toBeUndefined();
    expect(await space.rotate("db")).toMatchObject({ result: "Rotated" });
    expect(await space.content("db")).toEqual(content);
    const { metadata } = await space.get(Secret, "db-secret");
    expect((await space.get(SharedSecret, "db")).status).toMatchObject({
      podsRestartRequired: true,
      rotation: { rotations: 1, lastTime: metadata.annotations?.[rotatedAtAnnotation] },
    });
    expect(await space.rotate("db")).toMatchObject({ result: "NotDue", reason: "NotDue" });
  });

  it("before the response to the write of the Secret, the status follows and shows no failure", async () => {
    const space = await prepared();
    const { client, transport } = faultyClient();
    transport.fault(isSecretPatch, faults.loseResponse());
    expect(await space.rotate("db", { client })).toMatchObject({ result: "Failed" });
    expect(await works(await space.content("db"))).toBe(true);
    expect(await space.rotate("db")).toMatchObject({ result: "Rotated" });
    expect((await space.get(SharedSecret, "db")).status?.rotation).toEqual({
      ...{ rotations: 1, totalFailures: 1 },
      ...{ lastTime: expect.any(String), nextTime: expect.any(String) },
    });
  });
});

describe.skipIf(missing !== undefined)("a write of the Secret during a rotation", () => {
  it("is not overwritten, and the rotation is tried again", async () => {
    const space = await prepared();
    const key = { namespace: space.namespace, name: "db-secret" };
    const interrupted: Rotator = {
      name: "postgres",
      rotate: async (request) => {
        await request.current();
        await world.client.patch(Secret, key, mergePatch({ metadata: { labels: { written: "meanwhile" } } }));
        await request.publish({ value: "overwritten" });
      },
    };
    expect(await space.rotate("db", { rotator: interrupted })).toMatchObject({
      ...{ result: "NotDue", reason: "SecretChanged", retryAtMs: expect.any(Number) },
    });
    const { metadata, data } = await space.get(Secret, "db-secret");
    expect([metadata.labels?.written, data?.value]).toEqual(["meanwhile", ""]);
    expect((await space.get(SharedSecret, "db")).status?.rotation).toBeUndefined();
    expect(await space.rotate("db")).toMatchObject({ result: "Rotated" });
    expect((await space.get(Secret, "db-secret")).metadata.labels?.written).toBe("meanwhile");
  });
});

describe.skipIf(missing !== undefined)("a rotation that fails", () => {
  it("is counted and explained in the status, and tried again after a while", async () => {
    const space = await prepared();
    await space.writeSecret("admin", { ...superuser, password: "a wrong password" });
    const problem =
      `log in with adminSecret: connect to localhost:${server.port}: password authentication failed for user [redacted] ` +
      "(28P01); check username and password of Secret admin";
    expect(await space.rotate("db")).toMatchObject({ result: "Failed", problem });
    const first = (await space.get(SharedSecret, "db")).status;
    expect(first).toEqual({
      ...{ approved: true, rotateSeconds: 3600 },
      rotation: { failures: 1, totalFailures: 1, problem, lastAttempt: expect.any(String) },
    });
    const retryAtMs = Date.parse(first?.rotation?.lastAttempt ?? "") + 1_000;
    expect(await space.rotate("db")).toEqual({ result: "NotDue", reason: "BackingOff", retryAtMs });
    space.clock.move(1_000);
    expect(await space.rotate("db")).toMatchObject({ result: "Failed" });
    expect((await space.get(SharedSecret, "db")).status?.rotation).toMatchObject({
      failures: 2,
      totalFailures: 2,
    });
    await space.writeSecret("admin", superuser);
    space.clock.move(2_000);
    expect(await space.rotate("db")).toMatchObject({ result: "Rotated" });
    expect((await space.get(SharedSecret, "db")).status?.rotation).toEqual({
      ...{ rotations: 1, totalFailures: 2 },
      ...{ lastTime: expect.any(String), nextTime: expect.any(String) },
    });
  });

  it("shows no secret, whatever the rotator says", async () => {
    const space = await prepared();
    await space.rotate("db");
    await space.consumersRestarted("db");
    space.clock.move(hourMs);
    const { value = "", password = "" } = await space.content("db");
    const careless: Rotator = {
      name: "postgres",
      rotate: async (request) => {
        const current = await request.current();
        const admin = await request.readSecret("admin");
        throw new Error(`${current.value} by ${current.username} as ${admin.username}:${admin.password}`);
      },
    };
    const { username } = await space.content("db");
    const outcome = await space.rotate("db", { rotator: careless });
    expect(outcome).toMatchObject({
      problem: `[redacted] by ${username} as ${superuser.username}:[redacted]`,
    });
    const shown = JSON.stringify([await space.get(SharedSecret, "db"), outcome, space.log.lines]);
    for (const secret of [value, password, superuser.password]) expect(shown).not.toContain(secret);
  });

  it("is one whose rotator published nothing, or no value", async () => {
    const space = await prepared();
    expect(
      await space.rotate("db", { rotator: { name: "idle", rotate: async () => undefined } }),
    ).toMatchObject({
      problem: "rotate: rotator idle published nothing; correct it",
    });
    space.clock.move(hourMs);
    const empty: Rotator = { name: "empty", rotate: ({ publish }) => publish({ password: "x" }) };
    expect(await space.rotate("db", { rotator: empty })).toMatchObject({
      problem: "publish: the content has no value; add the key value",
    });
    expect((await space.get(Secret, "db-secret")).data).toEqual({ value: "" });
  });
});

describe.skipIf(missing !== undefined)("many rotations", () => {
  it("never let a login fail, of clients that take a new value early or late", {
    timeout: 120_000,
  }, async () => {
    const rotations = 50;
    const space = await prepared();
    await space.rotate("db");
    const clients = await Promise.all(
      Array.from({ length: 3 }, async () => new LoginLoop(await space.content("db"))),
    );
    const loops = clients.map((client) => client.run());
    for (let rotation = 2; rotation <= rotations; rotation++) {
      await space.consumersRestarted("db");
      space.clock.move(hourMs);
      expect(await space.rotate("db")).toMatchObject({ result: "Rotated" });
      // They take the new value one after the other, and log in with both before the next rotation.
      for (const client of clients) {
        await client.logsIn();
        client.content = await space.content("db");
      }
      await Promise.all(clients.map((client) => client.logsIn()));
    }
    for (const client of clients) client.isStopped = true;
    await Promise.all(loops);
    expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
    expect(Math.min(...clients.map(({ logins }) => logins))).toBeGreaterThan(rotations);
    expect((await space.get(SharedSecret, "db")).status?.rotation?.rotations).toBe(rotations);
  });
});

/** A consumer that connects again all the time. */
class LoginLoop {
  content: SecretData;
  logins = 0;
  readonly failures: unknown[] = [];
  isStopped = false;

  constructor(content: SecretData) {
    this.content = content;
  }

  async run(): Promise<void> {
    while (!this.isStopped) {
      try {
        if (!(await works(this.content))) this.failures.push(this.content.username);
      } catch (error) {
        this.failures.push(error);
      }
      this.logins += 1;
    }
  }

  /** Resolves after another whole login. */
  async logsIn(): Promise<void> {
    const before = this.logins;
    await expect.poll(() => this.logins, { interval: 5 }).toBeGreaterThanOrEqual(before + 2);
  }
}
