import { findBinaries, startControlPlane } from "@keelson/controlplane";
import type { Benchmark } from "./run.ts";

/** How long a control plane with all its controllers takes to be ready, to restart its API server, and to stop. */
export const controlPlaneBenchmark: Benchmark = async ({ quick }) => {
  const binaries = await findBinaries();
  const start: number[] = [];
  const restart: number[] = [];
  const stop: number[] = [];
  for (let round = 0; round < (quick ? 2 : 10); round++) {
    const begin = performance.now();
    const controlPlane = await startControlPlane({ controllerManager: true, scheduler: true, binaries });
    const ready = performance.now();
    await controlPlane.restart("kube-apiserver");
    const restarted = performance.now();
    await controlPlane.stop();
    start.push(ready - begin);
    restart.push(restarted - ready);
    stop.push(performance.now() - restarted);
    console.log(`round ${round + 1}: ready in ${Math.round(ready - begin)} ms`);
  }
  return {
    rounds: start.length,
    ...figures("start", start),
    ...figures("restartApiServer", restart),
    ...figures("stop", stop),
  };
};

function figures(name: string, samples: readonly number[]): Record<string, number> {
  const sorted = [...samples].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return {
    [`${name}MedianMs`]: Math.round(median),
    [`${name}MaxMs`]: Math.round(sorted.at(-1) ?? Number.NaN),
  };
}
