import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, find, formatKey, type ObjectKey } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";
import { isRecord } from "keelson/low-level";
import type { NeighbourContext, SampleCluster, SampleNeighbours } from "keelson/manager";
import { LocalHelm } from "./charts.ts";
import { type Neighbours, settingsFor, startNeighbours as startAll } from "./environment.ts";
import type { Kubeconfig, TenantProvider } from "./tenants.ts";

/** The neighbours for the samples of `keelson dev`, in which every Cluster gets an API server of its own. */
export async function startNeighbours(context: NeighbourContext): Promise<SampleNeighbours> {
  const { client, clock, random, log, env, startCluster } = context;
  const folder = await mkdtemp(join(tmpdir(), "keelson-azimuth-"));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  let neighbours: Neighbours | undefined;
  const stop = async (): Promise<void> => {
    await neighbours?.[Symbol.asyncDispose]();
    await removeFolder();
  };
  try {
    const executable = await helmExecutable();
    const helm = new LocalHelm(executable, folder, env.PATH);
    const tenants = tenantsIn(startCluster);
    const registrarPort = await lastPort(client);
    neighbours = await startAll({ client, clock, random, log, helm, folder, tenants, registrarPort });
    await keepPort(client, neighbours.registrar.port);
    setPace(neighbours);
    const { url } = await neighbours.chartRepository();
    return {
      settings: settingsFor(neighbours, { executable }),
      texts: { chartRepository: url },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const kept = { namespace: "kube-system", name: "azimuth-neighbours" };

/** Kept data has the address of the registrar in it, where the operator has written it. */
async function lastPort(client: Client): Promise<number | undefined> {
  const port = (await find(client, ConfigMap, kept))?.data?.registrarPort;
  return port === undefined ? undefined : Number(port);
}

async function keepPort(client: Client, port: number): Promise<void> {
  const data = { registrarPort: String(port) };
  await client.apply(ConfigMap, { metadata: kept, data }, { fieldOwner: "azimuth-neighbours", force: true });
}

/** Slow enough to see what happens, and fast enough to wait for it. */
function setPace({ scheduling, clusterApi, addons }: Neighbours): void {
  scheduling.set({
    steps: [
      { phase: "Pending", forMs: 500 },
      { phase: "Starting", forMs: 500 },
      { phase: "Active", forMs: Number.POSITIVE_INFINITY },
    ],
  });
  clusterApi.set({ pendingMs: 300, networkMs: 700, machineMs: 200, deletionMs: 300 });
  addons.set({ installMs: 500 });
}

function tenantsIn(startCluster: () => Promise<SampleCluster>): TenantProvider {
  const clusters = new Map<string, Promise<SampleCluster>>();
  return {
    async issueKubeconfig(key: ObjectKey): Promise<Kubeconfig> {
      const cluster = clusters.get(formatKey(key)) ?? startCluster();
      clusters.set(formatKey(key), cluster);
      return (await cluster).issueKubeconfig(`${key.name}-admin`, ["system:masters"]);
    },
  };
}

/** In a checkout of Keelson packages carry Helm; elsewhere it is the user's. */
async function helmExecutable(): Promise<string> {
  const source = new URL("./helm-binaries.ts", import.meta.url).href;
  const packaged: unknown = await import(source).catch(() => undefined);
  if (!isRecord(packaged) || typeof packaged.helmBinary !== "function") return "helm";
  const binary: unknown = await packaged.helmBinary(4);
  return isRecord(binary) && typeof binary.path === "string" ? binary.path : "helm";
}
