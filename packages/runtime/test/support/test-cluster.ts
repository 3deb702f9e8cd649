import { accessFromKubeconfig, type Client, createClient, httpTransport } from "@keelson/client";
import { systemClock, type Transport } from "@keelson/core";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll } from "vitest";

export interface TestCluster {
  readonly controlPlane: Cluster;
  /** Bypasses all faults. */
  readonly admin: Client;
  /** A new transport to the server, which the caller closes. */
  realTransport(): Transport;
}

/** Starts a control plane for the tests of a file; it stops after the last of them. */
export async function startTestCluster(): Promise<TestCluster> {
  const controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  const realTransport = (): Transport =>
    httpTransport(accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} }));
  const transport = realTransport();
  afterAll(async () => {
    await transport.close();
    await controlPlane.stop();
  });
  return { controlPlane, admin: createClient({ transport }), realTransport };
}
