import { abortable, type Operator } from "keelson";
import { bundledOperators } from "../operators/bundled.ts";
import { loadOperators } from "../operators/load-operators.ts";
import { type EmbeddedCluster, startEmbeddedCluster } from "../sandbox/embedded-cluster.ts";
import { clusterFacts, greeting } from "../sandbox/greeting.ts";
import { until } from "../until.ts";
import { applySamples } from "./apply-samples.ts";
import { devLogger } from "./dev-logger.ts";
import type { DevSettings } from "./dev-settings.ts";
import type { Display } from "./display.ts";
import { openLogFile } from "./log-file.ts";
import { SampleBoard } from "./sample-board.ts";
import { readSamples, type Sample } from "./sample-files.ts";
import { waitUntilSettled } from "./settle.ts";
import { type RunningOperators, startOperators } from "./start-operators.ts";
import { tryLines } from "./try-lines.ts";
import { viewOf } from "./view-of.ts";

export interface PlaySurroundings {
  readonly signal: AbortSignal;
  /** Where paths begin. */
  readonly folder: string;
  /** Of this command. */
  readonly version: string;
  readonly display: Display;
}

/** Everything that is tried. */
interface Cast {
  readonly operators: readonly Operator[];
  readonly samples: readonly Sample[];
}

/** Somebody may mend what keeps a sample from settling, or it mends itself, such as a server that is late. */
const stuckMs = 10_000;

/**
 * Runs the named operators, or all that come with the command, and their samples. Resolves when the samples are settled, if
 * that ends it; rejects with what went wrong, or with the signal's reason. Nothing is left running then.
 */
export async function play(
  names: readonly string[],
  settings: DevSettings,
  { signal, folder, version, display }: PlaySurroundings,
): Promise<void> {
  const cast = await gather(names, settings, folder, signal);
  display.await(`starting a control plane and ${cast.operators.map(({ name }) => name).join(", ")} …`);
  using logFile = openLogFile(settings.logFile);
  const log = devLogger({ note: display.note, keep: logFile?.write });
  try {
    await using cluster = await startEmbeddedCluster(
      settings.cluster,
      (error, where) => log.error("the control plane failed at something", { where, error }),
      signal,
    );
    const { kubeconfigPath } = cluster;
    await using running = await startOperators({
      operators: cast.operators,
      kubeconfigPath,
      version,
      log,
      signal,
    });
    display.print(await opening(cluster, settings, cast));
    // The table is what it was when the end began; what is said of the end comes below it.
    await watch(running, cast, settings, display, signal).finally(() => display.end());
  } finally {
    display.end();
  }
}

async function gather(
  names: readonly string[],
  { hasSamples }: DevSettings,
  folder: string,
  signal: AbortSignal,
): Promise<Cast> {
  const wanted = names.length === 0 ? [...bundledOperators.keys()] : names;
  const loaded = await abortable(loadOperators(wanted, { bundled: bundledOperators, folder }), signal);
  const operators = loaded.map(({ operator }) => operator);
  return { operators, samples: hasSamples ? await readSamples(operators, folder) : [] };
}

async function opening(cluster: EmbeddedCluster, settings: DevSettings, cast: Cast): Promise<string> {
  const operators = cast.operators.map(({ name }) => name);
  // Nobody gets to try anything if it ends by itself.
  if (settings.settleMs !== undefined) return clusterFacts(cluster, settings.cluster, operators);
  const tries = tryLines(cast.operators, cast.samples);
  return `${await greeting(cluster, settings.cluster, { operators, tries })}\n`;
}

async function watch(
  { client, cache, ended }: RunningOperators,
  { operators, samples }: Cast,
  { settleMs }: DevSettings,
  display: Display,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = (): number => performance.now();
  const board = new SampleBoard({ operators, samples, cache, onChange: () => display.changed() });
  display.follow(viewOf(board, nowMs));
  await applySamples(client, samples, signal);
  const settled =
    settleMs === undefined
      ? until(signal)
      : waitUntilSettled(board, { timeoutMs: settleMs, stuckMs, nowMs, signal });
  await Promise.race([settled, ended]);
}
