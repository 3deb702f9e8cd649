import { join } from "node:path";

export const binaryNames = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
] as const;

/** The programs of a control plane, named as their executable files are. */
export type BinaryName = (typeof binaryNames)[number];

/** A folder that holds the requested programs, each of them checked. */
export interface Binaries {
  readonly folder: string;
  /** Where the folder came from, for people. */
  readonly source: "KUBEBUILDER_ASSETS" | "cache" | "download" | "build";
}

export function binaryPath(folder: string, name: BinaryName): string {
  return join(folder, name);
}
