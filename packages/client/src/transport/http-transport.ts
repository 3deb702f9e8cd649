import {
  abortable,
  deepEqual,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@keelson/core";
import type { Dispatcher } from "undici";
import type { ClusterAccess, HeaderLines, TlsSettings } from "../config/cluster-access.ts";
import { TransportClosedError } from "../errors.ts";
import { eitherSignal } from "../request/iteration.ts";
import type { MakeDispatcher } from "./dispatcher.ts";

/** As many requests as one process sends at the same time; more wait for their turn. Streams do not count. */
const unaryConnections = 64;

/**
 * Reaches an API server over HTTP/1.1: one pool of kept-alive connections for requests, and a second one for streams,
 * so that watches, which hold a connection for minutes, never make a request wait.
 *
 * Credentials are asked for before each request and TLS settings may change while running: the pools are then replaced,
 * and the old ones end with the requests that still use them.
 */
export function httpTransport(access: ClusterAccess): Transport {
  return new HttpTransport(access);
}

/**
 * How much of a body waits for its reader before the server is made to wait. A watch comes in many small pieces: with
 * the default, 16 KiB, each handful of objects would stop the socket and start it again.
 */
const bufferedBytes = 1 << 20;

/** As whom a request is sent. */
interface Identity {
  readonly headers: HeaderLines;
  readonly tls: TlsSettings;
}

interface Pools {
  readonly tls: TlsSettings;
  readonly unary: Dispatcher;
  readonly streams: Dispatcher;
}

class HttpTransport implements Transport {
  readonly #access: ClusterAccess;
  readonly #origin: string;
  readonly #basePath: string;
  /** Aborts whatever is under way, also in pools that other settings have replaced. */
  readonly #closing = new AbortController();
  #pools: Pools | undefined;

  constructor(access: ClusterAccess) {
    this.#access = access;
    const { origin, pathname } = new URL(access.server);
    this.#origin = origin;
    this.#basePath = pathname.replace(/\/$/, "");
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const identity = await this.#identity(request.signal);
    const response = await this.#attempt(request, identity);
    if (response.status !== 401) return response;
    // Read now: a body that nobody reads keeps its connection.
    const refusal = { ...response, body: await inMemory(response.body) };
    const renewed = await this.#renewedIdentity(identity, request.signal);
    // A refused request was not carried out, so a second try is safe.
    return renewed === undefined ? refusal : this.#attempt(request, renewed);
  }

  async close(): Promise<void> {
    this.#closing.abort(new TransportClosedError(this.#access.server));
    await Promise.all([this.#pools?.unary.destroy(), this.#pools?.streams.destroy()]);
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

  async #attempt(request: TransportRequest, identity: Identity): Promise<TransportResponse> {
    // Loading undici takes longer than all the rest of this package; who only passes a transport on does not need it.
    const { makeDispatcher } = await import("./dispatcher.ts");
    const signal = eitherSignal(this.#closing.signal, request.signal);
    signal.throwIfAborted();
    const pools = this.#currentPools(identity.tls, makeDispatcher);
    const pool = request.isStream ? pools.streams : pools.unary;
    const { checkBeforeSend } = request;
    const dispatcher = checkBeforeSend === undefined ? pool : pool.compose(checking(checkBeforeSend));
    const sent = dispatcher.request({
      origin: this.#origin,
      path: this.#basePath + request.path,
      method: request.method,
      headers: { ...mutable(identity.headers), ...request.headers },
      body: request.body ?? null,
      signal,
      // Deadlines are the caller's, by signal: a quiet watch is not a broken one.
      headersTimeout: 0,
      bodyTimeout: 0,
      highWaterMark: bufferedBytes,
    });
    // undici heeds the signal only once it has a connection; then it drops the request that nobody waits for.
    const { statusCode, headers, body } = await abortable(sent, signal);
    return { status: statusCode, headers: flatten(headers), body };
  }

  #currentPools(tls: TlsSettings, makeDispatcher: MakeDispatcher): Pools {
    const current = this.#pools;
    if (current !== undefined && deepEqual(current.tls, tls)) return current;
    const { proxyUrl } = this.#access;
    this.#pools = {
      tls,
      unary: makeDispatcher(tls, proxyUrl, unaryConnections),
      streams: makeDispatcher(tls, proxyUrl, undefined),
    };
    // Requests that use the old pools end as they began; idle connections end now.
    void current?.unary.close();
    void current?.streams.close();
    return this.#pools;
  }
}

/** undici starts a request when it has a connection for it; what throws then ends the request and keeps the connection. */
function checking(check: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      check();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

async function inMemory(body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return (async function* () {
    yield* chunks;
  })();
}

/** undici does not take read-only lists. */
function mutable(lines: HeaderLines): Record<string, string | string[]> {
  const copy: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(lines))
    copy[name] = typeof value === "string" ? value : [...value];
  return copy;
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
