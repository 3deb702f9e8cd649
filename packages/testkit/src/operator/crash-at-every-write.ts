import { createClient } from "@keelson/client";
import { deepEqual, toError } from "@keelson/core";
import type { Operator } from "keelson";
import type { Cluster } from "../start-cluster.ts";
import type { CrashMoment } from "./crashing-transport.ts";
import { differences } from "./differences.ts";
import { NotConvergedError } from "./errors.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import { openAccess, type RunOperatorOptions } from "./run-operator.ts";
import { runScenario, type Scenario, type ScenarioEnd, type ScenarioOptions } from "./scenario.ts";

export interface CrashAtEveryWriteOptions {
  /** With controllers, as namespaces are made and removed. */
  readonly cluster: Cluster;
  readonly scenario: Scenario;
  /** `after`: the server has carried the write out. `before`: it never hears of it. Default `after`. */
  readonly moment?: CrashMoment;
  /** How many runs there are at a time. Default 4. */
  readonly concurrency?: number;
  /** How long each stage of the scenario may take to settle. Default 60 s. */
  readonly settleTimeoutMs?: number;
  /** How the operators are run. */
  readonly operatorOptions?: Omit<RunOperatorOptions, "access" | "namespaces" | "webhooks">;
}

export interface CrashReport {
  /** The writes of the operator that did not crash, in order. */
  readonly writes: readonly RecordedWrite[];
  /**
   * The writes at which the other operators crashed. Fewer than `writes` if an operator needed fewer of them, as may
   * happen where things run at the same time.
   */
  readonly crashes: readonly RecordedWrite[];
  /** The outcome of the operator that did not crash, which all others have reached. */
  readonly outcome: unknown;
}

/**
 * Runs the scenario undisturbed, which gives the writes and the outcome; then once for each write, with an operator that
 * dies as soon as the server has executed that write: neither the response nor anything else arrives. A new operator
 * takes its place, and the outcome must be the same. Each run has a namespace of its own.
 *
 * Throws a NotConvergedError that names the write, and shows the difference, if an outcome is another one or is not
 * reached; an AggregateError of them if there are several.
 */
export async function crashAtEveryWrite(
  operator: Operator,
  options: CrashAtEveryWriteOptions,
): Promise<CrashReport> {
  const { cluster, scenario, moment = "after", concurrency = 4, settleTimeoutMs = 60_000 } = options;
  const { operatorOptions = {} } = options;
  const transport = openAccess(cluster);
  try {
    const client = createClient({ transport });
    const play: ScenarioOptions = { operator, cluster, client, scenario, settleTimeoutMs, operatorOptions };
    const undisturbed = await runScenario(play, {}, steadiness());
    const { writes } = undisturbed;
    const indexes = writes.map((_, index) => index + 1);
    const crashes = await inTurns(indexes, concurrency, (index) => crashAt(play, undisturbed, index, moment));
    const { outcome } = undisturbed;
    return { writes, crashes: crashes.filter((write) => write !== undefined), outcome };
  } finally {
    await transport.close();
  }
}

const steadyLooks = 5;

/** Whether an outcome has stayed the same for a while: other controllers may be a little late. */
function steadiness(): (outcome: unknown) => boolean {
  let last: unknown;
  let looks = 0;
  return (outcome) => {
    looks = deepEqual(last, outcome) ? looks + 1 : 1;
    last = outcome;
    return looks >= steadyLooks;
  };
}

/** Gives the write that it died of. */
async function crashAt(
  play: ScenarioOptions,
  { outcome, writes }: ScenarioEnd,
  index: number,
  moment: CrashMoment,
): Promise<RecordedWrite | undefined> {
  const { name } = play.operator;
  const point = { index, total: writes.length, moment };
  const end = await runScenario(play, { atWrite: index, moment }, (found) => deepEqual(outcome, found)).catch(
    (error: unknown) => {
      throw new NotConvergedError(name, { ...point, write: writes[index - 1] }, { cause: toError(error) });
    },
  );
  const found = differences(outcome, end.outcome);
  if (found.length > 0)
    throw new NotConvergedError(name, { ...point, write: end.crashedAt }, { differences: found });
  return end.crashedAt;
}

/** Runs all of them, even if some fail. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const waiting = items.entries();
  const results: Result[] = [];
  const errors: Error[] = [];
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      try {
        results[index] = await work(item);
      } catch (error) {
        errors.push(toError(error));
      }
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  const [first, ...rest] = errors;
  if (first === undefined) return results;
  throw rest.length === 0
    ? first
    : new AggregateError(errors, errors.map(({ message }) => message).join("\n"));
}
