import type { Client, Clock, ObjectKey } from "keelson";
import {
  accessFromKubeconfig,
  createClient,
  httpTransport,
  type LoadedKubeconfig,
  loadKubeconfig,
  type Transport,
} from "keelson/client";

export type Kubeconfig = LoadedKubeconfig["kubeconfig"];

/** Where the tenant clusters of this simulated cloud come from. */
export interface TenantProvider {
  /** A kubeconfig of an administrator of the tenant cluster of a Cluster; one with other credentials each time. */
  issueKubeconfig(cluster: ObjectKey): Promise<Kubeconfig>;
}

/** Clients of tenant clusters, by the texts of their kubeconfigs. */
export class TenantClients implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #connections = new Map<
    string,
    Promise<{ readonly client: Client; readonly transport: Transport }>
  >();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async of(kubeconfig: string): Promise<Client> {
    const connection = this.#connections.get(kubeconfig) ?? this.#connect(kubeconfig);
    this.#connections.set(kubeconfig, connection);
    return (await connection).client;
  }

  async #connect(text: string): Promise<{ readonly client: Client; readonly transport: Transport }> {
    const { kubeconfig } = await loadKubeconfig({ env: {}, path: "kubeconfig", readFile: async () => text });
    const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: this.#clock, env: {} }));
    return { transport, client: createClient({ transport, clock: this.#clock }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connections = [...this.#connections.values()];
    this.#connections.clear();
    for (const connection of connections) await (await connection).transport.close();
  }
}
