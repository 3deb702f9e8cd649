import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import type { TlsSettings } from "../config/cluster-access.ts";

const connectTimeoutMs = 10_000;
/** After so long without a byte the other side is asked whether it is still there. */
const keepAliveDelayMs = 60_000;

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
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  });
  return { server, proxyUrl, tls, secureContext };
}

/** What is spoken on a connection, as TLS names it. */
export type Protocol = "h2" | "http/1.1";

/**
 * Opens a connection on which a request can be sent at once: names are resolved, proxies passed and hands shaken. Gives
 * up after ten seconds, or with the signal's reason when that aborts; then nothing of it is left.
 */
export async function openConnection(
  route: Route,
  protocols: readonly Protocol[],
  signal: AbortSignal,
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
    return await connectTo(route, { protocols, tunnel }, either);
  } catch (error) {
    throw either.aborted ? either.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the server has agreed to speak HTTP/2. */
export function speaksHttp2(socket: Socket): boolean {
  return "alpnProtocol" in socket && socket.alpnProtocol === "h2";
}

interface How {
  readonly protocols: readonly Protocol[];
  /** A connection to the server through a proxy, on which nothing was said yet. */
  readonly tunnel?: Socket | undefined;
}

async function connectTo(
  { server, tls, secureContext }: Route,
  { protocols, tunnel }: How,
  signal: AbortSignal,
): Promise<Socket> {
  const host = hostOf(server);
  const address = { host, port: Number(portOf(server)), noDelay: true, keepAlive: true };
  const tcp = { ...address, keepAliveInitialDelay: keepAliveDelayMs };
  if (server.protocol === "http:") return tunnel ?? established(connectTcp(tcp), "connect", signal);
  const socket = connectTls({
    ...(tunnel === undefined ? tcp : { socket: tunnel, host }),
    secureContext,
    // An address is not sent as a name, but it is verified all the same.
    servername: tls.serverName ?? (isIP(host) === 0 ? host : ""),
    rejectUnauthorized: !tls.insecure,
    ALPNProtocols: [...protocols],
  });
  return established(socket, "secureConnect", signal);
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

/** Asks a proxy to pass bytes on to a server without looking at them. */
async function openTunnel(proxyUrl: string, server: URL, signal: AbortSignal): Promise<Socket> {
  const proxy = new URL(proxyUrl);
  const authority = `${server.hostname}:${portOf(server)}`;
  const route = makeRoute(proxy, undefined, { insecure: false });
  const socket = await connectTo(route, { protocols: ["http/1.1"] }, signal);
  try {
    const asked = request({
      createConnection: () => socket,
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...authorizationOf(proxy) },
    });
    // Also when nobody waits for the answer any more.
    asked.on("error", () => undefined).end();
    const { statusCode = 0 } = await tunnelAnswer(asked, signal);
    if (statusCode < 200 || statusCode > 299)
      throw new Error(`the proxy ${proxy.host} answered ${statusCode}`);
    return socket;
  } catch (error) {
    abandon(socket);
    throw error;
  }
}

/** Whatever the proxy answers: it comes as this event. A server says nothing before it was asked, so there is no body. */
async function tunnelAnswer(asked: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const [answer] = await once(asked, "connect", { signal });
  return answer;
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
