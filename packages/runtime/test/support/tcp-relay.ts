import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Forwards TCP connections to a server until it is frozen; it ends with the test. */
export interface TcpRelay {
  readonly url: string;
  /** How many connections were ever opened. */
  readonly connections: number;
  /**
   * Stops forwarding on the connections that are open, in both directions, and closes none of them: each side gets
   * its bytes acknowledged and nothing else. New connections are forwarded.
   */
  freeze(): void;
}

/** Starts a relay in front of an HTTPS server. */
export async function startTcpRelay(target: string): Promise<TcpRelay> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    freeze() {
      // Read and dropped, so that no side notices a full buffer.
      for (const socket of sockets) socket.unpipe().resume();
    },
  };
}
