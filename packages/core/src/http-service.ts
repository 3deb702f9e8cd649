import { KeelsonError } from "./error.ts";

/**
 * A server as a function from request to response, so that it can be called with or without a network. Whoever
 * listens on a socket moves bytes and knows nothing of what they mean.
 */
export type HttpService = (request: ServiceRequest) => Promise<ServiceResponse>;

export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The values of a header, one for each line on which it came: `headers` joins them by commas, which a value may hold
   * too. Without it nobody knows more than `headers`.
   */
  readonly headerLines?: (name: string) => readonly string[] | undefined;
  /** Need not be read. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client has gone away. */
  readonly signal: AbortSignal;
  /** Of the client, if it showed one that the listener's authority for clients has signed. */
  readonly clientCertificate?: ClientCertificate;
}

/** Whom a certificate names; it was checked. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the whole certificate, in lower-case hexadecimal digits. */
  readonly fingerprint: string;
}

export interface ServiceResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Streams are sent as they come. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Thrown by a service that wants the connection broken instead of an answer, as if the server had died. */
export class DropConnectionError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.DropConnectionError";
  readonly code = "DROP_CONNECTION";

  constructor(reason: string) {
    super(`answer a request: ${reason}; the connection is broken`);
  }
}

/** A certificate chain and its private key, in PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface ListenOptions {
  /** Default: all addresses. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Serves HTTPS; asked for at each handshake, so that a new certificate needs no new listener. Default: HTTP. */
  readonly certificate?: () => ServingCertificate;
  /**
   * Certificates, in PEM, of those whose word about clients counts: clients of HTTPS are asked for a certificate, and
   * one that these have signed is shown to the service. Others come in too, without it. Default: nobody is asked.
   */
  readonly clientAuthorities?: string;
}

/** An open port. */
export interface Listener {
  readonly port: number;
  /**
   * Takes no more connections, lets requests under way end for at most so long, then breaks them; idle connections are
   * closed at once. When it resolves nothing of it is left.
   */
  close(graceMs: number): Promise<void>;
}

/** Opens a port for a service; rejects if it cannot be had. */
export type Listen = (options: ListenOptions, service: HttpService) => Promise<Listener>;
