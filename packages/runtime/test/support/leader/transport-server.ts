import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Transport, TransportRequest } from "@keelson/core";

const methods: readonly TransportRequest["method"][] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Serves the responses of a transport over HTTP, so that threads and processes meet the faults that it injects. */
export class TransportServer implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(transport: Transport): Promise<TransportServer> {
    const server = createServer((request, response) => {
      passOn(transport, request, response).catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TransportServer(server);
  }

  /** Without credentials: the transport has them. JSON, which is YAML too. */
  get kubeconfig(): string {
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function passOn(
  transport: Transport,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = methods.find((known) => known === request.method);
  if (method === undefined) throw new Error(`no method of Kubernetes: ${request.method}`);
  const { accept = "", "content-type": contentType, "user-agent": userAgent = "" } = request.headers;
  const headers = {
    accept,
    "user-agent": userAgent,
    ...(contentType !== undefined && { "content-type": contentType }),
  };
  const body = await text(request);
  const path = request.url ?? "/";
  const sent = await transport.send({
    method,
    path,
    headers,
    ...(body !== "" && { body }),
    isStream: false,
  });
  const { "content-length": _, "transfer-encoding": __, ...passedOn } = sent.headers;
  response.writeHead(sent.status, passedOn);
  for await (const chunk of sent.body) response.write(chunk);
  response.end();
}
