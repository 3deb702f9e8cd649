import { KeelsonError } from "./error.ts";

/**
 * A server as a function from request to response, so that it can be called with or without a network. A listener
 * on a socket moves bytes and does not interpret them.
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
   * too. Without it only `headers` are known.
   */
  readonly headerLines?: (name: string) => readonly string[] | undefined;
  /** Need not be read. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** The certificate of the client, if it presented one that the listener's authority for clients has signed. */
  readonly clientCertificate?: ClientCertificate;
  /** The client presented a certificate that the listener's authority for clients has not signed, or that has expired. */
  readonly hasUnverifiedCertificate?: boolean;
}

/** The subject of a client certificate that was verified. */
export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the whole certificate, in lower-case hexadecimal digits. */
  readonly fingerprint: string;
}

export interface ServiceResponse {
  readonly status: number;
  /** Lower-case names. Several values are sent on a line each. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Streams are sent as they come. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Thrown by a service to break the connection instead of responding, as if the server had died. */
export class DropConnectionError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.DropConnectionError";
  readonly code = "DROP_CONNECTION";

  constructor(reason: string) {
    super(`respond to a request: ${reason}; the connection is broken`);
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
  /** Serves HTTPS; called at each handshake, so that a new certificate needs no new listener. Default: HTTP. */
  readonly certificate?: () => ServingCertificate;
  /**
   * Certificates, in PEM, of the authorities for client certificates: HTTPS clients are requested to present a
   * certificate, and the service gets it if one of these has signed it. Clients without such a certificate are served
   * as well. Default: no certificate is requested.
   */
  readonly clientAuthorities?: string;
  /** Offers HTTP/2 beside HTTP/1.1 to HTTPS clients, for many requests at once on one connection. Default: false. */
  readonly http2?: boolean;
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

/** Opens a port for a service; rejects if the port cannot be opened. */
export type Listen = (options: ListenOptions, service: HttpService) => Promise<Listener>;
