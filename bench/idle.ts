import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startSandbox } from "@keelson/testkit";
import { buildPublished } from "./published.ts";
import type { Benchmark } from "./run.ts";

/** Long enough for what the start left behind to be collected. */
const restMs = 3_000;

interface Sample {
  readonly readyMs: number;
  readonly rssMb: number;
}

/** Starts an operator as a process, waits until it is ready, lets it rest, and asks it what it takes. */
async function measure(kubeconfigPath: string): Promise<Sample> {
  const program = fileURLToPath(new URL("./idle/operator.mjs", import.meta.url));
  const begin = performance.now();
  const child = spawn(process.execPath, [program, kubeconfigPath], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  try {
    const { value: port } = await lines.next();
    while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) await setTimeout(5);
    const readyMs = performance.now() - begin;
    await setTimeout(restMs);
    child.stdin.write("\n");
    const { value: rss } = await lines.next();
    return { readyMs, rssMb: Number(rss) };
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/**
 * What a manager with one controller costs at rest, in the form in which it is published, on the embedded control plane:
 * memory, and the time from the start of its process until it is ready, Node's own start included.
 */
export const idleBenchmark: Benchmark = async ({ quick }) => {
  buildPublished();
  await using sandbox = await startSandbox();
  const samples: Sample[] = [];
  for (let round = 0; round < (quick ? 3 : 9); round++) samples.push(await measure(sandbox.kubeconfigPath));
  const median = (of: (sample: Sample) => number): number =>
    samples.map(of).sort((a, b) => a - b)[samples.length >> 1] ?? 0;
  return {
    rounds: samples.length,
    readyMs: Math.round(median(({ readyMs }) => readyMs)),
    rssMb: Number(median(({ rssMb }) => rssMb).toFixed(1)),
  };
};
