import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startControlPlane } from "@keelson/controlplane";
import type { Benchmark } from "./run.ts";

interface Sample {
  readonly readyMs: number;
  readonly rssMb: number;
}

/** Starts an operator as a process, asks it to measure itself when it is idle, and ends it. */
async function measure(kubeconfigPath: string): Promise<Sample> {
  const program = fileURLToPath(new URL("./idle/operator.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@keelson/source", program, kubeconfigPath], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface(child.stdout)) return JSON.parse(line);
    throw new Error("the operator ended without a measurement");
  } finally {
    child.kill("SIGKILL");
  }
}

/** What a manager with one controller costs at rest: memory, and the time from the start of its process until ready. */
export const idleBenchmark: Benchmark = async ({ quick }) => {
  const controlPlane = await startControlPlane();
  try {
    const samples: Sample[] = [];
    for (let round = 0; round < (quick ? 3 : 9); round++)
      samples.push(await measure(controlPlane.kubeconfigPath));
    const median = (of: (sample: Sample) => number): number =>
      Math.round(samples.map(of).sort((a, b) => a - b)[samples.length >> 1] ?? 0);
    return {
      rounds: samples.length,
      readyMs: median(({ readyMs }) => readyMs),
      rssMb: median(({ rssMb }) => rssMb),
    };
  } finally {
    await controlPlane.stop();
  }
};
