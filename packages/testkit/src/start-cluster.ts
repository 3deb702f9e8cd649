import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "@keelson/controlplane";
import { UnknownLevelError } from "./errors.ts";
import { type RunningSandbox, type StartSandboxOptions, startSandbox } from "./start-sandbox.ts";

/** What the embedded and the real control plane have in common, so that a test need not know on which it runs. */
export type Cluster = Pick<
  RunningSandbox & ControlPlane,
  "kubeconfig" | "kubeconfigPath" | "url" | "createUser" | "kubectl" | "tryKubectl" | "stop"
> &
  Pick<RunningSandbox, "kill" | "restart"> &
  AsyncDisposable;

export interface StartClusterOptions {
  /** Whether controllers and scheduler run: workloads, garbage collection, namespaces. Default: false. */
  readonly controllers?: boolean;
  /** What only the embedded one is to know. */
  readonly embedded?: Omit<StartSandboxOptions, "controllers">;
  /** What only the real one is to know. */
  readonly real?: Omit<ControlPlaneOptions, "controllerManager" | "scheduler">;
}

/**
 * Starts a cluster for tests that hold on either control plane: at level `embedded`, which is the default, the one in
 * this process; at level `cluster` the real one. The runner of the tests chooses the level, such as by an
 * environment variable.
 */
export async function startCluster(
  level: string | undefined,
  { controllers = false, embedded = {}, real = {} }: StartClusterOptions = {},
): Promise<Cluster> {
  if (level === undefined || level === "embedded") return startSandbox({ ...embedded, controllers });
  if (level === "cluster")
    return startControlPlane({ ...real, controllerManager: controllers, scheduler: controllers });
  throw new UnknownLevelError(level);
}
