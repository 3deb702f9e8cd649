import { join, resolve } from "node:path";
import type { EmbeddedClusterSettings } from "./embedded-cluster.ts";
import { DataFlagError, InvalidFlagError } from "./errors.ts";

/** The flags of all commands that start the control plane, as they are given on the command line. */
export interface ClusterFlags {
  readonly host: string;
  readonly port: string;
  readonly data?: string;
  readonly fsync?: boolean;
  readonly repair?: boolean;
  readonly kubeconfig?: string;
  readonly nodes: string;
}

/** Throws an InvalidFlagError or a DataFlagError. */
export function clusterSettings(
  flags: ClusterFlags,
  { controllers }: Pick<EmbeddedClusterSettings, "controllers">,
  folder: string,
): EmbeddedClusterSettings {
  const { host, port, nodes, fsync = false, repair = false } = flags;
  const data = pathFrom(folder, "--data", flags.data);
  if (data === undefined && fsync) throw new DataFlagError("--fsync");
  if (data === undefined && repair) throw new DataFlagError("--repair");
  const kubeconfig = pathFrom(folder, "--kubeconfig", flags.kubeconfig);
  return {
    host,
    port: wholeNumber("--port", port, 65_535),
    data,
    fsync,
    repair,
    kubeconfig: kubeconfig ?? (data === undefined ? undefined : join(data, "kubeconfig")),
    nodes: wholeNumber("--nodes", nodes, 1_000),
    controllers,
  };
}

/** An absolute path, since messages show it in other folders, too. Throws an InvalidFlagError. */
export function pathFrom(folder: string, flag: string, path: string | undefined): string | undefined {
  if (path === "") throw new InvalidFlagError(flag, path, "a path");
  return path === undefined ? undefined : resolve(folder, path);
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new InvalidFlagError(flag, text, `a whole number from 0 to ${most}`);
}
