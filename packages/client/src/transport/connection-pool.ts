import { Agent, type ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { toError } from "@keelson/core";

/** How long an idle connection is kept. The API server keeps it for 90 s and does not say so. */
const idleTimeoutMs = 60_000;

type OnConnection = (error: Error | null, connection?: Duplex) => void;

/** Keeps connections of one kind for the requests to come. Idle ones do not keep the process from ending. */
export class ConnectionPool extends Agent {
  readonly #open: () => Promise<Socket>;
  #isRetired = false;

  constructor(open: () => Promise<Socket>) {
    super({ keepAlive: true, timeout: idleTimeoutMs });
    this.#open = open;
  }

  /** Ends idle connections now, and busy ones when their requests are over. */
  retire(): void {
    this.#isRetired = true;
    for (const sockets of Object.values(this.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  override createConnection(_: ClientRequestArgs, callback: OnConnection): undefined {
    this.#open().then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(toError(error)),
    );
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return !this.#isRetired && Boolean(super.keepSocketAlive(socket));
  }
}
