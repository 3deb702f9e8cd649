import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { binariesFolder } from "@keelson/controlplane";
import type { EmbeddedCluster, EmbeddedClusterSettings } from "./embedded-cluster.ts";

/** What somebody needs to know who has just started a control plane. */
export async function greeting(
  { url, kubeconfigPath, nodeNames }: EmbeddedCluster,
  { data, controllers }: EmbeddedClusterSettings,
): Promise<string> {
  const nodes =
    nodeNames.length === 0 ? "none" : `${nodeNames.join(", ")} (hollow: pods run, containers do not)`;
  return [
    `Kubernetes v1.36 (embedded) is ready at ${url}`,
    `  running:     API server${controllers ? ", controllers, scheduler" : " (no controllers)"}`,
    `  nodes:       ${nodes}`,
    `  data:        ${data ?? "in memory"}`,
    `  kubeconfig:  ${kubeconfigPath}`,
    "",
    "Try it in another terminal:",
    `  ${quoted(await kubectlProgram())} --kubeconfig ${quoted(kubeconfigPath)} create deployment web --image=web:1`,
    "",
    data === undefined ? "Ctrl-C stops it and removes its data." : "Ctrl-C stops it; its data stays.",
    "",
  ].join("\n");
}

/** The user's own, or the one that came with the real control plane. */
async function kubectlProgram(): Promise<string> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) if (await isProgram(join(folder, "kubectl"))) return "kubectl";
  const cached = join(binariesFolder(), "kubectl");
  return (await isProgram(cached)) ? cached : "kubectl";
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** For a shell, where a path may hold a space. */
function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
