import { toError } from "@keelson/core";
import type { ClusterAccess } from "./cluster-access.ts";
import {
  type FailedSource,
  KubeconfigNotFoundError,
  NoClusterConfiguredError,
  NotInClusterError,
} from "./errors.ts";
import { inClusterAccess } from "./in-cluster.ts";
import { accessFromKubeconfig, type KubeconfigAccessOptions } from "./kubeconfig-access.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

export interface DefaultAccessOptions extends Omit<KubeconfigAccessOptions, "file"> {
  /** A kubeconfig to use before all else, such as the value of a `--kubeconfig` flag. It must exist. */
  readonly kubeconfigPath?: string;
  /** The folder that holds `.kube/config`; without it that file is not looked for. */
  readonly home?: string;
  /** Default: where Kubernetes mounts the files of a pod's ServiceAccount. */
  readonly serviceAccountFolder?: string;
  readonly signal?: AbortSignal;
}

/**
 * The cluster that a controller written in Go would talk to: the given kubeconfig, else that of KUBECONFIG, else the
 * pod's own, else `.kube/config` in the home folder, which counts only if KUBECONFIG is not set. What is there and
 * wrong is an error; NoClusterConfiguredError if there is nothing.
 */
export async function defaultAccess(options: DefaultAccessOptions): Promise<ClusterAccess> {
  if (options.kubeconfigPath !== undefined) return fromKubeconfig(options);
  const inCluster = { source: "in-cluster configuration", open: () => inClusterAccess(options) };
  const kubeconfig = { source: "kubeconfig", open: () => fromKubeconfig(options) };
  const isListed = (options.env.KUBECONFIG ?? "") !== "";
  const tried: FailedSource[] = [];
  for (const { source, open } of isListed ? [kubeconfig, inCluster] : [inCluster, kubeconfig]) {
    try {
      return await open();
    } catch (error) {
      const isAbsent = error instanceof KubeconfigNotFoundError || error instanceof NotInClusterError;
      if (!isAbsent) throw error;
      tried.push({ source, reason: toError(error).message });
    }
  }
  throw new NoClusterConfiguredError(tried);
}

async function fromKubeconfig(options: DefaultAccessOptions): Promise<ClusterAccess> {
  const { kubeconfigPath, ...source } = options;
  const loading = kubeconfigPath === undefined ? source : { ...source, path: kubeconfigPath };
  const { kubeconfig, file } = await loadKubeconfig(loading);
  return accessFromKubeconfig(kubeconfig, { ...source, file });
}
