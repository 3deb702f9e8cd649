import type { Transport } from "@keelson/core";
import { UnknownUserError } from "./errors.ts";
import { readReply, readStream } from "./read-answer.ts";
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
  createUser(name: string, groups: readonly string[]): Promise<WorldUser>;
  kubectl(args: readonly string[], kubeconfigPath: string, run: KubectlRun): Promise<KubectlResult>;
}

/** A World whose requests go over the transports of its users. It owns the resources, and disposes of them. */
export function createWorld(parts: WorldParts, resources: AsyncDisposableStack): World & AsyncDisposable {
  return new TransportWorld(parts, resources);
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
    return user === "nobody" ? this.#parts.anonymous : this.#user(user).transport;
  }

  #user(name?: string): WorldUser {
    const user = name === undefined ? this.#parts.admin : this.#users.get(name);
    if (user === undefined) throw new UnknownUserError(name ?? "");
    return user;
  }
}
