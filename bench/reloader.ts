import { buildPublished } from "./published.ts";
import { measureMemory, type SubjectForm } from "./reloader/memory.ts";
import { runScenario, type ScenarioFigures } from "./reloader/run-scenario.ts";
import { scenarios } from "./reloader/scenarios.ts";
import { fullPace, quickPace } from "./reloader/stage.ts";
import {
  keelson,
  publishedKeelson,
  type Subject,
  smallestKeelson,
  smallKeelson,
  upstream,
  upstreamVariable,
} from "./reloader/subject.ts";
import type { Benchmark, BenchmarkOptions, Figures } from "./run.ts";

/**
 * The load scenarios S1 to S13 of stakater/Reloader on a real API server, with the operator as a process of its own. Each
 * change need not have a rollout of its own: what counts is that every workload ends on the last content, how many
 * rollouts that took, and how long. The scenario `memory` measures the process with 20,000 Secrets of 10 KB, as it is published. `--scenario S1,S4` chooses, `--subject upstream` or `both` measures
 * stakater/Reloader, whose program the variable KEELSON_UPSTREAM_RELOADER names.
 */
export const reloaderBenchmark: Benchmark = async (options) => {
  const chosen = chosenScenarios(options);
  const figures: Record<string, Figures> = {};
  for (const subject of chosenSubjects(options)) {
    const own: Record<string, Figures> = {};
    for (const scenario of chosen) own[scenario] = await measure(scenario, subject, options.quick);
    figures[subject.name] = own;
  }
  return figures;
};

/** The id of the scenario that measures memory. */
const memory = "memory";
const smallestForm = "smallest";
/** The ways to start Keelson whose memory is measured. */
const keelsonForms: readonly SubjectForm[] = [
  { form: "default", subject: publishedKeelson },
  { form: "small", subject: smallKeelson },
  { form: smallestForm, subject: smallestKeelson },
];
/** What Keelson's smallest process may take in all, with every Secret. */
const mostRssMb = 120;

function chosenScenarios({ scenario }: BenchmarkOptions): readonly string[] {
  const known = [...scenarios.map(({ id }) => id), memory];
  const chosen = scenario?.split(",") ?? known;
  const unknown = chosen.find((id) => !known.includes(id));
  if (unknown === undefined) return chosen;
  throw new Error(`--scenario: ${unknown} is not known; choose of ${known.join(", ")}`);
}

async function measure(id: string, subject: Subject, quick: boolean): Promise<Figures> {
  const scenario = scenarios.find((one) => one.id === id);
  const title = `${subject.name} ${id}${scenario === undefined ? "" : ` ${scenario.title}`}`;
  const report = (line: string): void => console.log(`${title}: ${line}`);
  report("starts");
  if (scenario === undefined) {
    if (subject === keelson) buildPublished();
    const figures = await measureMemory(
      subject === keelson ? keelsonForms : [{ form: "default", subject }],
      quick,
      report,
    );
    const smallest = figures.get(smallestForm);
    if (smallest !== undefined && smallest.rssMb > mostRssMb) {
      report(`the smallest process must take at most ${mostRssMb} MB`);
      process.exitCode = 1;
    }
    return Object.fromEntries([...figures].map(([form, one]) => [form, { ...one }]));
  }
  const figures = await runScenario(scenario, subject, quick ? quickPace : fullPace, report);
  report(describe(figures));
  if (subject === keelson && figures.missed + figures.superfluous > 0) {
    report("missed and superfluous rollouts must be 0");
    process.exitCode = 1;
  }
  return { ...figures };
}

function chosenSubjects({ subject = "both" }: BenchmarkOptions): readonly Subject[] {
  if (!["keelson", "upstream", "both"].includes(subject))
    throw new Error(`--subject: ${subject} is not known; choose of keelson, upstream, both`);
  const program = process.env[upstreamVariable];
  if (program === undefined && subject !== "keelson")
    console.log(`upstream is left out: set ${upstreamVariable} to the path of its program`);
  return [
    ...(subject === "upstream" ? [] : [keelson]),
    ...(subject === "keelson" || program === undefined ? [] : [upstream(program)]),
  ];
}

function describe(figures: ScenarioFigures): string {
  const { updates, changes, rollouts, missed, superfluous, p50Ms, p99Ms } = figures;
  return [
    `${updates} updates (${changes} changes for workloads), ${rollouts} rollouts`,
    `missed ${missed}, superfluous ${superfluous}`,
    `latency p50 ${p50Ms ?? "-"} ms, p99 ${p99Ms ?? "-"} ms`,
    `${figures.apiCalls} API calls (${figures.apiCallsPerReload ?? "-"} per reload)`,
    `RSS ${figures.peakRssMb} MB, CPU ${figures.cpuSeconds} s`,
  ].join("; ");
}
