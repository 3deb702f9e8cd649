import { delimiter, join } from "node:path";
import { errorCode, type Kubeconfig, toError } from "@keelson/core";
import { findContext } from "./context.ts";
import { KubeconfigError, KubeconfigNotFoundError } from "./errors.ts";
import { type ReadFile, readTextFile } from "./files.ts";
import { readKubeconfigFormat } from "./kubeconfig-format.ts";
import { mergeKubeconfigs, resolvePaths } from "./kubeconfig-merge.ts";

/** The environment of a process, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadKubeconfigOptions {
  /** Where KUBECONFIG is looked up. */
  readonly env: Environment;
  /** The folder that holds `.kube/config`; without it that file is not looked for. */
  readonly home?: string;
  /** The one file to read, whatever KUBECONFIG says. */
  readonly path?: string;
  /** Becomes the current context, whatever the files say; it must be in them. */
  readonly contextName?: string;
  /** Default: reads from disk. */
  readonly readFile?: ReadFile;
  readonly signal?: AbortSignal;
}

export interface LoadedKubeconfig {
  /** All files in one, with absolute paths. */
  readonly kubeconfig: Kubeconfig;
  /** The files that were there, in the notation of KUBECONFIG. */
  readonly file: string;
}

/**
 * Finds and reads what kubectl would: the given path, or the files of KUBECONFIG, or `.kube/config` in the home folder.
 * Files that do not exist are passed over; KubeconfigNotFoundError if none does, KubeconfigError if one is not as it
 * should be.
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<LoadedKubeconfig> {
  const { contextName, readFile = readTextFile, signal } = options;
  const candidates = kubeconfigPaths(options);
  const found: { readonly file: string; readonly kubeconfig: Kubeconfig }[] = [];
  for (const file of candidates) {
    const text = await readIfExists(file, readFile, signal);
    if (text === undefined) continue;
    const kubeconfig = readKubeconfigFormat(await parseKubeconfig(text, file), file);
    found.push({ file, kubeconfig: resolvePaths(kubeconfig, file) });
  }
  if (found.length === 0) throw new KubeconfigNotFoundError(candidates);
  const file = found.map((each) => each.file).join(delimiter);
  const merged = mergeKubeconfigs(found.map(({ kubeconfig }) => kubeconfig));
  if (contextName === undefined) return { kubeconfig: merged, file };
  findContext(merged, { contextName, file });
  return { kubeconfig: { ...merged, "current-context": contextName }, file };
}

/** JSON is YAML, and needs no parser of six megabytes: that is loaded for what is not. */
async function parseKubeconfig(text: string, file: string): Promise<unknown> {
  if (text.startsWith("{")) {
    try {
      return JSON.parse(text);
    } catch {
      // YAML may begin so too; its parser says what is wrong with what is neither.
    }
  }
  const { parseKubeconfigYaml } = await import("./kubeconfig-yaml.ts");
  return parseKubeconfigYaml(text, file);
}

/** The files kubectl would look at, first things first. */
function kubeconfigPaths({ env, home, path }: LoadKubeconfigOptions): readonly string[] {
  if (path !== undefined) return [path];
  const listed = env.KUBECONFIG ?? "";
  if (listed !== "") return [...new Set(listed.split(delimiter).filter((file) => file !== ""))];
  return home === undefined || home === "" ? [] : [join(home, ".kube", "config")];
}

async function readIfExists(
  file: string,
  readFile: ReadFile,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return await readFile(file, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (errorCode(error) === "ENOENT") return undefined;
    const advice = "make it a file that this program may read";
    throw new KubeconfigError({ file, problem: toError(error).message, advice }, { cause: error });
  }
}
