import { KeelsonError, toError } from "./error.ts";

/**
 * How requests reach an API server: over sockets, or straight into one in the same process. An implementation moves
 * bytes and knows nothing of Kubernetes; it returns error statuses like any other.
 */
export interface Transport {
  /** Resolves when the head of the response has arrived; rejects if none arrives, or when the signal aborts. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends every connection; requests under way fail. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, from the server's root. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True for a response that goes on for as long as both sides like, such as a watch or a followed log. */
  readonly isStream: boolean;
  readonly signal?: AbortSignal;
  /**
   * Called, and must return at once, right before the first byte leaves, by a transport that lets requests wait for
   * credentials or a connection; again for each repetition. If it throws, nothing is sent, and `send` rejects with that.
   */
  readonly checkBeforeSend?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to its end or left by `return`, so that its connection becomes free. Fails if the connection does. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A body for a server that is not an API server, such as a webhook server. */
export interface OutgoingPost {
  readonly url: string;
  /** Where the host of the URL is reached, such as `10.0.0.7:8443`. Default: the host itself. */
  readonly address?: string;
  /** The name in the certificate of the server. Default: the host of the URL. */
  readonly serverName?: string;
  /**
   * The certificates of which one must be that of the server, or have signed it; in PEM. Default: the authorities of
   * the machine.
   */
  readonly certificateAuthority?: string;
  readonly body: string;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Default: no such header. */
  readonly userAgent?: string;
  /** If not, a redirect is a response like any other. Default: true. */
  readonly followRedirects?: boolean;
  /** The body of the response is cut off after so many bytes. Default: it is read to its end. */
  readonly mostResponseBytes?: number;
  /**
   * Whether to connect to an IP address, after the name of the host was resolved; for every address to which a connection
   * would be opened. A proxy resolves names itself, so then only an address in the URL is checked. Default: any address.
   */
  readonly acceptAddress?: (address: string) => boolean;
  /** A proxy that forwards the connection, such as `http://proxy.shop:3128`. Default: none. */
  readonly proxyUrl?: string;
  readonly signal: AbortSignal;
}

export interface PostResponse {
  readonly status: number;
  /** The `content-type` header; empty without one. */
  readonly contentType: string;
  readonly body: string;
}

/** A POST got no response. */
export class PostError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.PostError";
  readonly code = "POST_FAILED";
  /** What was called: after a redirect, the place to which it led. */
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`POST ${url}: ${toError(cause).message}`, { cause });
    this.url = url;
  }
}

/** The host of a POST has no address to which the caller lets it connect. Nothing was sent. */
export class AddressRefusedError extends KeelsonError {
  static override readonly brand: string = "@keelson/core.AddressRefusedError";
  readonly code = "ADDRESS_REFUSED";
  readonly addresses: readonly string[];

  constructor(addresses: readonly string[]) {
    super(`connections to ${addresses.join(" and ")} are not accepted`);
    this.addresses = addresses;
  }
}
