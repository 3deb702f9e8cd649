import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { binariesFolder } from "@keelson/controlplane";
import type { EmbeddedCluster, EmbeddedClusterSettings } from "./embedded-cluster.ts";

export interface GreetingOptions {
  /** Operators that run on it. Default: none; then no line mentions operators. */
  readonly operators?: readonly string[];
  /** What can be tried by kubectl: each is what stands after the program. Default: a Deployment. */
  readonly tries?: readonly string[];
}

/** The text for a user who has just started a control plane. */
export function clusterFacts(
  { url, kubeconfigPath, nodeNames }: EmbeddedCluster,
  { data, controllers }: EmbeddedClusterSettings,
  operators: readonly string[] = [],
): string {
  const nodes =
    nodeNames.length === 0 ? "none" : `${nodeNames.join(", ")} (hollow: pods run, containers do not)`;
  return [
    `Kubernetes v1.36 (embedded) is ready at ${url}`,
    `  running:     API server${controllers ? ", controllers, scheduler" : " (no controllers)"}`,
    `  nodes:       ${nodes}`,
    ...(operators.length === 0 ? [] : [`  operators:   ${operators.join(", ")}`]),
    `  data:        ${data ?? "in memory"}`,
    `  kubeconfig:  ${kubeconfigPath}`,
    "",
    "",
  ].join("\n");
}

/** The same, and what can be done with it. */
export async function greeting(
  cluster: EmbeddedCluster,
  settings: EmbeddedClusterSettings,
  { operators, tries = [] }: GreetingOptions = {},
): Promise<string> {
  const kubectl = await kubectlProgram();
  const lines = tries.length === 0 ? ["create deployment web --image=web:1"] : tries;
  return [
    `${clusterFacts(cluster, settings, operators)}Try it in another terminal:`,
    `  export KUBECONFIG=${quoted(cluster.kubeconfigPath)}`,
    ...lines.map((line) => `  ${kubectl} ${line}`),
    "",
    settings.data === undefined
      ? "Ctrl-C stops it and removes its data."
      : "Ctrl-C stops it; its data stays.",
    "",
  ].join("\n");
}

/** The user's own kubectl, or the one that came with the real control plane; as a shell takes it. */
async function kubectlProgram(): Promise<string> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) if (await isProgram(join(folder, "kubectl"))) return "kubectl";
  const cached = join(binariesFolder(), "kubectl");
  return (await isProgram(cached)) ? quoted(cached) : "kubectl";
}

/** For a shell, where a path may hold a space. */
function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
