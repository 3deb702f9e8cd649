import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import {
  type ControlPlane,
  findBinaries,
  ProgressLine,
  type ProgressStream,
  startControlPlane,
} from "@keelson/controlplane";
import { isRecord } from "@keelson/core";
import { startHollowNodes } from "@keelson/hollow";
import { connect } from "keelson";

export interface DevSurroundings {
  /** Ends the command, in whatever it is doing. */
  readonly signal: AbortSignal;
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
}

const nodes = 2;

/**
 * Starts a control plane with all its controllers and hollow nodes, on which pods run without containers, says how to
 * reach it, and keeps it until the signal aborts.
 */
export async function dev({ signal, stdout, stderr }: DevSurroundings): Promise<void> {
  const progress = new ProgressLine(stderr);
  try {
    const binaries = await findBinaries({ onProgress: progress.report, signal });
    progress.report("starting the control plane");
    await using controlPlane = await startControlPlane({
      controllerManager: true,
      scheduler: true,
      binaries,
      signal,
    });
    const { kubeconfigPath } = controlPlane;
    await using connection = await connect({ kubeconfigPath });
    const { client } = connection;
    // All data goes with the control plane, so nobody needs to remove the nodes from it.
    await using hollow = await startHollowNodes({ client, nodes, removeNodes: false, signal });
    progress.end();
    stdout.write(await greeting(controlPlane, hollow.names, binaries.folder));
    await untilAborted(signal, controlPlane);
  } catch (error) {
    progress.end();
    // Being told to stop is how this command ends.
    if (!signal.aborted) throw error;
  }
  stderr.write("stopped; nothing is left running\n");
}

async function greeting(
  controlPlane: ControlPlane,
  nodeNames: readonly string[],
  binariesFolder: string,
): Promise<string> {
  const version: unknown = JSON.parse(await controlPlane.kubectl(["get", "--raw", "/version"]));
  const kubectl = (await isOnPath("kubectl")) ? "kubectl" : join(binariesFolder, "kubectl");
  return [
    `Kubernetes ${isRecord(version) ? version.gitVersion : "of unknown version"} is ready at ${controlPlane.url}`,
    `  running:     ${controlPlane.components.join(", ")}`,
    `  nodes:       ${nodeNames.join(", ")} (hollow: pods run, containers do not)`,
    `  kubeconfig:  ${controlPlane.kubeconfigPath}`,
    "",
    "Try it in another terminal:",
    `  ${quoted(kubectl)} --kubeconfig ${quoted(controlPlane.kubeconfigPath)} create deployment web --image=web:1`,
    "",
    "Ctrl-C stops it and removes its data.",
    "",
  ].join("\n");
}

/** For a shell, where a path may hold a space. */
function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

async function isOnPath(program: string): Promise<boolean> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = await Promise.allSettled(
    folders.map((folder) => access(join(folder, program), constants.X_OK)),
  );
  return found.some(({ status }) => status === "fulfilled");
}

/** Returns when the signal aborts; throws if a component dies before. Nothing else keeps the process alive. */
async function untilAborted(signal: AbortSignal, controlPlane: ControlPlane): Promise<void> {
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const keepAlive = setInterval(() => undefined, 60_000);
  const crash = await Promise.race([aborted, controlPlane.crashed]);
  clearInterval(keepAlive);
  if (crash !== undefined) throw crash;
}
