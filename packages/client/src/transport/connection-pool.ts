import { once } from "node:events";
import { Agent, type ClientRequest, type ClientRequestArgs, type IncomingMessage, request } from "node:http";
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { toError } from "@keelson/core";
import type { TlsSettings } from "../config/cluster-access.ts";

/** How long an idle connection is kept. The API server keeps it for 90 s and does not say so. */
const idleTimeoutMs = 60_000;

type OnConnection = (error: Error | null, connection?: Duplex) => void;

/** Keeps connections of one kind for the requests to come. Idle ones do not keep the process from ending. */
export class ConnectionPool extends Agent {
  readonly #open: () => Promise<Socket>;
  #isRetired = false;

  constructor(open: () => Promise<Socket>) {
    super({ keepAlive: true, timeout: idleTimeoutMs });
    this.#open = open;
  }

  /** Ends idle connections now, and busy ones when their requests are over. */
  retire(): void {
    this.#isRetired = true;
    for (const sockets of Object.values(this.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  override createConnection(_: ClientRequestArgs, callback: OnConnection): undefined {
    this.#open().then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(toError(error)),
    );
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return !this.#isRetired && Boolean(super.keepSocketAlive(socket));
  }
}

/** Allows a number of holders at the same time; further callers wait and acquire it in the order in which they came. */
export class Semaphore {
  #free: number;
  /** In order; a caller that gave up is removed. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when the caller holds the semaphore, and then has to `release` it; rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener("abort", giveUp, { once: true });
    await promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}

const connectTimeoutMs = 10_000;
/**
 * After so long without a byte the system probes the connection, once a second and ten times in all (libuv), so that one
 * whose other end is lost fails within 45 s.
 */
const keepAliveDelayMs = 30_000;

/** Where connections lead, and how. */
export interface Route {
  readonly server: URL;
  readonly proxyUrl: string | undefined;
  readonly tls: TlsSettings;
  /** Made of the settings once, for all connections. */
  readonly secureContext: SecureContext;
}

/** Throws if a certificate or a key is not one. */
export function makeRoute(server: URL, proxyUrl: string | undefined, tls: TlsSettings): Route {
  const { ca, cert, key } = tls;
  const secureContext = createSecureContext({
    // As Go's clients do, trust a server also by its own certificate.
    ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  });
  return { server, proxyUrl, tls, secureContext };
}

/** Is given all that arrives, in memory that is used again after the call. False: no more until the socket is resumed. */
export type OnRead = (bytes: Buffer) => boolean;

/** As much as arrives at once: one record of TLS, or what one reading of a plain connection takes. */
const recordBytes = 1 << 14;
const plainBytes = 1 << 16;

/** How a connection is used. */
export interface ConnectionUse {
  /** What arrives is given to this and not to listeners of the socket, which costs a good deal less. */
  readonly onRead?: OnRead;
  /** Lets the server choose HTTP/2, which `speaksHttp2` tells of the connection. Default: false. */
  readonly offersHttp2?: boolean;
}

/** Whether the server has chosen HTTP/2. */
export function speaksHttp2(socket: Socket): boolean {
  return "alpnProtocol" in socket && socket.alpnProtocol === "h2";
}

/**
 * Opens a connection on which a request can be sent at once: names are resolved, proxies passed and hands shaken. Gives
 * up after ten seconds, or with the signal's reason when that aborts; then nothing of it is left.
 */
export async function openConnection(
  route: Route,
  signal: AbortSignal,
  use: ConnectionUse = {},
): Promise<Socket> {
  const timeout = new AbortController();
  const { host } = route.server;
  const giveUp = (): void =>
    timeout.abort(new Error(`no connection to ${host} within ${connectTimeoutMs / 1000} s`));
  const timer = setTimeout(giveUp, connectTimeoutMs);
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    const tunnel =
      route.proxyUrl === undefined ? undefined : await openTunnel(route.proxyUrl, route.server, either);
    return await connectTo(route, { tunnel, ...use }, either);
  } catch (error) {
    throw either.aborted ? either.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

interface How extends ConnectionUse {
  /** A connection to the server through a proxy, on which nothing was said yet. */
  readonly tunnel?: Socket | undefined;
}

async function connectTo(
  { server, tls, secureContext }: Route,
  { tunnel, onRead, offersHttp2 = false }: How,
  signal: AbortSignal,
): Promise<Socket> {
  const host = hostOf(server);
  const address = { host, port: Number(portOf(server)), noDelay: true, keepAlive: true };
  const isPlain = server.protocol === "http:";
  const tcp = {
    ...{ ...address, keepAliveInitialDelay: keepAliveDelayMs },
    ...(onRead !== undefined && { onread: intoOneBuffer(onRead, isPlain ? plainBytes : recordBytes) }),
  };
  if (tunnel === undefined && isPlain) return established(connectTcp(tcp), "connect", signal);
  // What comes through a tunnel is already read by the socket of the tunnel.
  if (tunnel !== undefined && isPlain) return readBy(tunnel, onRead);
  const socket = connectTls({
    ...(tunnel === undefined ? tcp : { socket: tunnel, host }),
    secureContext,
    // An address is not sent as a name, but it is verified all the same.
    servername: tls.serverName ?? (isIP(host) === 0 ? host : ""),
    rejectUnauthorized: !tls.insecure,
    ALPNProtocols: offersHttp2 ? ["h2", "http/1.1"] : ["http/1.1"],
  });
  await established(socket, "secureConnect", signal);
  return tunnel === undefined ? socket : readBy(socket, onRead);
}

function intoOneBuffer(onRead: OnRead, size: number): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafe(size),
    callback: (length, bytes) => onRead(Buffer.from(bytes.buffer, bytes.byteOffset, length)),
  };
}

/** Gives what arrives on a connection to a function. */
export function readBy(socket: Socket, onRead: OnRead | undefined): Socket {
  if (onRead === undefined) return socket;
  return socket.on("data", (bytes: Buffer) => {
    if (!onRead(bytes)) socket.pause();
  });
}

async function established(socket: Socket, event: string, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    abandon(socket);
    throw error;
  }
}

/** Makes a proxy forward bytes to a server unchanged. */
async function openTunnel(proxyUrl: string, server: URL, signal: AbortSignal): Promise<Socket> {
  const proxy = new URL(proxyUrl);
  const authority = `${server.hostname}:${portOf(server)}`;
  const route = makeRoute(proxy, undefined, { insecure: false });
  const socket = await connectTo(route, {}, signal);
  try {
    const connectRequest = request({
      createConnection: () => socket,
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...authorizationOf(proxy) },
    });
    // Also when the response is not awaited any more.
    connectRequest.on("error", () => undefined).end();
    const { statusCode = 0 } = await tunnelResponse(connectRequest, signal);
    if (statusCode < 200 || statusCode > 299)
      throw new Error(`the proxy ${proxy.host} responded with ${statusCode}`);
    return socket;
  } catch (error) {
    abandon(socket);
    throw error;
  }
}

/** Every response of the proxy is this event. A server sends nothing before a request, so there is no body. */
async function tunnelResponse(connectRequest: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const [response] = await once(connectRequest, "connect", { signal });
  return response;
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Whatever still happens to it is of no interest. */
function abandon(socket: Socket): void {
  socket.on("error", () => undefined);
  socket.destroy();
}

/** IPv6 addresses have brackets in URLs only. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function portOf({ port, protocol }: URL): string {
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}
