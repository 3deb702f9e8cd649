import { readFile, writeFile } from "node:fs/promises";
import { openKubectl } from "@keelson/controlplane";
import { errorCode, isRecord, type Kubeconfig } from "@keelson/core";
import { ForeignKubeconfigError, KubeconfigNotWrittenError } from "./errors.ts";

/** A kubeconfig in a file. Disposing of it takes away what goes with the process. */
export interface WrittenKubeconfig extends AsyncDisposable {
  readonly path: string;
}

/**
 * Writes it to the file, or without one to a file that goes with the process. A file that is not one of ours is left as it
 * is, since it may be the user's only access to other clusters.
 */
export async function writeKubeconfig(
  kubeconfig: Kubeconfig,
  path: string | undefined,
): Promise<WrittenKubeconfig> {
  try {
    if (path !== undefined) return await writeTo(path, kubeconfig);
    const kubectl = await openKubectl(kubeconfig);
    const { kubeconfigPath } = await kubectl.keep(kubeconfig);
    return { path: kubeconfigPath, [Symbol.asyncDispose]: async () => kubectl[Symbol.asyncDispose]() };
  } catch (error) {
    throw errorCode(error) === undefined || error instanceof ForeignKubeconfigError
      ? error
      : new KubeconfigNotWrittenError(path, { cause: error });
  }
}

async function writeTo(path: string, kubeconfig: Kubeconfig): Promise<WrittenKubeconfig> {
  if (!isReplaceable(await textOf(path), kubeconfig)) throw new ForeignKubeconfigError(path);
  // Only the owner may read it: it holds a private key.
  await writeFile(path, `${JSON.stringify(kubeconfig, undefined, 2)}\n`, { mode: 0o600 });
  return { path, [Symbol.asyncDispose]: async () => undefined };
}

/** Empty if there is no such file. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

function isReplaceable(text: string, { "current-context": context }: Kubeconfig): boolean {
  if (text.trim() === "") return true;
  try {
    const before: unknown = JSON.parse(text);
    return isRecord(before) && before["current-context"] === context;
  } catch {
    // Ours are JSON.
    return false;
  }
}
