import { type Client, createClient } from "@keelson/client";
import { type HollowNodes, type HollowNodesOptions, startHollowNodes } from "@keelson/hollow";
import type { Operator } from "keelson";
import { type Endings, endAll } from "../end-all.ts";
import {
  openAccess,
  type RunningOperator,
  type RunOperatorOptions,
  runOperator,
} from "../operator/run-operator.ts";
import { type Cluster, type StartClusterOptions, startCluster } from "../start-cluster.ts";
import { createNamespace } from "./create-namespace.ts";
import { startVirtualWorld, type VirtualWorld, type VirtualWorldOptions } from "./virtual-world.ts";

export interface StartWorldOptions extends Omit<StartClusterOptions, "controllers"> {
  /** How many hollow nodes there are. Default 1. */
  readonly nodes?: number;
  /** How their pods behave. */
  readonly hollow?: Omit<HollowNodesOptions, "client" | "nodes" | "signal">;
}

/** A cluster in which workloads run, with nodes that run pods without containers. */
export interface World extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: Client;
  readonly nodes: HollowNodes;
  /** Creates a namespace for the caller alone, in which pods can run, and returns its name. */
  createNamespace(): Promise<string>;
  /** Runs an operator as `runOperator` does, as the administrator; it ends with the world, unless it has before. */
  runOperator(operator: Operator, options?: Omit<RunOperatorOptions, "access">): Promise<RunningOperator>;
  /** When it resolves, nothing is left. May be called more than once. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster with controllers, scheduler and hollow nodes, at a level of `startCluster`:
 * `startWorld(process.env.KEELSON_LEVEL)`. `startWorld({ clock })` starts the embedded one without sockets, on a virtual
 * clock.
 */
export async function startWorld(level: string | undefined, options?: StartWorldOptions): Promise<World>;
export async function startWorld(options: VirtualWorldOptions): Promise<VirtualWorld>;
export async function startWorld(
  level: string | undefined | VirtualWorldOptions,
  options: StartWorldOptions = {},
): Promise<World | VirtualWorld> {
  if (typeof level === "object") return startVirtualWorld(level);
  const endings: Endings = [];
  try {
    return await start(level, options, endings);
  } catch (error) {
    await endAll(endings.splice(0));
    throw error;
  }
}

/** Some administrators enable it: who owns or adopts an object needs permissions that nothing else requires. */
const ownerPermissions = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement";

async function start(
  level: string | undefined,
  { nodes: count = 1, hollow = {}, real = {}, embedded = {}, ...ofCluster }: StartWorldOptions,
  endings: Endings,
): Promise<World> {
  const args = {
    ...real.args,
    "kube-apiserver": [ownerPermissions, ...(real.args?.["kube-apiserver"] ?? [])],
  };
  const cluster = await startCluster(level, {
    ...ofCluster,
    embedded: { enforcesOwnerPermissions: true, ...embedded },
    real: { ...real, args },
    controllers: true,
  });
  endings.push(() => cluster.stop());
  const transport = openAccess(cluster);
  endings.push(() => transport.close());
  const client = createClient({ transport });
  // The whole cluster is stopped, so its objects need no clean-up.
  const nodes = await startHollowNodes({ removeNodes: false, ...hollow, client, nodes: count });
  endings.push(() => nodes.stop());
  const stop = (): Promise<void> => endAll(endings.splice(0));
  return {
    ...{ cluster, client, nodes, stop },
    createNamespace: () => createNamespace(client),
    runOperator: async (operator, options) => {
      const running = await runOperator(operator, { ...options, access: cluster });
      endings.push(() => running.stop());
      return running;
    },
    [Symbol.asyncDispose]: stop,
  };
}
