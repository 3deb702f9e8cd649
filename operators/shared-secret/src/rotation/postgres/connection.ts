import { type Clock, KeelsonError } from "keelson";

/** Where, as whom and how safely to connect. */
export interface PostgresLogin {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Undefined: the connection is not encrypted. */
  readonly tls: PostgresTls | undefined;
}

/** How an encrypted connection is made. */
export interface PostgresTls {
  /** Whether the certificate of the server must be valid for its host. */
  readonly verifiesServer: boolean;
  /** The authorities of that certificate, in PEM. Default: those of the machine. */
  readonly ca?: string;
}

/** A row of a result, by the names of its columns. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** One session of a database server. Its calls follow each other; each throws a PostgresError or the signal's reason. */
export interface PostgresSession {
  /** `values` are those of `$1`, `$2` and so on. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]>;
  /** Ends the session, and with it its locks. Never throws, and may be called at any time. */
  close(): Promise<void>;
}

/** Time, and what ends a session at once. */
export interface SessionOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Opens a session. Throws a PostgresError or the signal's reason. */
export type ConnectPostgres = (login: PostgresLogin, options: SessionOptions) => Promise<PostgresSession>;

/** The code of PostgreSQL, and an error of our own that led to this one. Errors of pg are not kept: they have more fields. */
interface PostgresErrorOptions {
  readonly sqlState?: string | undefined;
  readonly cause?: PostgresError;
}

/** A database server cannot be reached or refused something. Its message contains no secrets. */
export class PostgresError extends KeelsonError {
  static override readonly brand: string = "keelson.shared-secret.PostgresError";
  readonly code = "POSTGRES";
  /** The code of PostgreSQL, such as `28P01`; undefined if the server did not respond. */
  readonly sqlState: string | undefined;

  constructor(message: string, { sqlState, ...options }: PostgresErrorOptions = {}) {
    super(message, options);
    this.sqlState = sqlState;
  }
}
