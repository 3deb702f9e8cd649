import { join, resolve } from "node:path";
import type { EmbeddedClusterSettings } from "./embedded-cluster.ts";
import { InvalidFlagError } from "./errors.ts";

/** The flags of all commands that start the control plane, as they are given on the command line. */
export interface ClusterFlags {
  readonly host: string;
  readonly port: string;
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly nodes: string;
}

/** Throws an InvalidFlagError. */
export function clusterSettings(
  flags: ClusterFlags,
  { controllers }: Pick<EmbeddedClusterSettings, "controllers">,
  folder: string,
): EmbeddedClusterSettings {
  const { host, port, nodes } = flags;
  const data = pathFrom(folder, "--data", flags.data);
  const kubeconfig = pathFrom(folder, "--kubeconfig", flags.kubeconfig);
  return {
    host,
    port: wholeNumber("--port", port, 65_535),
    data,
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
