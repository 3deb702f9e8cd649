import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import type { Kubeconfig } from "keelson/client";
import { onTestFinished } from "vitest";

export interface SilentServer {
  readonly url: string;
  /** How many connections are open. */
  readonly connections: number;
}

/** Accepts connections, and never sends a byte. It ends with the test. */
export async function startSilentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    // Otherwise the end of the other side is never noticed.
    socket.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `https://127.0.0.1:${port}`,
    get connections() {
      return sockets.size;
    },
  };
}

/** The same kubeconfig for another server. */
export function redirected(kubeconfig: Kubeconfig, server: string): Kubeconfig {
  const clusters = kubeconfig.clusters.map(({ name, cluster }) => ({
    name,
    cluster: { ...cluster, server },
  }));
  return { ...kubeconfig, clusters };
}
