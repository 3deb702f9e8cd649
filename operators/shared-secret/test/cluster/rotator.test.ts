import { randomBytes } from "node:crypto";
import { RecordingLogger } from "@keelson/testkit";
import { type Clock, type Stored, systemClock, z } from "keelson";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { NotDueError } from "../../src/rotation/due.ts";
import type { ConnectPostgres, PostgresLogin } from "../../src/rotation/postgres/connection.ts";
import { connectPostgres } from "../../src/rotation/postgres/pg-connection.ts";
import { postgresRotator } from "../../src/rotation/postgres/postgres-rotator.ts";
import type { RotationRequest, SecretData } from "../../src/rotation/rotator.ts";
import { missingPostgres, startPostgres, superuser, type TestPostgres } from "../support/postgres.ts";

const missing = await missingPostgres();

let server: TestPostgres;
let roles = 0;
/** Every password that a test has seen. */
const passwords = new Set<string>([superuser.password]);

beforeAll(async () => {
  if (missing === undefined) server = await startPostgres();
});
afterAll(() => server?.stop());

interface PostgresOverrides {
  readonly role: string;
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly tls?: object;
}

/** The Secret of a SharedSecret in memory, and the requests of its rotators. */
class Rotated {
  readonly role: string;
  readonly sharedSecret: Stored<SharedSecret>;
  readonly log: RecordingLogger = new RecordingLogger();
  /** Other Secrets of the namespace. */
  readonly others: Map<string, SecretData> = new Map([["admin", superuser]]);
  content: SecretData = { value: "" };
  rotations = 0;

  constructor(postgres: PostgresOverrides, name = postgres.role) {
    this.role = postgres.role;
    const { host, port, database } = server;
    const tls = { mode: "VerifyFull", caSecret: { name: "authority" } };
    this.others.set("authority", { "ca.crt": server.ca });
    this.sharedSecret = {
      apiVersion: "vault.keelson.dev/v1alpha1",
      kind: "SharedSecret",
      metadata: {
        ...{ namespace: "shop", name, uid: `uid-of-${name}` },
        ...{ resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
      },
      spec: z.parse(SharedSecret.schemas.spec, {
        rotate: 3600,
        rotator: { postgres: { host, port, database, tls, adminSecret: { name: "admin" }, ...postgres } },
      }),
      podsRestartRequired: false,
      secret: "",
    };
  }

  /** A SharedSecret with a role of its own that exists. */
  static async create(overrides: Omit<PostgresOverrides, "role"> = {}): Promise<Rotated> {
    const role = `role_${roles++}`;
    await server.query(`create role ${role} nologin`);
    return new Rotated({ role, ...overrides });
  }

  request(signal: AbortSignal = new AbortController().signal, clock: Clock = systemClock): RotationRequest {
    const before = this.rotations;
    return {
      ...{ sharedSecret: this.sharedSecret, randomBytes, clock, log: this.log, signal },
      current: async () => {
        if (this.rotations !== before) throw new NotDueError({ due: false, reason: "NotDue" });
        return this.content;
      },
      readSecret: async (name) => this.others.get(name) ?? {},
      publish: async (data) => {
        passwords.add(data.password ?? "");
        this.content = data;
        this.rotations += 1;
      },
    };
  }

  async rotate(connect: ConnectPostgres = connectPostgres): Promise<SecretData> {
    await postgresRotator(connect).rotate(this.request());
    return this.content;
  }

  /** Why a rotation fails. */
  async refusal(connect: ConnectPostgres = connectPostgres): Promise<string> {
    const before = this.content;
    const error = await postgresRotator(connect)
      .rotate(this.request())
      .then(
        () => undefined,
        (caught: unknown) => caught,
      );
    expect(this.content).toBe(before);
    return error instanceof Error ? error.message : "it succeeded";
  }

  /** Whether the content works. */
  works({ username = "", password = "" }: SecretData = this.content): Promise<boolean> {
    return server.accepts(username, password);
  }
}

/** A session as a consumer with the content of a Secret. */
async function consumer(content: SecretData, sql: string) {
  const { username: user = "", password = "" } = content;
  const { host, port, database } = server;
  const login: PostgresLogin = {
    host,
    port,
    database,
    user,
    password,
    tls: { verifiesServer: true, ca: server.ca },
  };
  const session = await connectPostgres(login, { clock: systemClock, signal: new AbortController().signal });
  try {
    return await session.query(sql);
  } finally {
    await session.close();
  }
}

async function sessionsLeft(): Promise<unknown> {
  const [row] = await server.query(
    "select count(*)::int as count from pg_stat_activity where application_name = 'keelson-rotator'",
  );
  return row?.count;
}

describe.skipIf(missing !== undefined)("the PostgreSQL rotator", () => {
  it("creates the first login role with the rights of the role", async () => {
    const rotated = await Rotated.create();
    const { role } = rotated;
    const { host, port, database } = server;
    const { value, username, password = "", ...rest } = await rotated.rotate();
    expect(username).toBe(`${role}_a`);
    expect(password).toMatch(/^[-_A-Za-z0-9]{43}$/);
    expect(value).toBe(`postgresql://${role}_a:${password}@${host}:${port}/${database}`);
    expect(rest).toEqual({ host, port: String(port), database });
    expect(await rotated.works()).toBe(true);
    expect(await sessionsLeft()).toBe(0);
  });

  it("gives the two login roles a new password in turns, and the one before works until the next rotation", async () => {
    const rotated = await Rotated.create();
    const first = await rotated.rotate();
    const second = await rotated.rotate();
    expect([first.username, second.username]).toEqual([`${rotated.role}_a`, `${rotated.role}_b`]);
    expect([await rotated.works(first), await rotated.works(second)]).toEqual([true, true]);
    const third = await rotated.rotate();
    expect(third.username).toBe(`${rotated.role}_a`);
    expect([await rotated.works(first), await rotated.works(second), await rotated.works(third)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("lets consumers use what the role may use, and nothing else", async () => {
    const rotated = await Rotated.create();
    const { role } = rotated;
    const admin = { ...superuser };
    await consumer(admin, `create table granted_${role} (id int)`);
    await consumer(admin, `create table private_${role} (id int)`);
    await consumer(admin, `grant select on granted_${role} to ${role}`);
    const content = await rotated.rotate();
    expect(await consumer(content, `select id from granted_${role}`)).toEqual([]);
    await expect(consumer(content, `select id from private_${role}`)).rejects.toMatchObject({
      sqlState: "42501",
    });
    await expect(consumer(content, `insert into granted_${role} values (1)`)).rejects.toMatchObject({
      sqlState: "42501",
    });
  });

  it("has consumers act as the role, so that what one login role creates the other may change", async () => {
    const rotated = await Rotated.create();
    const { role } = rotated;
    await consumer(superuser, `grant create on schema public to ${role}`);
    await consumer(await rotated.rotate(), `create table made_${role} (id int)`);
    const second = await rotated.rotate();
    await consumer(second, `alter table made_${role} add column name text`);
    expect(
      await consumer(second, `select tableowner from pg_tables where tablename = 'made_${role}'`),
    ).toEqual([{ tableowner: role }]);
  });

  it("works with an administrator that may only create roles and grant the role", async () => {
    const rotated = await Rotated.create();
    const admin = { username: `admin_${rotated.role}`, password: "of-the-administrator" };
    passwords.add(admin.password);
    await server.query(`create role ${admin.username} login createrole`);
    await server.query(`grant ${rotated.role} to ${admin.username} with admin option`);
    // Not by a statement with the password, which the server logs.
    const { scramVerifier } = await import("../../src/rotation/postgres/scram.ts");
    await server.query(
      `alter role ${admin.username} password '${scramVerifier(admin.password, randomBytes(16))}'`,
    );
    rotated.others.set("admin", admin);
    for (let rotation = 0; rotation < 3; rotation++) await rotated.rotate();
    expect(await rotated.works()).toBe(true);
  });

  it("lets only one of several rotators change a role, and the others find that it is done", async () => {
    const rotated = await Rotated.create();
    await rotated.rotate();
    const attempts = await Promise.allSettled(
      Array.from({ length: 4 }, () => rotated.request()).map((request) =>
        postgresRotator(connectPostgres).rotate(request),
      ),
    );
    const failed = attempts.flatMap((attempt) => (attempt.status === "rejected" ? [attempt.reason] : []));
    expect(failed).toHaveLength(3);
    for (const error of failed) expect(error).toBeInstanceOf(NotDueError);
    expect(rotated.rotations).toBe(2);
    expect(await rotated.works()).toBe(true);
  });

  it("stops to wait for another rotator when it is aborted", async () => {
    const rotated = await Rotated.create();
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const first = rotated.request();
    const holding = postgresRotator(connectPostgres).rotate({
      ...first,
      current: async () => {
        reached.resolve();
        await held.promise;
        return first.current();
      },
    });
    await reached.promise;
    const stop = new AbortController();
    const waiting = postgresRotator(connectPostgres).rotate(rotated.request(stop.signal));
    await expect.poll(sessionsLeft).toBe(2);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    await expect.poll(sessionsLeft).toBe(1);
    held.resolve();
    await holding;
    expect(await rotated.works()).toBe(true);
  });
});

describe.skipIf(missing !== undefined)("after a crash of the rotator", () => {
  /** Executes so many calls; the last one and all later ones throw. */
  function crashAfter(calls: number) {
    let count = 0;
    const counted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (count >= calls) throw new Error("crashed");
      const result = await work();
      count += 1;
      if (count >= calls) throw new Error("crashed");
      return result;
    };
    const connect: ConnectPostgres = async (login, options) => {
      const session = await counted(async () => {
        const opened = await connectPostgres(login, options);
        onTestFinished(() => opened.close());
        return opened;
      });
      return {
        query: (sql, values) => counted(() => session.query(sql, values)),
        close: () => session.close(),
      };
    };
    return { connect, counted };
  }

  it("the value in the Secret works, and the next rotation succeeds, whichever call was the last", async () => {
    const rotated = await Rotated.create();
    let calls = 0;
    for (let crashed = true; crashed; ) {
      calls += 1;
      const { connect, counted } = crashAfter(calls);
      const request = rotated.request();
      const publish: RotationRequest["publish"] = (data) => counted(() => request.publish(data));
      crashed = await postgresRotator(connect)
        .rotate({ ...request, publish })
        .then(
          () => false,
          () => true,
        );
      if (rotated.content.value !== "") expect(await rotated.works()).toBe(true);
      await rotated.rotate();
      expect(await rotated.works()).toBe(true);
    }
    expect(calls).toBeGreaterThan(10);
  });

  it("publishes nothing if the session that holds the lock was lost", async () => {
    const rotated = await Rotated.create();
    await rotated.rotate();
    const lossy: ConnectPostgres = async (login, options) => {
      const session = await connectPostgres(login, options);
      return {
        close: () => session.close(),
        query: async (sql, values) => {
          const rows = await session.query(sql, values);
          if (sql === "commit")
            await server.query(
              "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'keelson-rotator'",
            );
          return rows;
        },
      };
    };
    expect(await rotated.refusal(lossy)).toMatch(/terminat/);
    expect(await rotated.works()).toBe(true);
    await rotated.rotate();
    expect(await rotated.works()).toBe(true);
  });
});

describe.skipIf(missing !== undefined)("a value in the Secret that does not work", () => {
  const changes: readonly (readonly [string, (login: string) => string])[] = [
    ["whose password was changed", (login) => `alter role ${login} password 'changed by a person'`],
    ["whose login role was dropped", (login) => `drop role ${login}`],
    ["whose login role may not log in", (login) => `alter role ${login} nologin`],
    ["whose password has expired", (login) => `alter role ${login} valid until '2020-01-01'`],
  ];
  for (const [what, change] of changes)
    it(`works again after the next rotation: one ${what}`, async () => {
      const rotated = await Rotated.create();
      const before = await rotated.rotate();
      await server.query(change(before.username ?? ""));
      await rotated.rotate();
      expect([await rotated.works(before), await rotated.works()]).toEqual([true, true]);
      expect(rotated.log.messages("warn")).toHaveLength(1);
    });

  it("does not change the password of a role that is none of the two", async () => {
    const rotated = await Rotated.create();
    const other = `other_${rotated.role}`;
    await server.query(`create role ${other} login`);
    const { host, port, database } = server;
    rotated.content = { value: "x", username: other, password: "chosen", host, port: String(port), database };
    await rotated.rotate();
    expect(await server.accepts(other, "chosen")).toBe(false);
    expect(rotated.content.username).toBe(`${rotated.role}_a`);
  });

  it("does not take over a login role that is in use elsewhere", async () => {
    const rotated = await Rotated.create();
    await rotated.rotate();
    const copied = new Rotated({ role: rotated.role }, "copied");
    expect(await copied.refusal()).toBe(
      `change role ${rotated.role}_a: it exists and does not belong to this SharedSecret; choose another role, or give it ` +
        `away by COMMENT ON ROLE "${rotated.role}_a" IS 'rotated for SharedSecret shop/copied'`,
    );
    expect(await rotated.works()).toBe(true);
    await server.query(`comment on role "${rotated.role}_a" is 'rotated for SharedSecret shop/copied'`);
    await copied.rotate();
    expect(await copied.works()).toBe(true);
  });
});

describe.skipIf(missing !== undefined)("a rotation that fails says why", () => {
  it("with a wrong password of the administrator", async () => {
    const rotated = await Rotated.create();
    passwords.add("a wrong password");
    rotated.others.set("admin", { ...superuser, password: "a wrong password" });
    expect(await rotated.refusal()).toBe(
      `log in with adminSecret: connect to localhost:${server.port}: password authentication failed for user [redacted] ` +
        "(28P01); check username and password of Secret admin",
    );
  });

  it("without a key of the administrator", async () => {
    const rotated = await Rotated.create();
    rotated.others.set("admin", { username: "postgres", password: "" });
    expect(await rotated.refusal()).toBe("read Secret admin: it has no value for password; add it");
  });

  it("with an administrator without rights", async () => {
    const rotated = await Rotated.create();
    const content = await rotated.rotate();
    rotated.others.set("admin", { username: content.username ?? "", password: content.password ?? "" });
    expect(await rotated.refusal()).toMatch(
      /^change role role_\d+_b: .*permission denied.*\(42501\); the user of Secret admin needs CREATEROLE, and role role_\d+ WITH ADMIN OPTION$/,
    );
  });

  it("without the role", async () => {
    const rotated = new Rotated({ role: "not_created" });
    expect(await rotated.refusal()).toBe(
      "change role not_created_a: role not_created, whose rights it is to have, does not exist; create it, such as by " +
        'CREATE ROLE "not_created" NOLOGIN, and grant it what the consumers need',
    );
  });

  it("without the database", async () => {
    const rotated = await Rotated.create({ database: "unknown" });
    expect(await rotated.refusal()).toBe(
      `log in with adminSecret: connect to localhost:${server.port}: database "unknown" does not exist (3D000); ` +
        "create database unknown or correct spec.rotator.postgres.database",
    );
  });

  it("if the new login role does not act as the role", async () => {
    const rotated = await Rotated.create();
    await rotated.rotate();
    await rotated.rotate();
    await server.query(`alter role ${rotated.role}_a in database orders set role = '${rotated.role}_a'`);
    expect(await rotated.refusal()).toBe(
      `log in as ${rotated.role}_a: its sessions do not act as role ${rotated.role}; ` +
        `remove settings of ${rotated.role}_a that are for one database`,
    );
    expect(await rotated.works()).toBe(true);
  });

  it("while the server is down, and succeeds when it is up again", async () => {
    const rotated = await Rotated.create();
    await rotated.rotate();
    await server.restart(async () => {
      expect(await rotated.refusal()).toMatch(
        new RegExp(`^log in with adminSecret: connect to localhost:${server.port}: .*ECONNREFUSED`),
      );
    });
    await rotated.rotate();
    expect(await rotated.works()).toBe(true);
  });
});

describe.skipIf(missing !== undefined)("TLS", () => {
  const encrypted = (role: string): RegExp =>
    new RegExp(`connection authorized: user=${role}_a .*SSL enabled`);

  it("is used and the server verified by default", async () => {
    const rotated = await Rotated.create();
    await rotated.rotate();
    await expect.poll(() => server.log()).toMatch(encrypted(rotated.role));
  });

  it("refuses a server whose certificate is not trusted", async () => {
    const rotated = await Rotated.create({ tls: {} });
    expect(await rotated.refusal()).toMatch(
      /unable to verify the first certificate|UNABLE_TO_VERIFY|self-signed/,
    );
  });

  it("refuses a server whose certificate is for another host", async () => {
    const rotated = await Rotated.create({ host: "127.0.0.1" });
    expect(await rotated.refusal()).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
  });

  it("does not verify the server with mode Require", async () => {
    const rotated = await Rotated.create({ host: "127.0.0.1", tls: { mode: "Require" } });
    await rotated.rotate();
    await expect.poll(() => server.log()).toMatch(encrypted(rotated.role));
  });

  it("is not used with mode Disable", async () => {
    const rotated = await Rotated.create({ tls: { mode: "Disable" } });
    await rotated.rotate();
    await expect
      .poll(() => server.log())
      .toMatch(new RegExp(`connection authorized: user=${rotated.role}_a`));
    expect(server.log()).not.toMatch(encrypted(rotated.role));
  });

  it("is required unless it is disabled", async () => {
    const rotated = await Rotated.create();
    await server.query("alter system set ssl = off");
    await server.query("select pg_reload_conf()");
    onTestFinished(async () => {
      await server.query("alter system reset ssl");
      await server.query("select pg_reload_conf()");
    });
    await expect.poll(() => rotated.refusal()).toMatch(/The server does not support SSL connections/);
  });
});

it.skipIf(missing !== undefined)("no password is in the log of the server or of a rotator", async () => {
  const rotated = await Rotated.create();
  await rotated.rotate();
  // The log is the server's, with every statement.
  await expect
    .poll(() => server.log())
    .toMatch(new RegExp(`create role "${rotated.role}_a" .*SCRAM-SHA-256\\$4096:`));
  expect(passwords.size).toBeGreaterThan(10);
  const log = server.log();
  expect([...passwords].filter((password) => log.includes(password))).toEqual([]);
});
