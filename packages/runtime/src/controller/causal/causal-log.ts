import type { ApiCall } from "@keelson/client";
import type { Clock } from "@keelson/core";
import { RecentMap } from "../../cache/recent-map.ts";
import { explainRuns } from "./explain-run.ts";
import { RecordedRun, type RunOwner, type RunRecorder, type RunStart } from "./recorded-run.ts";
import { RunHistory } from "./run-history.ts";
import type { RunRecord } from "./run-record.ts";

export type { RunEnd, RunRecorder, RunStart } from "./recorded-run.ts";

/** How much a log holds. */
export interface CausalLogLimits {
  /** How many runs of a key are on record. Default 8. */
  readonly runsPerKey?: number;
  /** How many keys; the one that ran least recently goes first. Default 1000. */
  readonly keys?: number;
  /** How many calls of a run. Default 64. */
  readonly callsPerRun?: number;
}

export interface CausalLogOptions extends CausalLogLimits {
  readonly clock: Clock;
}

/**
 * Why did this run? The last runs of each key: what set them off, what they read and wrote, how they ended. It is
 * bounded, it is made to be always on, and it holds names of fields but no values (law 9).
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
  readonly #runsPerKey: number;
  readonly #histories: RecentMap<string, RunHistory>;
  readonly #owner: RunOwner;

  constructor({ clock, runsPerKey = 8, keys = 1000, callsPerRun = 64 }: CausalLogOptions) {
    this.#clock = clock;
    this.#runsPerKey = runsPerKey;
    this.#histories = new RecentMap(keys);
    this.#owner = {
      clock,
      callsPerRun,
      keep: (run) => this.#histories.use(run.keyText, makeHistory).add(run, this.#runsPerKey),
      earlierVersions: (keyText, call) => this.#earlierVersions(keyText, call),
    };
  }

  /** A run of the key begins. It is on record once it has ended. */
  begin(keyText: string, run: RunStart): RunRecorder {
    return new RecordedRun(this.#owner, keyText, run);
  }

  /** The runs on record, the newest first. */
  runs(keyText: string): readonly RunRecord[] {
    return this.#recordedRuns(keyText).map((run) => run.toRecord());
  }

  /** The keys that have runs on record; the one that ran last comes first. */
  keys(): readonly string[] {
    return this.#histories.keys().toReversed();
  }

  /** The same for people: the newest run first, at most 100 columns wide where words allow it. Times are in UTC. */
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
