import { setTimeout } from "node:timers/promises";
import { Measurement } from "./measurement.ts";
import { RolloutLog } from "./rollout-log.ts";
import type { Scenario } from "./scenarios.ts";
import { type Pace, Stage } from "./stage.ts";
import type { Subject, SubjectProcess } from "./subject.ts";
import { isMissed, judge, type Verdict } from "./verdict.ts";

/** Workloads that are not on the last content after so long are missed. */
const settleTimeoutMs = 30_000;
/** So long a pod that was deleted is at least without a successor. */
const downtimeMs = 2_000;
/** So long nothing more may be rolled out. */
const quietMs = 3_000;

/** The figures of one scenario with one subject. */
export interface ScenarioFigures {
  /** Writes of Secrets and ConfigMaps. */
  readonly updates: number;
  readonly changes: number;
  readonly rollouts: number;
  readonly missed: number;
  readonly superfluous: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly apiCallsPerReload: number | null;
  readonly writesPerReload: number | null;
  readonly apiCalls: number;
  readonly peakRssMb: number;
  readonly cpuSeconds: number;
}

/** One scenario on a control plane of its own, with the subject as a process of its own. */
export async function runScenario(
  scenario: Scenario,
  subject: Subject,
  pace: Pace,
  report: (line: string) => void,
): Promise<ScenarioFigures> {
  await using measurement = await Measurement.start(subject, scenario.strategy ?? "env-vars");
  const { client } = measurement;
  const stage = new Stage(client, pace, async () => {
    await measurement.processes.at(-1)?.kill();
    report("the process was killed");
    await setTimeout(downtimeMs);
    await measurement.startSubject();
  });
  await scenario.prepare(stage);
  const log = new RolloutLog();
  const stop = new AbortController();
  const watching = log.watch(client, stop.signal);
  try {
    const measured = measure(measurement, { scenario, stage, log, report });
    const lost = watching.then(() => Promise.reject(new Error("the watch of the workloads has ended")));
    return await Promise.race([measured, lost]);
  } finally {
    stop.abort(new Error("the scenario is over"));
    await watching;
  }
}

interface Run {
  readonly scenario: Scenario;
  readonly stage: Stage;
  readonly log: RolloutLog;
  readonly report: (line: string) => void;
}

async function measure(measurement: Measurement, run: Run): Promise<ScenarioFigures> {
  const { scenario, stage, log, report } = run;
  const { subject, client, apiCalls, processes } = measurement;
  await measurement.startSubject();
  await until(() => subject.isPrepared(client, stage.workloads.length), settleTimeoutMs);
  report(`${stage.workloads.length} workloads are prepared`);
  const beginMs = Date.now();
  await scenario.load(stage);
  report("the load is over");
  await settle(log, stage);
  const { total, writes, summary } = await apiCalls.between(beginMs, Date.now());
  report(`API calls: ${summary === "" ? "none" : summary}`);
  const verdict = judge(log, stage.workloads);
  if (verdict.missed.length > 0) report(`missed: ${someOf(verdict.missed)}`);
  if (verdict.superfluous.length > 0) report(`superfluous: ${someOf(verdict.superfluous)}`);
  const updates = stage.contents.reduce((sum, content) => sum + content.updates, 0);
  return { updates, ...figuresOf(verdict), ...perReload(verdict, total, writes), ...usageOf(processes) };
}

async function settle(log: RolloutLog, { workloads }: Stage): Promise<void> {
  const isSettled = async (): Promise<boolean> =>
    !workloads.some((workload) => isMissed(workload, log.historyOf(workload)));
  await until(isSettled, settleTimeoutMs);
  await setTimeout(quietMs);
}

function someOf(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return `${names.slice(0, 5).join(", ")}${more}`;
}

/** Resolves when it holds, or after the time. */
async function until(holds: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const giveUpAtMs = performance.now() + timeoutMs;
  while (!(await holds()) && performance.now() < giveUpAtMs) await setTimeout(100);
}

function figuresOf({ rollouts, changes, missed, superfluous, latenciesMs }: Verdict) {
  const sorted = [...latenciesMs].sort((a, b) => a - b);
  const percentile = (share: number): number | null => {
    const value = sorted[Math.floor(sorted.length * share)];
    return value === undefined ? null : Math.round(value);
  };
  return {
    ...{ changes, rollouts, missed: missed.length, superfluous: superfluous.length },
    ...{ p50Ms: percentile(0.5), p99Ms: percentile(0.99) },
  };
}

function perReload({ rollouts }: Verdict, total: number, writes: number) {
  const share = (count: number): number | null => (rollouts === 0 ? null : round(count / rollouts));
  return { apiCalls: total, apiCallsPerReload: share(total), writesPerReload: share(writes) };
}

function usageOf(processes: readonly SubjectProcess[]) {
  const usages = processes.map(({ usage }) => usage.sample());
  return {
    peakRssMb: round(Math.max(...usages.map(({ peakRssMb }) => peakRssMb))),
    cpuSeconds: round(usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
