import { join } from "node:path";
import type { ProgressStream } from "@keelson/controlplane";
import { type EmbeddedClusterSettings, startEmbeddedCluster } from "../sandbox/embedded-cluster.ts";
import { InvalidFlagError } from "../sandbox/errors.ts";
import { greeting } from "../sandbox/greeting.ts";
import { until } from "../until.ts";

/** As they are given on the command line. */
export interface SandboxFlags {
  readonly host: string;
  readonly port: string;
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly nodes: string;
  readonly controllers: boolean;
}

export interface SandboxSurroundings {
  /** Ends the command, in whatever it is doing. */
  readonly signal: AbortSignal;
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
}

/** Starts the embedded control plane, says how to reach it, and keeps it until the signal aborts. */
export async function sandbox(
  flags: SandboxFlags,
  { signal, stdout, stderr }: SandboxSurroundings,
): Promise<void> {
  const settings = settingsOf(flags);
  try {
    await using cluster = await startEmbeddedCluster(
      settings,
      (error, where) => stderr.write(`${where}: ${error instanceof Error ? error.message : String(error)}\n`),
      signal,
    );
    stdout.write(await greeting(cluster, settings));
    await until(signal);
  } catch (error) {
    // Being told to stop is how this command ends.
    if (!signal.aborted) throw error;
  }
  const kept = settings.data === undefined ? "" : `; its data is in ${settings.data}`;
  stderr.write(`stopped; nothing is left running${kept}\n`);
}

function settingsOf({
  host,
  port,
  data,
  kubeconfig,
  nodes,
  controllers,
}: SandboxFlags): EmbeddedClusterSettings {
  return {
    host,
    port: wholeNumber("--port", port, 65_535),
    data,
    kubeconfig: kubeconfig ?? (data === undefined ? undefined : join(data, "kubeconfig")),
    nodes: wholeNumber("--nodes", nodes, 1_000),
    controllers,
  };
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new InvalidFlagError(flag, text, `a whole number from 0 to ${most}`);
}
