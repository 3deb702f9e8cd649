import { type Client, NotFoundError } from "@keelson/client";
import type { Operator } from "keelson";
import { Namespace } from "keelson/kinds/core/v1";
import type { Cluster } from "../start-cluster.ts";
import { createNamespace } from "../world/start-world.ts";
import type { CrashingTransportOptions } from "./crashing-transport.ts";
import { NotSettledError } from "./errors.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import type { RunOperatorOptions } from "./run-operator.ts";
import { OperatorWithSuccessor } from "./successor.ts";
import { until } from "./until.ts";

/** Where a scenario takes place. */
export interface ScenarioWorld {
  /** Of this run alone. */
  readonly namespace: string;
  /** The administrator's; it never fails. */
  readonly client: Client;
  readonly cluster: Cluster;
}

/** What has been done so far. */
export type ScenarioStage = "prepared" | "acted";

/** What users do with an operator, and what is to come of it, whenever the operator dies. */
export interface CrashScenario {
  /** What a user does first. */
  prepare(world: ScenarioWorld): Promise<void>;
  /** What a user does once that has settled. Default: nothing. */
  act?(world: ScenarioWorld): Promise<void>;
  /** Whether all that was done so far has come about. An object that it asks for and that is not there means: no. */
  isSettled(world: ScenarioWorld, stage: ScenarioStage): Promise<boolean>;
  /** What must be the same in the end, such as `normalized` objects. */
  outcome(world: ScenarioWorld): Promise<unknown>;
}

export interface ScenarioOptions {
  readonly operator: Operator;
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: Client;
  readonly scenario: CrashScenario;
  /** How long each stage may take to settle. */
  readonly settleTimeoutMs: number;
  readonly operatorOptions: Omit<RunOperatorOptions, "access" | "namespaces">;
}

/** How the scenario ended. */
export interface ScenarioEnd {
  readonly outcome: unknown;
  /** Of the first operator. */
  readonly writes: readonly RecordedWrite[];
  /** During which write it died; undefined if it did not get to that one. */
  readonly crashedAt: RecordedWrite | undefined;
}

/** For how long the outcome may differ from the wanted one: others than the operator have a part in it. */
const outcomeTimeoutMs = 10_000;
const pollMs = 100;
const removalTimeoutMs = 30_000;

/**
 * Plays a scenario in a namespace of its own, with an operator that dies as told and another one after it. The outcome
 * becomes the wanted one, if there is time, or is another.
 */
export async function runScenario(
  options: ScenarioOptions,
  crash: CrashingTransportOptions,
  isWanted: (outcome: unknown) => boolean = () => true,
): Promise<ScenarioEnd> {
  const { operator, cluster, client, operatorOptions } = options;
  const namespace = await createNamespace(client);
  const world: ScenarioWorld = { namespace, client, cluster };
  const runOptions = { ...operatorOptions, access: cluster, namespaces: [namespace] };
  const pair = await OperatorWithSuccessor.start(operator, runOptions, crash);
  let isOver = false;
  try {
    const end = await play(options, world, pair, isWanted);
    isOver = true;
    return end;
  } finally {
    await leave(options, world, pair, isOver);
  }
}

async function play(
  options: ScenarioOptions,
  world: ScenarioWorld,
  pair: OperatorWithSuccessor,
  isWanted: (outcome: unknown) => boolean,
): Promise<ScenarioEnd> {
  const { scenario } = options;
  await scenario.prepare(world);
  await settle(options, world, pair, "prepared");
  if (scenario.act !== undefined) {
    await scenario.act(world);
    await settle(options, world, pair, "acted");
  }
  const { writes, crashedAt } = pair;
  const before = [...writes];
  return { outcome: await outcomeOf(scenario, world, isWanted), writes: before, crashedAt };
}

/** It is settled when nothing is left to do either: a write that comes a moment later may be the one to die of. */
async function settle(
  { operator, scenario, settleTimeoutMs }: ScenarioOptions,
  world: ScenarioWorld,
  pair: OperatorWithSuccessor,
  stage: ScenarioStage,
): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    await pair.replaceCrashed();
    if (!(await orNot(scenario.isSettled(world, stage)))) return false;
    await pair.idle();
    return !pair.needsReplacement && (await orNot(scenario.isSettled(world, stage)));
  };
  const goal = `wait until the scenario of operator ${operator.name} has settled (${stage})`;
  await until(goal, isSettled, { timeoutMs: settleTimeoutMs, everyMs: pollMs });
}

async function orNot(answer: Promise<boolean>): Promise<boolean> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

async function outcomeOf(
  scenario: CrashScenario,
  world: ScenarioWorld,
  isWanted: (outcome: unknown) => boolean,
): Promise<unknown> {
  let outcome: unknown;
  const look = async (): Promise<boolean> => {
    outcome = await scenario.outcome(world);
    return isWanted(outcome);
  };
  try {
    await until("see the wanted outcome", look, { timeoutMs: outcomeTimeoutMs, everyMs: pollMs });
  } catch (error) {
    if (!(error instanceof NotSettledError)) throw error;
  }
  return outcome;
}

/**
 * The operator lives until its own objects are gone, as some may wait for it. That they go is part of the scenario, unless
 * it has failed already.
 */
async function leave(
  { operator, client }: ScenarioOptions,
  { namespace }: ScenarioWorld,
  pair: OperatorWithSuccessor,
  isOver: boolean,
): Promise<void> {
  const areGone = async (): Promise<boolean> => {
    await pair.replaceCrashed();
    const lists = await Promise.all(
      operator.resources.map((resource) => client.list(resource, { namespace })),
    );
    return lists.every(({ items }) => items.length === 0);
  };
  try {
    for (const resource of operator.resources) await client.deleteAllOf(resource, { namespace });
    await until(`remove all objects of operator ${operator.name}`, areGone, { timeoutMs: removalTimeoutMs });
    await client.delete(Namespace, { name: namespace });
  } catch (error) {
    if (isOver) throw error;
  } finally {
    await pair.stop();
  }
}
