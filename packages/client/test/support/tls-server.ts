import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { ClusterAccess } from "../../src/config/cluster-access.ts";
import { type Certificate, selfSigned } from "./certificates.ts";

/** A request of either protocol. */
export interface ServerRequest extends Readable {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly headers: IncomingHttpHeaders;
}

/** The response to it. */
export interface ServerAnswer extends Writable {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
}

/** A TLS server with a certificate for `localhost` that ends with the test. */
export interface TlsServer {
  /** Handles every request from now on. */
  onRequest(answer: (request: ServerRequest, response: ServerAnswer) => void): void;
  readonly access: ClusterAccess;
  /** The connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many were ever opened. */
  readonly connections: () => number;
}

export interface TlsServerOptions {
  readonly certificate?: Certificate;
  /** Whether it speaks HTTP/2 beside HTTP/1.1. Default: true. */
  readonly speaksHttp2?: boolean;
}

export async function startTlsServer(options: TlsServerOptions = {}): Promise<TlsServer> {
  const { certificate = await selfSigned("localhost"), speaksHttp2 = true } = options;
  const server = speaksHttp2
    ? createSecureServer({ ...certificate, allowHTTP1: true })
    : createHttpsServer(certificate);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const access = accessTo(`https://127.0.0.1:${port}`, certificate.cert);
  return {
    onRequest: (answer) => void server.on("request", answer),
    access,
    sockets,
    connections: () => connections,
  };
}

/** A server that accepts connections and says nothing; it ends with the test. */
export async function startMuteServer(): Promise<{
  readonly url: URL;
  readonly sockets: ReadonlySet<Socket>;
}> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    // Unless it is read, its end is not seen.
    socket.resume();
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: new URL(`https://127.0.0.1:${port}`), sockets };
}

/** Access without a proof of who asks. The certificate is verified only as far as it has been signed by itself. */
export function accessTo(server: string, ca?: string): ClusterAccess {
  const tls = { ...(ca !== undefined && { ca }), serverName: "localhost", insecure: ca === undefined };
  return {
    server,
    namespace: "default",
    tls: async () => tls,
    headers: async () => ({}),
    refused: () => undefined,
  };
}

async function listening(
  server: {
    listen(port: number, host: string): unknown;
    address(): AddressInfo | string | null;
  } & NodeJS.EventEmitter,
): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
