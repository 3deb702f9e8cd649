import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import {
  DropConnectionError,
  type HttpService,
  type Listen,
  type Listener,
  type ListenOptions,
  type ServiceResponse,
} from "@keelson/core";
import {
  bodyOf,
  breakResponse,
  endWithResponse,
  isHttp2,
  type NodeRequest,
  type NodeResponse,
  sendResponse,
  serviceRequest,
} from "./node-exchange.ts";
import { type HttpLimits, httpLimits, type NodeServer, nodeServer } from "./node-server.ts";

/** How long the rest of a body that the service left unread is read and dropped before its connection is broken. */
const lingerMs = 1_000;

/** Listens with Node's own servers. */
export const listenHttp: Listen = (options, service) => listenWithin(httpLimits, options, service);

/** As `listenHttp`, with other limits. */
export async function listenWithin(
  limits: HttpLimits,
  options: ListenOptions,
  service: HttpService,
): Promise<Listener> {
  const listener = new HttpListener(await nodeServer(limits, options), service);
  await listener.open(options);
  return listener;
}

/** The requests under way on a connection. */
interface Busy {
  count: number;
  /** The request that came last, and so gets the last response. */
  latest: NodeRequest;
}

class HttpListener implements Listener {
  readonly #server: NodeServer;
  readonly #service: HttpService;
  /** Every open connection, below TLS, by its name. */
  readonly #connections = new Map<string, Socket>();
  /** The names of the connections of HTTP/2, which end by themselves when the server is closed and their requests are. */
  readonly #sessions = new Set<string>();
  /** What is under way on a connection, by its name; nothing: no entry. */
  readonly #busy = new Map<string, Busy>();
  #closing: Promise<void> | undefined;
  /** Called when no request is under way any more. */
  #onQuiet: (() => void) | undefined;

  constructor(server: NodeServer, service: HttpService) {
    this.#server = server;
    this.#service = service;
    server.on("connection", (socket: Socket) => this.#track(socket));
    server.on("session", (session: ServerHttp2Session) => this.#trackSession(session));
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

  #trackSession(session: ServerHttp2Session): void {
    const name = nameOf(session.socket);
    this.#sessions.add(name);
    session.once("close", () => this.#sessions.delete(name));
  }

  #dropIfIdle(name: string): void {
    if (!this.#busy.has(name) && !this.#sessions.has(name)) this.#connections.get(name)?.destroy();
  }

  async #respond(request: NodeRequest, response: NodeResponse): Promise<void> {
    const name = nameOf(request.socket);
    this.#busy.set(name, { count: (this.#busy.get(name)?.count ?? 0) + 1, latest: request });
    const disconnected = new AbortController();
    const body = bodyOf(response);
    const disconnect = (): void => disconnected.abort(new Error("the client has disconnected"));
    body.once("close", () => {
      if (!body.writableFinished) disconnect();
      this.#ended(name, request);
    });
    if (isHttp2(request)) endWithResponse(request, disconnect);
    try {
      const served = await this.#handle(request, disconnected.signal);
      // Not while the client still sends: Node would break the connection, and the response might be lost with it.
      // Nor before the last of several requests that came at once: those after it would get no response.
      const isLast = this.#busy.get(name)?.latest === request;
      if (this.#closing !== undefined && isLast && request.complete && !isHttp2(request))
        response.setHeader("connection", "close");
      await sendResponse(served, response, disconnected.signal);
    } catch {
      // A client that has disconnected gets nothing.
      breakResponse(response);
    }
  }

  async #handle(request: NodeRequest, signal: AbortSignal): Promise<ServiceResponse> {
    try {
      return await this.#service(serviceRequest(request, signal));
    } catch (error) {
      if (error instanceof DropConnectionError) throw error;
      // The error is not for clients; a service that wants it known puts it into a response.
      return { status: 500, headers: { "content-type": "text/plain" }, body: "internal server error\n" };
    }
  }

  #ended(name: string, request: NodeRequest): void {
    const busy = this.#busy.get(name);
    if (busy !== undefined && --busy.count === 0) this.#busy.delete(name);
    // A stream of HTTP/2 ends without its connection.
    if (!isHttp2(request) && !request.complete) this.#linger(name, request);
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

/**
 * Names a connection by both its ends, which no other has while it is open. Node shows no way from the socket above TLS
 * to the one below.
 */
function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
