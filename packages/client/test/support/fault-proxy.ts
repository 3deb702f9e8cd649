import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { ClusterAccess } from "../../src/config/cluster-access.ts";

/** What the proxy does with a request instead of passing it on. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

export const faults = {
  answer:
    (status: number, headers: Record<string, string> = {}, body = ""): Fault =>
    (_, response) => {
      response.writeHead(status, headers).end(body);
    },
  /** Cuts the connection before an answer. */
  reset: ((request) => {
    request.socket.resetAndDestroy();
  }) satisfies Fault as Fault,
  neverAnswer: (() => undefined) satisfies Fault as Fault,
  /** Says 429, come back at once, and hangs up in the middle of the reason. */
  brokenRefusal: ((_, response) => {
    response.writeHead(429, { "retry-after": "0", "content-length": "1000" });
    response.write("slow d", () => response.destroy());
  }) satisfies Fault as Fault,
  /** Says 500 and never why. */
  stalledRefusal: ((_, response) => {
    response.writeHead(500, { "content-length": "1000" });
    response.write("because");
  }) satisfies Fault as Fault,
  /** Announces more bytes than it sends, then hangs up. */
  halfAnswer: ((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"na', () => response.destroy());
  }) satisfies Fault as Fault,
};

/** Stands between a client and the real API server, counts, and misbehaves on request. It passes on with its own certificate. */
export interface FaultProxy extends AsyncDisposable {
  readonly access: ClusterAccess;
  /** How many connections were ever opened. */
  readonly connections: number;
  /** How many are open now. */
  readonly openConnections: number;
  /** `METHOD path` of every request, without the query, in order. */
  readonly requests: readonly string[];
  /** The headers of the last request. */
  readonly lastHeaders: IncomingMessage["headers"];
  /** The next requests meet these faults, one each. */
  inject(...next: readonly Fault[]): void;
}

export async function startFaultProxy(target: ClusterAccess): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const queue: Fault[] = [];
  const requests: string[] = [];
  let connections = 0;
  let lastHeaders: IncomingMessage["headers"] = {};
  const tls = await target.tls();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    lastHeaders = request.headers;
    const fault = queue.shift();
    if (fault !== undefined) return fault(request, response);
    const upstream = httpsRequest(
      target.server + request.url,
      { method: request.method, headers: request.headers, ...tls },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    request.pipe(upstream);
  });
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    access: {
      server: `http://127.0.0.1:${port}`,
      namespace: "default",
      tls: async () => ({ insecure: false }),
      headers: async () => ({}),
      refused: () => undefined,
    },
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    requests,
    get lastHeaders() {
      return lastHeaders;
    },
    inject: (...next) => void queue.push(...next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
