import { keyOf } from "keelson";
import type { PostgresSpec } from "../../api/spec.ts";
import { postgresName, type RotationRequest, type Rotator, type SecretData } from "../rotator.ts";
import { lockRole } from "./advisory-lock.ts";
import {
  type ConnectPostgres,
  PostgresError,
  type PostgresLogin,
  type PostgresSession,
  type PostgresTls,
} from "./connection.ts";
import { type DesiredLogin, loginRolesOf, nextLoginRole, writeLoginRole } from "./login-roles.ts";
import { saltLength, scramVerifier } from "./scram.ts";

const passwordLength = 32;

/**
 * Rotates the password of a PostgreSQL role without a moment at which no password works. Consumers log in as one of two
 * roles, in turns:
 *
 * ```
 * the Secret        orders_a, password 1   orders_b, password 2   orders_a, password 3
 * orders_a accepts  password 1 ──────────────────────────────────▶ password 3 ────────▶
 * orders_b accepts  nothing    password 2 ───────────────────────────────────── ─ ─ ─ ▶
 * ```
 *
 * A role gets its new password while the Secret names the other one, so the value in the Secret always works, and the one
 * before it until the next rotation. A crash leaves at most a role that nothing uses.
 */
export function postgresRotator(connect: ConnectPostgres): Rotator {
  return { name: postgresName, rotate: (request) => rotate(request, connect) };
}

/** One rotation, and what its steps need. */
interface Rotation {
  readonly request: RotationRequest;
  readonly connect: ConnectPostgres;
  readonly postgres: PostgresSpec;
  readonly tls: PostgresTls | undefined;
  /** Holds the lock of the role. */
  readonly admin: PostgresSession;
}

async function rotate(request: RotationRequest, connect: ConnectPostgres): Promise<void> {
  const { postgres } = request.sharedSecret.spec.rotator ?? {};
  if (postgres === undefined)
    throw new PostgresError("rotate: the SharedSecret has no database; set spec.rotator.postgres");
  const tls = await tlsOf(postgres, request);
  const login = await adminLogin(postgres, tls, request);
  const admin = await explained("log in with adminSecret", adminHints(postgres), () =>
    connect(login, request),
  );
  try {
    await lockRole(admin, postgres, request);
    await rotateLocked({ request, connect, postgres, tls, admin });
  } finally {
    await admin.close();
  }
}

async function rotateLocked(rotation: Rotation): Promise<void> {
  const { request, postgres, admin } = rotation;
  const current = await request.current();
  await correctCurrent(rotation, current);
  const login = nextLoginRole(postgres.role, current.username);
  const password = Buffer.from(request.randomBytes(passwordLength)).toString("base64url");
  await setPassword(rotation, login, password);
  await checkLogin(rotation, login, password);
  // Without the session there is no lock, and another rotator may be about to change the same role.
  await admin.query("select 1");
  await request.publish(contentOf(postgres, login, password));
}

/**
 * Makes the value in the Secret work again if it does not: a person may have changed the password, or restored one of the
 * two sides from a backup. Never touches other roles than the two: users who may write the Secret could name any.
 */
async function correctCurrent(rotation: Rotation, current: SecretData): Promise<void> {
  const { request, postgres } = rotation;
  const { username = "", password = "" } = current;
  if (!loginRolesOf(postgres.role).includes(username) || !/^[\x21-\x7e]+$/.test(password)) return;
  if (!isSameServer(current, postgres)) return;
  if (await canLogIn(rotation, username, password)) return;
  request.log.warn("the value in the Secret does not work; its password is set in the database again", {
    role: username,
  });
  await setPassword(rotation, username, password);
}

/** False if the server does not accept the password, or has no such role. Other problems are not about this login. */
async function canLogIn(
  { connect, ...rotation }: Rotation,
  user: string,
  password: string,
): Promise<boolean> {
  try {
    const session = await connect(loginOf(rotation, user, password), rotation.request);
    await session.close();
    return true;
  } catch (error) {
    if (error instanceof PostgresError) return !isRefusedLogin(error);
    throw error;
  }
}

/** 28P01: the password is wrong. 28000: the role may not log in, among others. */
function isRefusedLogin({ sqlState }: PostgresError): boolean {
  return sqlState === "28P01" || sqlState === "28000";
}

async function setPassword(
  { request, postgres, admin }: Rotation,
  login: string,
  password: string,
): Promise<void> {
  const verifier = scramVerifier(password, request.randomBytes(saltLength));
  const { role } = postgres;
  const desired: DesiredLogin = { role, login, verifier, sharedSecret: keyOf(request.sharedSecret) };
  await explained(`change role ${login}`, adminHints(postgres), () => writeLoginRole(admin, desired));
}

/** Nothing is published that has not worked once. */
async function checkLogin(rotation: Rotation, user: string, password: string): Promise<void> {
  const { connect, request, postgres } = rotation;
  const hints = { "28000": "check pg_hba.conf of the server", "42501": databaseHint(postgres) };
  await explained(`log in as ${user}`, hints, async () => {
    const session = await connect(loginOf(rotation, user, password), request);
    try {
      const [row] = await session.query("select current_user as acts_as");
      if (row?.acts_as !== postgres.role)
        throw new PostgresError(
          `its sessions do not act as role ${postgres.role}; remove settings of ${user} that are for one database`,
        );
    } finally {
      await session.close();
    }
  });
}

function databaseHint({ role, database }: PostgresSpec): string {
  return `role ${role} needs the privilege CONNECT on database ${database}`;
}

/** What to do about the errors of the administrator's session, by the code of PostgreSQL. */
function adminHints({ adminSecret, role, database }: PostgresSpec): Hints {
  const { name: secret, usernameKey, passwordKey } = adminSecret;
  return {
    "28P01": `check ${usernameKey} and ${passwordKey} of Secret ${secret}`,
    "28000": `check pg_hba.conf of the server and ${usernameKey} of Secret ${secret}`,
    "3D000": `create database ${database} or correct spec.rotator.postgres.database`,
    "42501": `the user of Secret ${secret} needs CREATEROLE, and role ${role} WITH ADMIN OPTION`,
  };
}

type Hints = Readonly<Record<string, string>>;

/** Adds to an error what was being done and what to do. */
async function explained<Result>(step: string, hints: Hints, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    const { message, sqlState } = error;
    const hint = sqlState === undefined ? undefined : hints[sqlState];
    const said = message.startsWith(`${step}: `) ? message : `${step}: ${message}`;
    throw new PostgresError(hint === undefined ? said : `${said}; ${hint}`, { sqlState, cause: error });
  }
}

async function adminLogin(
  { host, port, database, adminSecret }: PostgresSpec,
  tls: PostgresTls | undefined,
  request: RotationRequest,
): Promise<PostgresLogin> {
  const data = await request.readSecret(adminSecret.name);
  const user = valueIn(data, adminSecret.name, adminSecret.usernameKey);
  const password = valueIn(data, adminSecret.name, adminSecret.passwordKey);
  return { host, port, database, user, password, tls };
}

async function tlsOf({ tls }: PostgresSpec, request: RotationRequest): Promise<PostgresTls | undefined> {
  const { mode, caSecret } = tls;
  if (mode === "Disable") return undefined;
  const verifiesServer = mode === "VerifyFull";
  if (caSecret === undefined) return { verifiesServer };
  const ca = valueIn(await request.readSecret(caSecret.name), caSecret.name, caSecret.key);
  return { verifiesServer, ca };
}

function valueIn(data: SecretData, secret: string, key: string): string {
  const value = data[key];
  if (value === undefined || value === "")
    throw new PostgresError(`read Secret ${secret}: it has no value for ${key}; add it`);
  return value;
}

function loginOf(
  { postgres: { host, port, database }, tls }: Pick<Rotation, "postgres" | "tls">,
  user: string,
  password: string,
): PostgresLogin {
  return { host, port, database, user, password, tls };
}

/** The content of the Secret. Whether its consumers use TLS is for them to choose, so the URI has no parameters. */
function contentOf({ host, port, database }: PostgresSpec, username: string, password: string): SecretData {
  const address = host.includes(":") ? `[${host}]` : host;
  const value = `postgresql://${username}:${password}@${address}:${port}/${encodeURIComponent(database)}`;
  return { value, username, password, host, port: String(port), database };
}

function isSameServer(current: SecretData, { host, port, database }: PostgresSpec): boolean {
  return current.host === host && current.port === String(port) && current.database === database;
}
