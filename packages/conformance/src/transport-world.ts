import { accessFromKubeconfig, httpTransport, splitLines } from "@keelson/client";
import { CertificateAuthority } from "@keelson/controlplane";
import { type Kubeconfig, systemClock, type Transport, type TransportResponse } from "@keelson/core";
import { UnknownUserError } from "./errors.ts";
import type { KubectlResult, KubectlRun, Reply, StreamReply, World, WorldRequest } from "./world.ts";

/** How one user reaches the server. */
export interface WorldUser {
  readonly transport: Transport;
  readonly kubeconfigPath: string;
}

/** What is particular to a control plane; the rest of a World is the same for each. */
export interface WorldParts {
  readonly admin: WorldUser;
  /** Shows nothing of its own; what a request carries in its headers counts. */
  readonly anonymous: Transport;
  /** Shows a certificate for a user that an authority of its own has signed. */
  readonly stranger: Transport;
  createUser(name: string, groups: readonly string[]): Promise<WorldUser>;
  kubectl(args: readonly string[], kubeconfigPath: string, run: KubectlRun): Promise<KubectlResult>;
}

/** A World whose requests go over the transports of its users. It owns the resources, and disposes of them. */
export function createWorld(parts: WorldParts, resources: AsyncDisposableStack): World & AsyncDisposable {
  return new TransportWorld(parts, resources);
}

/** Sends requests without credentials to the server of a kubeconfig. */
export function anonymousTransport(kubeconfig: Kubeconfig): Transport {
  const users = kubeconfig.users.map(({ name }) => ({ name, user: {} }));
  return httpTransport(accessFromKubeconfig({ ...kubeconfig, users }, { clock: systemClock, env: {} }));
}

/** Sends requests with a client certificate that the server has no reason to trust. */
export async function strangerTransport(kubeconfig: Kubeconfig): Promise<Transport> {
  const authority = await CertificateAuthority.create("stranger");
  const { certificate, key } = await authority.issueClient({ user: "ann", groups: ["system:masters"] });
  const user = { "client-certificate-data": encoded(certificate), "client-key-data": encoded(key) };
  const users = kubeconfig.users.map(({ name }) => ({ name, user }));
  return httpTransport(accessFromKubeconfig({ ...kubeconfig, users }, { clock: systemClock, env: {} }));
}

function encoded(pem: string): string {
  return Buffer.from(pem).toString("base64");
}

class TransportWorld implements World, AsyncDisposable {
  readonly #parts: WorldParts;
  readonly #resources: AsyncDisposableStack;
  readonly #users = new Map<string, WorldUser>();

  constructor(parts: WorldParts, resources: AsyncDisposableStack) {
    this.#parts = parts;
    this.#resources = resources;
  }

  async request({ method, path, headers = {}, body, user }: WorldRequest): Promise<Reply> {
    const response = await this.#transport(user).send({
      method,
      path,
      headers,
      isStream: false,
      ...(body !== undefined && { body }),
    });
    return await readReply(response);
  }

  async stream(
    path: string,
    lines: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<StreamReply> {
    const response = await this.#user().transport.send({ method: "GET", path, headers, isStream: true });
    return await readStream(response, lines);
  }

  async kubectl(args: readonly string[], run: KubectlRun = {}): Promise<KubectlResult> {
    return await this.#parts.kubectl(args, this.#user(run.user).kubeconfigPath, run);
  }

  async addUser(name: string, groups: readonly string[] = []): Promise<void> {
    const user = await this.#parts.createUser(name, groups);
    this.#resources.defer(() => user.transport.close());
    this.#users.set(name, user);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #transport(user: string | undefined): Transport {
    if (user === "stranger") return this.#parts.stranger;
    return user === "anonymous" ? this.#parts.anonymous : this.#user(user).transport;
  }

  #user(name?: string): WorldUser {
    const user = name === undefined ? this.#parts.admin : this.#users.get(name);
    if (user === undefined) throw new UnknownUserError(name ?? "");
    return user;
  }
}

/** Reads a response to its end. */
async function readReply({ status, headers, body }: TransportResponse): Promise<Reply> {
  return { status, headers, text: await textOf(body) };
}

/** Reads `count` lines of a response and closes it; the body of a refused request is one line, however it is laid out. */
async function readStream({ status, body }: TransportResponse, count: number): Promise<StreamReply> {
  if (status !== 200) return { status, lines: [await textOf(body)], ended: true };
  const lines: string[] = [];
  for await (const more of splitLines(body)) {
    lines.push(...more.map((line) => line.toString("utf8")));
    if (lines.length >= count) return { status, lines: lines.slice(0, count), ended: false };
  }
  return { status, lines, ended: true };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
