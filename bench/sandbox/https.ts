import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startControlPlane } from "@keelson/controlplane";
import type { Benchmark } from "../run.ts";
import type { LoadFigures } from "./load.ts";

const run = promisify(execFile);
const fromSources = "--conditions=@keelson/source";

/**
 * What 50 clients in another process get over HTTPS of `keelson sandbox`, and of the real API server with etcd: creates, merge
 * patches, a list of all, and all pages of 500. Ratios are ours to theirs.
 */
export const httpsBenchmark: Benchmark = async ({ quick }) => {
  const objects = quick ? 5_000 : 100_000;
  const patches = quick ? 5_000 : 20_000;
  const theirs = await measureReal(objects, patches);
  console.log(`kube-apiserver: ${JSON.stringify(theirs)}`);
  const ours = await measureEmbedded(objects, patches);
  console.log(`keelson sandbox: ${JSON.stringify(ours)}`);
  const ratio = (figure: keyof LoadFigures): number => Number((ours[figure] / theirs[figure]).toFixed(2));
  return {
    objects,
    patches,
    ...named("sandbox", ours),
    ...named("real", theirs),
    createsRatio: ratio("createsPerSecond"),
    patchesRatio: ratio("patchesPerSecond"),
    patchP50Ratio: ratio("patchP50Ms"),
    patchP99Ratio: ratio("patchP99Ms"),
    listRatio: ratio("listSeconds"),
    pagesRatio: ratio("pagesSeconds"),
  };
};

async function measureReal(objects: number, patches: number): Promise<LoadFigures> {
  await using controlPlane = await startControlPlane();
  return await measure(controlPlane.kubeconfigPath, objects, patches);
}

async function measureEmbedded(objects: number, patches: number): Promise<LoadFigures> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const program = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
  const flags = ["--nodes", "0", "--kubeconfig", kubeconfig];
  const server = spawn(process.execPath, [fromSources, program, "sandbox", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface(server.stdout)) if (line.startsWith("Ctrl-C")) break;
    return await measure(kubeconfig, objects, patches);
  } finally {
    server.kill();
    if (server.exitCode === null) await once(server, "exit");
    await rm(folder, { recursive: true });
  }
}

async function measure(kubeconfigPath: string, objects: number, patches: number): Promise<LoadFigures> {
  const program = fileURLToPath(new URL("./load.ts", import.meta.url));
  const { stdout } = await run(process.execPath, [
    ...[fromSources, program],
    ...[kubeconfigPath, String(objects), String(patches)],
  ]);
  return JSON.parse(stdout);
}

function named(subject: string, figures: LoadFigures): Record<string, number> {
  return Object.fromEntries(
    Object.entries(figures).map(([figure, value]) => [
      `${subject}${figure.replace(/^./, (letter) => letter.toUpperCase())}`,
      Number(Number(value).toPrecision(3)),
    ]),
  );
}
