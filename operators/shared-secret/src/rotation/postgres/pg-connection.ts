import { Socket } from "node:net";
import type { Clock } from "keelson";
import { errorCode, toError } from "keelson/low-level";
import pg from "pg";
import { redactSecrets } from "../redact-secrets.ts";
import {
  type ConnectPostgres,
  PostgresError,
  type PostgresLogin,
  type PostgresRow,
  type PostgresSession,
} from "./connection.ts";

const connectTimeoutMs = 10_000;
const statementTimeoutMs = 10_000;
/** A little more than the server allows itself, so that its own message arrives. */
const responseTimeoutMs = statementTimeoutMs + 2_000;
const closeTimeoutMs = 2_000;

/**
 * The server ends statements that take too long. It also notices within 30 s that the machine of a rotator is down: without
 * that, the locks of the session would be held for hours. Statements, as poolers refuse such options in the first message.
 */
const sessionSettings = [
  `set statement_timeout = ${statementTimeoutMs}`,
  "set tcp_keepalives_idle = 15",
  "set tcp_keepalives_interval = 5",
  "set tcp_keepalives_count = 3",
].join("; ");

/** Opens sessions over TCP, by the package pg. */
export const connectPostgres: ConnectPostgres = async (login, { clock, signal }) => {
  signal.throwIfAborted();
  const session = new PgSession(login, clock, signal);
  try {
    await session.open();
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
};

class PgSession implements PostgresSession {
  readonly #login: PostgresLogin;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** Ours, as pg cannot end a connection that is not open yet. */
  readonly #socket = new Socket();
  readonly #client: pg.Client;
  readonly #onAbort = (): void => this.#end();
  /** Why the connection was lost. If that was between two calls, the next one reports it. */
  #loss: Error | undefined;

  constructor(login: PostgresLogin, clock: Clock, signal: AbortSignal) {
    const { host, port, database, user, password, tls } = login;
    this.#login = login;
    this.#clock = clock;
    this.#signal = signal;
    this.#client = new pg.Client({
      ...{ host, port, database, user, password },
      application_name: "keelson-rotator",
      client_encoding: "UTF8",
      sslnegotiation: "postgres",
      stream: () => this.#socket,
      // Never undefined, which would let variables of the environment decide.
      ssl: tls !== undefined && {
        rejectUnauthorized: tls.verifiesServer,
        ...(tls.ca !== undefined && { ca: tls.ca }),
      },
    });
    this.#client.on("error", (error) => {
      this.#loss ??= error;
    });
    // Before the listener of pg, which would send the password. Users who may not read a Secret could name it in a
    // SharedSecret, with a server of their own.
    this.#client.connection.once("authenticationCleartextPassword", () => {
      this.#loss = new Error(
        "the server requests the password in clear text; let it use scram-sha-256 in its pg_hba.conf",
      );
      this.#client.connection.stream.destroy();
      this.#end();
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  async open(): Promise<void> {
    const { host, port } = this.#login;
    const step = `connect to ${host}:${port}`;
    await this.#within(connectTimeoutMs, step, () => this.#client.connect());
    await this.#within(responseTimeoutMs, step, () => this.#client.query(sessionSettings));
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<readonly PostgresRow[]> {
    const { host, port } = this.#login;
    const result = await this.#within(responseTimeoutMs, `query ${host}:${port}`, () =>
      this.#client.query<Record<string, unknown>>(sql, [...values]),
    );
    return result.rows;
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#onAbort);
    const cancel = this.#clock.schedule(this.#signal.aborted ? 0 : closeTimeoutMs, () => this.#end());
    try {
      await this.#client.end();
    } catch {
      // It is lost, which is all that is wanted.
    } finally {
      cancel();
      this.#end();
    }
  }

  #end(): void {
    this.#socket.destroy();
  }

  async #within<Result>(timeoutMs: number, step: string, work: () => Promise<Result>): Promise<Result> {
    this.#signal.throwIfAborted();
    let isLate = false;
    const cancel = this.#clock.schedule(timeoutMs, () => {
      isLate = true;
      this.#end();
    });
    try {
      return await work();
    } catch (error) {
      this.#signal.throwIfAborted();
      throw isLate
        ? new PostgresError(`${step}: there was no response within ${timeoutMs / 1000} s`)
        : this.#errorOf(step, this.#loss ?? error);
    } finally {
      cancel();
    }
  }

  /** Only the message and the code: other fields of an error may contain parts of statements. */
  #errorOf(step: string, caught: unknown): PostgresError {
    const { message, name } = toError(caught);
    const isServers = caught instanceof pg.DatabaseError;
    const sqlState = isServers ? caught.code : undefined;
    const code = sqlState ?? errorCode(caught);
    const text = message === "" ? name : message;
    const shown = code === undefined || text.includes(code) ? text : `${text} (${code})`;
    const { user, password } = this.#login;
    // The server puts names in quotation marks. The name of the administrator is from a Secret, too.
    return new PostgresError(`${step}: ${redactSecrets(shown, [`"${user}"`, password])}`, { sqlState });
  }
}
