import type { ApiCall } from "@keelson/client";
import type { Clock } from "@keelson/core";
import { RecentMap } from "../../recent-map.ts";
import { explainRuns } from "./explain-run.ts";
import {
  RecordedRun,
  type RunOwner,
  type RunRecord,
  type RunRecorder,
  type RunStart,
} from "./recorded-run.ts";

/** How much a causal log holds. */
export interface CausalLogLimits {
  /** How many runs of a key are kept. Default 8. */
  readonly runsPerKey?: number;
  /** How many keys are kept; the one that ran least recently is dropped first. Default 1000. */
  readonly keys?: number;
  /** How many calls of a run are kept. Default 64. */
  readonly callsPerRun?: number;
}

export interface CausalLogOptions extends CausalLogLimits {
  readonly clock: Clock;
}

/**
 * The record of why each run started and what it read and wrote: for each key its last runs, with their triggers, calls
 * and results. It is bounded, cheap enough to be always on, and holds names of fields but no values (law 9).
 *
 * ```ts
 * const recorder = log.begin("shop/web", { reconcileId: () => id, reasons, queuedMs: 2, priority: 0 });
 * const client = cachedClient.with((next) => recorder.layer(next));
 * // … reconcile with it, then:
 * recorder.end({ result: "success" });
 * console.log(log.explain("shop/web"));
 * ```
 */
export class CausalLog {
  readonly #clock: Clock;
  readonly #histories: RecentMap<string, RunHistory>;
  readonly #owner: RunOwner;

  constructor({ clock, runsPerKey = 8, keys = 1000, callsPerRun = 64 }: CausalLogOptions) {
    this.#clock = clock;
    this.#histories = new RecentMap(keys);
    this.#owner = {
      clock,
      callsPerRun,
      keep: (run) => this.#histories.use(run.keyText, makeHistory).add(run, runsPerKey),
      earlierVersions: (keyText, call) => this.#earlierVersions(keyText, call),
    };
  }

  /** Begins to record a run of the key. The log shows the run once it has ended. */
  begin(keyText: string, run: RunStart): RunRecorder {
    return new RecordedRun(this.#owner, keyText, run);
  }

  /** The recorded runs of the key, the newest first. */
  runs(keyText: string): readonly RunRecord[] {
    return this.#recordedRuns(keyText).map((run) => run.toRecord());
  }

  /** The keys that have recorded runs, the one that ran last first. */
  keys(): readonly string[] {
    return this.#histories.keys().toReversed();
  }

  /** The recorded runs as text, the newest first, at most 100 columns wide where words allow it. Times are in UTC. */
  explain(keyText: string): string {
    const runs = this.runs(keyText);
    return runs.length === 0 ? `no run of ${keyText} is on record` : explainRuns(runs, this.#clock.now());
  }

  #earlierVersions(keyText: string, call: ApiCall): readonly string[] {
    return this.#recordedRuns(keyText).flatMap((run) => run.versionsOf(call));
  }

  #recordedRuns(keyText: string): readonly RecordedRun[] {
    return [...(this.#histories.peek(keyText)?.newestFirst() ?? [])];
  }
}

const makeHistory = (): RunHistory => new RunHistory();

/**
 * The last runs of one key, as a chain from the newest to the oldest: most keys have few runs, and an array would reserve
 * space for many.
 */
class RunHistory {
  #newest: RecordedRun | undefined;
  #length = 0;

  /** Adds a run and drops those that are older than the last `limit`. */
  add(run: RecordedRun, limit: number): void {
    run.previous = this.#newest;
    this.#newest = run;
    this.#length += 1;
    if (this.#length > limit) this.#cutAfter(limit);
  }

  *newestFirst(): Iterable<RecordedRun> {
    for (let run = this.#newest; run !== undefined; run = run.previous) yield run;
  }

  #cutAfter(count: number): void {
    let last = this.#newest;
    for (let seen = 1; seen < count; seen++) last = last?.previous;
    if (last !== undefined) last.previous = undefined;
    this.#length = count;
  }
}
