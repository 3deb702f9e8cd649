import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A response that the test chooses; undefined lets the server respond as usual. */
type Override = (request: IncomingMessage, response: ServerResponse) => void;

/** What an index says about a version. */
export interface PublishedVersion {
  readonly version: string;
  readonly icon?: string;
  readonly description?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly urls?: readonly string[];
}

/** An HTTP server on this machine with the indexes of repositories of charts, each at a path of its own. */
export class ChartServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #files = new Map<string, string | Buffer>();
  readonly #overrides = new Map<string, Override>();
  /** The paths that were requested. */
  readonly requests: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => this.#respond(request, response));
  }

  static async start(): Promise<ChartServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ChartServer(server);
  }

  /** The URL of a repository. */
  repo(name: string): string {
    return `http://127.0.0.1:${portOf(this.#server)}/${name}`;
  }

  /** Writes the index of a repository with one chart, as Helm writes it. */
  publish(repo: string, chart: string, versions: readonly PublishedVersion[]): void {
    const items = versions.map((version) => `  - ${JSON.stringify({ name: chart, ...version })}\n`);
    this.serve(`/${repo}/index.yaml`, `apiVersion: v1\nentries:\n  ${chart}:\n${items.join("")}`);
  }

  serve(path: string, content: string | Buffer): void {
    this.#files.set(path, content);
  }

  /** Responds so to requests for the index of a repository, until `repair`. */
  breakRepo(repo: string, override: Override): void {
    this.#overrides.set(`/${repo}/index.yaml`, override);
  }

  repair(repo: string): void {
    this.#overrides.delete(`/${repo}/index.yaml`);
  }

  /** How often the index of a repository was requested. */
  reads(repo: string): number {
    return this.requests.filter((path) => path === `/${repo}/index.yaml`).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    this.requests.push(path);
    const override = this.#overrides.get(path);
    const content = this.#files.get(path);
    if (override !== undefined) override(request, response);
    else if (content === undefined) response.writeHead(404).end();
    else response.end(content);
  }
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("the server does not listen");
  return address.port;
}
