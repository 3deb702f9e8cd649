import type { Operator } from "keelson";
import type { Environment } from "../config/read-environment.ts";
import type { SettingsByOperator } from "../config/resolve-config.ts";
import { withSettings } from "../run/set-up-operators.ts";
import { type EmbeddedCluster, startEmbeddedCluster } from "../sandbox/embedded-cluster.ts";
import { clusterFacts, greeting } from "../sandbox/greeting.ts";
import { until } from "../signals.ts";
import { applyFirstSamples, applyLaterSamples } from "./apply-samples.ts";
import { devLogger, openLogFile } from "./dev-logger.ts";
import type { DevSettings } from "./dev-settings.ts";
import type { Display } from "./display.ts";
import { SampleBoard } from "./sample-board.ts";
import { readSamples, type Samples } from "./sample-files.ts";
import { startSampleNeighbours } from "./sample-neighbours.ts";
import { viewOf, waitUntilSettled } from "./settle.ts";
import { type RunningOperators, startOperators } from "./start-operators.ts";
import { tryLines } from "./try-lines.ts";

export interface RunDevDependencies {
  readonly signal: AbortSignal;
  /** The base of relative paths. */
  readonly folder: string;
  /** The version of this command. */
  readonly version: string;
  /** For programs that operators start. */
  readonly env: Environment;
  readonly display: Display;
}

export interface RunDevSettings extends DevSettings {
  readonly operatorSettings: SettingsByOperator;
}

/** The operators and the objects that they reconcile. */
interface Workload {
  readonly operators: readonly Operator[];
  readonly samples: Samples;
}

/** A user may correct what keeps a sample from settling, or it passes by itself, such as a slow server. */
const stuckMs = 10_000;
const endless = { timeoutMs: Number.POSITIVE_INFINITY, stuckMs: Number.POSITIVE_INFINITY };

/**
 * Runs the operators and their samples. Resolves when the samples are settled, if `--exit-when-settled` is set;
 * rejects with an error, or with the signal's reason. Nothing is left running then.
 */
export async function runDev(
  chosen: readonly Operator[],
  settings: RunDevSettings,
  { signal, folder, version, env, display }: RunDevDependencies,
): Promise<void> {
  const configured = withSettings(chosen, settings.operatorSettings);
  const sampled = settings.hasSamples ? configured : [];
  // A file that cannot be read is reported before anything starts.
  await readSamples(sampled, folder);
  display.await(`starting a control plane and ${chosen.map(({ name }) => name).join(", ")} …`);
  using logFile = openLogFile(settings.logFile);
  const log = devLogger({ note: display.note, keep: logFile?.write });
  try {
    await using cluster = await startEmbeddedCluster(
      settings.cluster,
      {
        error: (error, where) => log.error("the control plane failed", { where, error }),
        notice: (text) => log.warn(text),
      },
      signal,
    );
    const { kubeconfigPath } = cluster;
    const { allowIncompatibleCrds } = settings;
    await using neighbours = await startSampleNeighbours({
      ...{ operators: sampled, cluster, env, log, signal },
    });
    const operators = withSettings(chosen, neighbours.settings(settings.operatorSettings));
    const workload: Workload = { operators, samples: await readSamples(sampled, folder, neighbours.texts) };
    await using running = await startOperators({
      ...{ operators, allowIncompatibleCrds, kubeconfigPath, env, version, log, signal },
    });
    display.print(await introduction(cluster, settings, workload));
    // The table stays as it was when the end began; messages about the end come below it.
    await watch(running, workload, settings, display, signal).finally(() => display.end());
  } finally {
    display.end();
  }
}

async function introduction(
  cluster: EmbeddedCluster,
  settings: DevSettings,
  workload: Workload,
): Promise<string> {
  const operators = workload.operators.map(({ name }) => name);
  // A command that ends by itself leaves no time for suggestions.
  if (settings.settleMs !== undefined) return clusterFacts(cluster, settings.cluster, operators);
  const tries = tryLines(workload.operators, workload.samples.first);
  return `${await greeting(cluster, settings.cluster, { operators, tries })}\n`;
}

async function watch(
  { client, cache, ended }: RunningOperators,
  { operators, samples }: Workload,
  { settleMs }: DevSettings,
  display: Display,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = (): number => performance.now();
  const onChange = (): void => display.changed();
  const board = new SampleBoard({ operators, samples: samples.first, cache, onChange });
  display.follow(viewOf(board, nowMs));
  await applyFirstSamples(client, samples, signal);
  const over = new AbortController();
  const waiting = AbortSignal.any([signal, over.signal]);
  // A command that does not end by itself leaves a user the time to correct what keeps a sample from settling.
  const limits = settleMs === undefined ? endless : { timeoutMs: settleMs, stuckMs };
  const settle = { ...limits, sinceMs: nowMs(), nowMs, signal: waiting };
  const finish = async (): Promise<void> => {
    if (samples.later.length > 0) {
      await waitUntilSettled(board, settle);
      board.expectLater();
      await applyLaterSamples(client, samples, waiting);
    }
    await (settleMs === undefined ? until(waiting) : waitUntilSettled(board, settle));
  };
  await Promise.race([finish(), ended]).finally(() => over.abort());
}
