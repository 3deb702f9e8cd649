import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kubeconfig } from "@keelson/core";
import type { Access } from "./access.ts";
import { type Binaries, binaryPath } from "./binaries/binaries.ts";
import { findBinaries } from "./binaries/find-binaries.ts";
import {
  type KubectlOptions,
  type KubectlResult,
  type KubectlSetting,
  runKubectl,
  tryKubectl,
} from "./kubectl.ts";
import { Guardian } from "./process/guardian.ts";

/** The pinned kubectl, for a cluster that is not of this package. Its files go with it. */
export interface Kubectl extends AsyncDisposable {
  /** Writes a kubeconfig where kubectl can read it. */
  keep(kubeconfig: Kubeconfig): Promise<Access>;
  /** Gives what it printed; throws KubectlError if it fails. */
  run(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** Gives all that it printed and its exit code, whatever that is. */
  tryRun(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
}

export interface OpenKubectlOptions {
  /** Default: what `findBinaries` finds, looked for at the first run: without one, none is needed. */
  readonly binaries?: Binaries;
}

/** Makes the pinned kubectl ready for a cluster, as the user of the kubeconfig unless a run names another. */
export async function openKubectl(
  kubeconfig: Kubeconfig,
  options: OpenKubectlOptions = {},
): Promise<Kubectl> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-kubectl-"));
  const guardian = new Guardian(folder);
  let kept = 0;

  async function keep(one: Kubeconfig): Promise<Access> {
    kept += 1;
    const kubeconfigPath = join(folder, `${kept}.kubeconfig`);
    // Only the owner may read it: it holds a private key.
    await writeFile(kubeconfigPath, JSON.stringify(one), { mode: 0o600 });
    return { kubeconfig: one, kubeconfigPath };
  }
  const { kubeconfigPath } = await keep(kubeconfig);
  let binaries = options.binaries;
  async function setting(): Promise<KubectlSetting> {
    binaries ??= await findBinaries({ need: ["kubectl"] });
    const program = binaryPath(binaries.folder, "kubectl");
    return { program, kubeconfigPath, cacheFolder: join(folder, "cache"), guardian };
  }
  return {
    keep,
    run: async (args, run) => runKubectl(await setting(), args, run),
    tryRun: async (args, run) => tryKubectl(await setting(), args, run),
    [Symbol.asyncDispose]: () => guardian.dismiss(),
  };
}
