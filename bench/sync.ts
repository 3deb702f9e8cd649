import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startControlPlane } from "@keelson/controlplane";
import { connect } from "keelson/client";
import { installCrds } from "keelson/object";
import type { Benchmark } from "./run.ts";
import type { Measurement } from "./sync/measurement.ts";
import { createWebApps, WebApp } from "./sync/webapps.ts";

const run = promisify(execFile);
const subjects = ["keelson", "client-node"] as const;

type SubjectName = (typeof subjects)[number];

/**
 * How long it takes to hold 20,000 custom objects of about 1.7 KB of a real API server, and what that costs: with
 * Keelson's cache and with the informer of @kubernetes/client-node, in turns, each time in a process of its own.
 */
export const syncBenchmark: Benchmark = async ({ quick }) => {
  const objects = quick ? 2_000 : 20_000;
  await using controlPlane = await startControlPlane();
  await using connection = await connect({ kubeconfigPath: controlPlane.kubeconfigPath });
  const { client } = connection;
  await installCrds(client, [WebApp]);
  await createWebApps(client, objects, (made) => console.log(`${made} of ${objects} objects are there`));
  const { items } = await client.list(WebApp, { limit: 100 });
  const wireBytesPerObject = Math.round(JSON.stringify(items).length / items.length);

  const measured: Record<SubjectName, Measurement[]> = { keelson: [], "client-node": [] };
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    for (const subject of subjects) {
      const measurement = await measureSubject(subject, controlPlane.kubeconfigPath, objects);
      measured[subject].push(measurement);
      const { seconds, cpuSeconds, heldMb } = measurement;
      console.log(
        `${subject}: ${seconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s, ${heldMb.toFixed(0)} MB held`,
      );
    }
  }
  const ours = medians(measured.keelson);
  const theirs = medians(measured["client-node"]);
  return {
    objects,
    wireBytesPerObject,
    rounds: measured.keelson.length,
    ...named("keelson", ours),
    ...named("clientNode", theirs),
    heldRatio: round(ours.heldMb / theirs.heldMb),
    cpuRatio: round(ours.cpuSeconds / theirs.cpuSeconds),
    warmCpuRatio: round(ours.warmCpuSeconds / theirs.warmCpuSeconds),
    secondsRatio: round(ours.seconds / theirs.seconds),
    readRatio: round(ours.readMb / theirs.readMb),
  };
};

async function measureSubject(
  subject: SubjectName,
  kubeconfigPath: string,
  objects: number,
): Promise<Measurement> {
  const program = new URL(`./sync/${subject}.ts`, import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [
    "--conditions=@keelson/source",
    program,
    kubeconfigPath,
    String(objects),
  ]);
  return JSON.parse(stdout);
}

function medians(samples: readonly Measurement[]): Measurement {
  const median = (figure: keyof Measurement): number =>
    samples.map((sample) => sample[figure]).sort((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
  return {
    seconds: median("seconds"),
    cpuSeconds: median("cpuSeconds"),
    warmCpuSeconds: median("warmCpuSeconds"),
    heldMb: median("heldMb"),
    rssMb: median("rssMb"),
    readMb: median("readMb"),
  };
}

function named(subject: string, measurement: Measurement): Record<string, number> {
  return Object.fromEntries(
    Object.entries(measurement).map(([figure, value]) => [
      `${subject}${figure.replace(/^./, (letter) => letter.toUpperCase())}`,
      round(value),
    ]),
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
