// npm run bench -- NAME [--quick], or npm run bench -- sandbox --https [--quick]: runs one benchmark; the last line it prints is one JSON object with its figures.
// npm run bench -- reloader [--quick] [--scenario S1,S4] [--subject keelson|upstream|both] chooses among its scenarios.
import { parseArgs } from "node:util";

export interface BenchmarkOptions {
  /** Asks for fewer repetitions. */
  readonly quick: boolean;
  /** Which of its scenarios, if it has some, separated by commas. Default: all. */
  readonly scenario?: string;
  /** What is measured, if there is a choice. */
  readonly subject?: string;
}

/** What was measured, by name; null where nothing could be. */
export interface Figures {
  readonly [name: string]: number | null | Figures;
}

/** Takes measurements and gives the figures. */
export type Benchmark = (options: BenchmarkOptions) => Promise<Figures>;

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
  reloader: async () => (await import("./reloader.ts")).reloaderBenchmark,
  queue: async () => (await import("./queue.ts")).queueBenchmark,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean" },
    https: { type: "boolean" },
    scenario: { type: "string" },
    subject: { type: "string" },
  },
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
  const { quick = false, scenario, subject: chosen } = values;
  const figures = await benchmark({
    quick,
    ...(scenario !== undefined && { scenario }),
    ...(chosen !== undefined && { subject: chosen }),
  });
  console.log(JSON.stringify({ benchmark: name, ...figures }));
}
