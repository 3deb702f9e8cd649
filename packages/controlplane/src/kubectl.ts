import { text } from "node:stream/consumers";
import { KubectlError } from "./errors.ts";
import { onAbort, spawnGuarded } from "./process/guarded-process.ts";
import type { Guardian } from "./process/guardian.ts";

export interface KubectlOptions {
  /** Given to kubectl on its standard input, for `-f -`. */
  readonly input?: string;
  /** Default: the administrator's. */
  readonly kubeconfigPath?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** How a run of kubectl ended. */
export interface KubectlResult {
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlSetting {
  readonly program: string;
  readonly kubeconfigPath: string;
  readonly cacheFolder: string;
  readonly guardian: Guardian;
}

/** Runs kubectl and gives what it printed; throws KubectlError if it fails. The user's own kubectl settings do not count. */
export async function runKubectl(
  setting: KubectlSetting,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await tryKubectl(setting, args, options);
  if (exitCode === 0) return stdout;
  throw new KubectlError(args, exitCode, stderr);
}

/** As `runKubectl`, but a failure is a result; throws only if kubectl cannot be started. */
export async function tryKubectl(
  setting: KubectlSetting,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<KubectlResult> {
  options.signal?.throwIfAborted();
  const kubeconfig = options.kubeconfigPath ?? setting.kubeconfigPath;
  const own = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${setting.cacheFolder}`];
  const kubectl = spawnGuarded(setting.guardian, setting.program, [...own, ...args], {
    stdio: "pipe",
    // Aliases and default flags in a kuberc would change what callers get.
    env: { ...process.env, KUBERC: "off", ...options.env },
  });
  using _ = onAbort(options.signal, () => kubectl.signal("SIGKILL"));
  const { stdin, stdout, stderr } = kubectl.child;
  // kubectl may end before it has read its input; its exit code decides.
  stdin?.on("error", () => undefined);
  stdin?.end(options.input ?? "");
  const read = (stream: typeof stdout): Promise<string> =>
    stream === null ? Promise.resolve("") : text(stream);
  const [printed, complaint, end] = await Promise.all([read(stdout), read(stderr), kubectl.ended]);
  options.signal?.throwIfAborted();
  if (end.kind === "spawn-error") throw new KubectlError(args, undefined, end.error.message);
  return { exitCode: end.kind === "exit" ? end.code : undefined, stdout: printed, stderr: complaint };
}
