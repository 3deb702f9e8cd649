import { validateHeaderValue } from "node:http";
import type { Socket } from "node:net";
import {
  type Clock,
  deepEqual,
  systemClock,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@keelson/core";
import type { ClusterAccess, HeaderLines, TlsSettings } from "../config/cluster-access.ts";
import { TransportClosedError } from "../errors.ts";
import { eitherSignal } from "../request/cancellation.ts";
import {
  ConnectionPool,
  type ConnectionUse,
  makeRoute,
  openConnection,
  type Route,
  readBy,
  Semaphore,
  speaksHttp2,
} from "./connection-pool.ts";
import { exchangeHttp1, exchangeStream, type OutgoingRequest } from "./http1-exchange.ts";
import { defaultPings, exchangeHttp2, type PingOptions } from "./http2-exchange.ts";

/** As many requests as one process sends at the same time; further requests wait. Streams do not count. */
const unaryConnections = 64;

/** The options of `httpTransport`. */
export interface HttpTransportOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** When the connection of a stream counts as dead. Default: after 30 s without a byte, and 15 s without a response. */
  readonly pings?: PingOptions;
}

/**
 * Reaches an API server over a pool of kept-alive HTTP/1.1 connections for requests, and a connection for each stream,
 * so that watches, which go on for minutes, never make a request wait. Streams use HTTP/2 where the server speaks it,
 * because its pings find a dead connection; elsewhere the TCP keep-alive does, unless a proxy keeps it up.
 *
 * Credentials are read before each request and TLS settings may change while running: the pool is then replaced,
 * and the old one ends with the requests that still use it.
 */
export function httpTransport(access: ClusterAccess, options: HttpTransportOptions = {}): Transport {
  return new HttpTransport(access, options);
}

/** As whom a request is sent. */
interface Identity {
  readonly headers: HeaderLines;
  readonly tls: TlsSettings;
}

/** How the server is reached with the current TLS settings. */
interface Reach {
  readonly route: Route;
  readonly pool: ConnectionPool;
  /** The server speaks HTTP/2 as far as is known. */
  mayUseHttp2: boolean;
}

class HttpTransport implements Transport {
  readonly #access: ClusterAccess;
  readonly #server: URL;
  readonly #basePath: string;
  readonly #pinging: { readonly clock: Clock; readonly pings: PingOptions };
  readonly #semaphore = new Semaphore(unaryConnections);
  /** Aborts whatever is under way, also in pools that other settings have replaced. */
  readonly #closing = new AbortController();
  /** Each settles when nothing of a connection is left. */
  readonly #closed = new Set<Promise<void>>();
  #reach: Reach | undefined;

  constructor(access: ClusterAccess, { clock = systemClock, pings = defaultPings }: HttpTransportOptions) {
    this.#access = access;
    this.#pinging = { clock, pings };
    this.#server = new URL(access.server);
    this.#basePath = this.#server.pathname.replace(/\/$/, "");
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const identity = await this.#identity(request.signal);
    const response = await this.#attempt(request, identity);
    if (response.status !== 401) return response;
    // Read now: an unread body keeps its connection.
    const refusal = { ...response, body: await inMemory(response.body) };
    const renewed = await this.#renewedIdentity(identity, request.signal);
    // A refused request had no effect, so a second try is safe.
    return renewed === undefined ? refusal : this.#attempt(request, renewed);
  }

  async close(): Promise<void> {
    this.#closing.abort(new TransportClosedError(this.#access.server));
    this.#reach?.pool.destroy();
    await Promise.all(this.#closed);
  }

  async #identity(signal: AbortSignal | undefined): Promise<Identity> {
    return { headers: await this.#access.headers(signal), tls: await this.#access.tls(signal) };
  }

  /** Other credentials than the refused ones, if there are any: another request may have fetched them already. */
  async #renewedIdentity(refused: Identity, signal: AbortSignal | undefined): Promise<Identity | undefined> {
    const current = await this.#identity(signal);
    if (!deepEqual(current, refused)) return current;
    this.#access.refused();
    const renewed = await this.#identity(signal);
    return deepEqual(renewed, refused) ? undefined : renewed;
  }

  async #attempt(request: TransportRequest, { headers, tls }: Identity): Promise<TransportResponse> {
    const signal = eitherSignal(this.#closing.signal, request.signal);
    signal.throwIfAborted();
    const { host } = this.#server;
    checkValues({ ...headers, ...request.headers });
    const outgoing: OutgoingRequest = {
      ...request,
      path: this.#basePath + request.path,
      headers: { ...mutable(headers), ...request.headers, host },
      signal,
    };
    return request.isStream ? this.#stream(outgoing, tls) : this.#exchange(outgoing, tls);
  }

  async #exchange(request: OutgoingRequest, tls: TlsSettings): Promise<TransportResponse> {
    await this.#semaphore.acquire(request.signal);
    const release = (): void => this.#semaphore.release();
    try {
      return exchangeHttp1(request, { agent: this.#reachWith(tls).pool }, release);
    } catch (error) {
      // Not even begun: a certificate, or a path, is not one.
      release();
      throw error;
    }
  }

  async #stream(request: OutgoingRequest, tls: TlsSettings): Promise<TransportResponse> {
    const reach = this.#reachWith(tls);
    const { route } = reach;
    const { signal } = request;
    if (!reach.mayUseHttp2)
      return exchangeStream(request, (onRead) => this.#connect(route, signal, { onRead }));
    const socket = await this.#connect(route, signal, { offersHttp2: true });
    if (speaksHttp2(socket)) return exchangeHttp2(request, socket, this.#pinging);
    reach.mayUseHttp2 = false;
    return exchangeStream(request, async (onRead) => readBy(socket, onRead));
  }

  async #connect(route: Route, signal: AbortSignal, use?: ConnectionUse): Promise<Socket> {
    const socket = await openConnection(route, signal, use);
    // An error comes at any time; the exchange that uses the connection has a listener of its own.
    socket.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    this.#closed.add(closed);
    void closed.then(() => this.#closed.delete(closed));
    return socket;
  }

  #reachWith(tls: TlsSettings): Reach {
    if (this.#reach !== undefined && deepEqual(this.#reach.route.tls, tls)) return this.#reach;
    const route = makeRoute(this.#server, this.#access.proxyUrl, tls);
    const pool = new ConnectionPool(() => this.#connect(route, this.#closing.signal));
    this.#reach?.pool.retire();
    this.#reach = { route, pool, mayUseHttp2: this.#server.protocol === "https:" };
    return this.#reach;
  }
}

async function inMemory(body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return (async function* () {
    yield* chunks;
  })();
}

/** A value that cannot be sent, such as a token with a line end, is a mistake; as it is, it would be part of the request. */
function checkValues(headers: HeaderLines): void {
  for (const [name, value] of Object.entries(headers)) {
    for (const text of [value].flat()) validateHeaderValue(name, text);
  }
}

/** Node does not take read-only lists. */
function mutable(lines: HeaderLines): Record<string, string | string[]> {
  const copy: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(lines))
    copy[name] = typeof value === "string" ? value : [...value];
  return copy;
}
