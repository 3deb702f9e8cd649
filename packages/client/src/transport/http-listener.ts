import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import {
  abortable,
  DropConnectionError,
  type HttpService,
  type Listen,
  type Listener,
  type ListenOptions,
  type ServiceResponse,
  type ServingCertificate,
} from "@keelson/core";
import { shownBy } from "./client-certificate.ts";

/** What a server allows its clients. */
export type HttpLimits = Readonly<
  Pick<
    ServerOptions,
    "maxHeaderSize" | "keepAliveTimeout" | "headersTimeout" | "connectionsCheckingInterval" | "requestTimeout"
  >
>;

/** [MG11] */
export const httpLimits: HttpLimits = {
  maxHeaderSize: 1024 * 1024,
  keepAliveTimeout: 90_000,
  headersTimeout: 32_000,
  connectionsCheckingInterval: 4_000,
  // How long a body may take is for the service to say.
  requestTimeout: 0,
};

/** How long the rest of a body that the service left unread is read and dropped before its connection is broken. */
const lingerMs = 1_000;

/** Listens with Node's own HTTP/1.1 server. */
export const listenHttp: Listen = (options, service) => listenWithin(httpLimits, options, service);

/** As `listenHttp`, with other limits. */
export async function listenWithin(
  limits: HttpLimits,
  options: ListenOptions,
  service: HttpService,
): Promise<Listener> {
  const { certificate, clientAuthorities } = options;
  const server =
    certificate === undefined
      ? createServer(limits)
      : await secureServer(limits, certificate, clientAuthorities);
  const listener = new HttpListener(server, service);
  await listener.open(options);
  return listener;
}

/**
 * Takes the certificate anew for each connection, before its handshake begins; connections that are open are not
 * touched. SNICallback would not do: a client that connects to an address sends no name, and so never calls it.
 */
async function secureServer(
  limits: HttpLimits,
  certificate: () => ServingCertificate,
  clientAuthorities: string | undefined,
): Promise<SecureServer> {
  const { createServer: createSecureServer } = await import("node:https");
  let current = certificate();
  const server = createSecureServer({
    ...limits,
    ...secureContext(current, clientAuthorities),
    handshakeTimeout: 32_000,
    // A client without a valid certificate may still be accepted by the service.
    ...(clientAuthorities !== undefined && { requestCert: true, rejectUnauthorized: false }),
  });
  server.prependListener("connection", () => {
    try {
      const latest = certificate();
      if (latest.certificate === current.certificate && latest.key === current.key) return;
      server.setSecureContext(secureContext(latest, clientAuthorities));
      current = latest;
    } catch {
      // One that cannot be used is worse than the old one, which may still be good; its source reports that.
    }
  });
  return server;
}

function secureContext(
  { certificate, key }: ServingCertificate,
  clientAuthorities: string | undefined,
): { readonly cert: string; readonly key: string; readonly ca?: string } {
  return { cert: certificate, key, ...(clientAuthorities !== undefined && { ca: clientAuthorities }) };
}

/** The requests under way on a connection. */
interface Busy {
  count: number;
  /** The request that came last, and so gets the last response. */
  latest: IncomingMessage;
}

class HttpListener implements Listener {
  readonly #server: Server | SecureServer;
  readonly #service: HttpService;
  /** Every open connection, below TLS, by its name. */
  readonly #connections = new Map<string, Socket>();
  /** What is under way on a connection, by its name; nothing: no entry. */
  readonly #busy = new Map<string, Busy>();
  #closing: Promise<void> | undefined;
  /** Called when no request is under way any more. */
  #onQuiet: (() => void) | undefined;

  constructor(server: Server | SecureServer, service: HttpService) {
    this.#server = server;
    this.#service = service;
    server.on("connection", (socket: Socket) => this.#track(socket));
    server.on("request", (request, response) => void this.#respond(request, response));
  }

  async open({ host, port }: ListenOptions): Promise<void> {
    this.#server.listen({ port, ...(host !== undefined && { host }) });
    await once(this.#server, "listening");
  }

  get port(): number {
    const address = this.#server.address();
    return isAddressInfo(address) ? address.port : 0;
  }

  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const name of this.#connections.keys()) this.#dropIfIdle(name);
    const breakAll = setTimeout(() => {
      for (const socket of this.#connections.values()) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(breakAll);
    // The last connection may be closed before the signal of its request aborts.
    if (this.#busy.size === 0) return;
    const { promise: quiet, resolve: onQuiet } = Promise.withResolvers<void>();
    this.#onQuiet = onQuiet;
    await quiet;
  }

  #track(socket: Socket): void {
    const name = nameOf(socket);
    this.#connections.set(name, socket);
    socket.once("close", () => {
      // Its name may belong to the next one already.
      if (this.#connections.get(name) === socket) this.#connections.delete(name);
    });
  }

  #dropIfIdle(name: string): void {
    if (!this.#busy.has(name)) this.#connections.get(name)?.destroy();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = nameOf(request.socket);
    this.#busy.set(name, { count: (this.#busy.get(name)?.count ?? 0) + 1, latest: request });
    const disconnected = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) disconnected.abort(new Error("the client has disconnected"));
      this.#ended(name, request);
    });
    try {
      const served = await this.#handle(request, disconnected.signal);
      // Not while the client still sends: Node would break the connection, and the response might be lost with it.
      // Nor before the last of several requests that came at once: those after it would get no response.
      const isLast = this.#busy.get(name)?.latest === request;
      if (this.#closing !== undefined && isLast && request.complete)
        response.setHeader("connection", "close");
      await send(served, response, disconnected.signal);
    } catch {
      // Half a response must not look like a whole one; a client that has disconnected gets nothing.
      response.destroy();
    }
  }

  async #handle(request: IncomingMessage, signal: AbortSignal): Promise<ServiceResponse> {
    try {
      return await this.#service({
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers: flatten(request.headers),
        headerLines: (name) => request.headersDistinct[name],
        // Leaving the loop early must not close the connection before the response is sent.
        body: request.iterator({ destroyOnReturn: false }),
        signal,
        ...shownBy(request.socket),
      });
    } catch (error) {
      if (error instanceof DropConnectionError) throw error;
      // The error is not for clients; a service that wants it known puts it into a response.
      return { status: 500, headers: { "content-type": "text/plain" }, body: "internal server error\n" };
    }
  }

  #ended(name: string, request: IncomingMessage): void {
    const busy = this.#busy.get(name);
    if (busy !== undefined && --busy.count === 0) this.#busy.delete(name);
    if (!request.complete) this.#linger(name, request);
    else if (this.#closing !== undefined) this.#dropIfIdle(name);
    if (this.#busy.size === 0) this.#onQuiet?.();
  }

  /** Reads on for a while after the response: a connection that is broken while the client sends loses the response. */
  #linger(name: string, request: IncomingMessage): void {
    const { socket } = request;
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    const stop = (): void => {
      clearTimeout(timer);
      if (this.#closing !== undefined) this.#dropIfIdle(name);
    };
    request.once("end", stop);
    socket.once("close", stop);
    request.resume();
  }
}

async function send(served: ServiceResponse, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { status, headers = {}, body } = served;
  response.writeHead(status, headers);
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await abortable(chunks.next(), signal);
      if (done === true) break;
      if (!response.write(value)) await once(response, "drain", { signal });
    }
    response.end();
  } finally {
    // Not awaited: a generator that hangs would keep the connection. It learns of the end from the request's signal.
    chunks.return?.().catch(() => undefined);
  }
}

/**
 * Names a connection by both its ends, which no other has while it is open. Node shows no way from the socket above TLS
 * to the one below.
 */
function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

function flatten(headers: IncomingMessage["headers"]): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
