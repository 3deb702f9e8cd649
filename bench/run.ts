// npm run bench -- NAME [--quick], or npm run bench -- sandbox --https [--quick]: runs one benchmark; the last line it prints is one JSON object with its figures.
import { parseArgs } from "node:util";

/** Takes measurements and gives the figures; `quick` asks for fewer repetitions. */
export type Benchmark = (options: { readonly quick: boolean }) => Promise<Readonly<Record<string, number>>>;

const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  idle: async () => (await import("./idle.ts")).idleBenchmark,
  import: async () => (await import("./import.ts")).importBenchmark,
  controlplane: async () => (await import("./controlplane.ts")).controlPlaneBenchmark,
  noop: async () => (await import("./noop.ts")).noopBenchmark,
  latency: async () => (await import("./latency.ts")).latencyBenchmark,
  sync: async () => (await import("./sync.ts")).syncBenchmark,
  metrics: async () => (await import("./metrics.ts")).metricsBenchmark,
  sandbox: async () => (await import("./sandbox.ts")).sandboxBenchmark,
  "sandbox --https": async () => (await import("./sandbox/https.ts")).httpsBenchmark,
  queue: async () => (await import("./queue.ts")).queueBenchmark,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean" }, https: { type: "boolean" } },
});
const [subject] = positionals;
const name = values.https === true ? `${subject} --https` : subject;
const load = name === undefined ? undefined : benchmarks[name];
if (load === undefined) {
  const known = Object.keys(benchmarks).join(", ");
  console.error(`usage: npm run bench -- NAME [--quick]; NAME is one of: ${known}`);
  process.exitCode = 1;
} else {
  const benchmark = await load();
  const figures = await benchmark({ quick: values.quick === true });
  console.log(JSON.stringify({ benchmark: name, ...figures }));
}
