import { once } from "node:events";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { ClusterAccess } from "../../src/config/cluster-access.ts";
import { type Certificate, selfSigned } from "./certificates.ts";

/** A TLS server with a certificate for `localhost` that speaks HTTP/2 and HTTP/1.1, and ends with the test. */
export interface TlsServer {
  readonly server: Http2SecureServer;
  readonly access: ClusterAccess;
  /** The connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many were ever opened. */
  readonly connections: () => number;
}

export async function startTlsServer(given?: Certificate): Promise<TlsServer> {
  const certificate = given ?? (await selfSigned("localhost"));
  const server = createSecureServer({ ...certificate, allowHTTP1: true });
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
  return { server, access, sockets, connections: () => connections };
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
