import type { ProgressStream } from "@keelson/controlplane";
import { toError } from "@keelson/core";
import { type ClusterFlags, clusterSettings } from "../sandbox/cluster-flags.ts";
import { startEmbeddedCluster } from "../sandbox/embedded-cluster.ts";
import { greeting } from "../sandbox/greeting.ts";
import { until } from "../signals.ts";

/** The flags, as commander reads them. */
export interface SandboxFlags extends ClusterFlags {
  readonly controllers: boolean;
}

export interface SandboxDependencies {
  /** Ends the command, in whatever it is doing. */
  readonly signal: AbortSignal;
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
  /** The base of relative paths. */
  readonly folder: string;
}

/** Starts the embedded control plane, prints how to reach it, and keeps it running until the signal aborts. */
export async function sandbox(
  flags: SandboxFlags,
  { signal, stdout, stderr, folder }: SandboxDependencies,
): Promise<void> {
  const settings = clusterSettings(flags, flags, folder);
  try {
    await using cluster = await startEmbeddedCluster(
      settings,
      {
        error: (error, where) => stderr.write(`${where}: ${toError(error).message}\n`),
        notice: (text) => stderr.write(`${text}\n`),
      },
      signal,
    );
    stdout.write(await greeting(cluster, settings));
    await until(signal);
  } catch (error) {
    // A signal is how this command ends.
    if (!signal.aborted) throw error;
  }
  const kept = settings.data === undefined ? "" : `; its data is in ${settings.data}`;
  stderr.write(`stopped; nothing is left running${kept}\n`);
}
