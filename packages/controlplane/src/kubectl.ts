import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { KubectlError } from "./errors.ts";
import { onAbort } from "./process/on-abort.ts";

export interface KubectlOptions {
  /** Given to kubectl on its standard input, for `-f -`. */
  readonly input?: string;
  /** Default: the administrator's. */
  readonly kubeconfigPath?: string;
  readonly signal?: AbortSignal;
}

export interface KubectlSetting {
  readonly program: string;
  readonly kubeconfigPath: string;
  readonly cacheFolder: string;
}

/** Runs kubectl and gives what it printed; throws KubectlError if it fails. Nothing is read from the user's home. */
export async function runKubectl(
  setting: KubectlSetting,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  options.signal?.throwIfAborted();
  const kubeconfig = options.kubeconfigPath ?? setting.kubeconfigPath;
  const own = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${setting.cacheFolder}`];
  const child = spawn(setting.program, [...own, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  using _ = onAbort(options.signal, () => child.kill("SIGKILL"));
  // kubectl may end before it has read its input; its exit code tells the story.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  options.signal?.throwIfAborted();
  if (code !== 0) throw new KubectlError(args, typeof code === "number" ? code : undefined, stderr);
  return stdout;
}
