import { type Client, NotFoundError } from "@keelson/client";
import type { Operator } from "keelson";
import { Namespace } from "keelson/kinds/core/v1";
import type { Cluster } from "../start-cluster.ts";
import { createNamespace } from "../world/create-namespace.ts";
import type { CrashingTransportOptions } from "./crashing-transport.ts";
import { NotSettledError } from "./errors.ts";
import type { OperatorProblem } from "./problem-log.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import type { RunOperatorOptions } from "./run-operator.ts";
import { OperatorWithSuccessor } from "./successor.ts";
import { until } from "./until.ts";

/** The place in which a scenario runs. */
export interface ScenarioWorld {
  /** Used by this run alone. */
  readonly namespace: string;
  /** The administrator's; no faults are injected into it. */
  readonly client: Client;
  readonly cluster: Cluster;
}

/** The steps that a user has taken. */
export type ScenarioStage = "prepared" | "acted";

/** The steps of a user of an operator, and the result that they must have, whenever the operator crashes. */
export interface Scenario {
  /** The first step, such as creating an object of the operator's kind. */
  prepare(world: ScenarioWorld): Promise<void>;
  /** A second step, once the first has settled, such as changing the object. Default: none. */
  act?(world: ScenarioWorld): Promise<void>;
  /** Whether the operator has brought about all steps so far. A NotFoundError counts as false. */
  isSettled(world: ScenarioWorld, stage: ScenarioStage): Promise<boolean>;
  /**
   * The first step whose writes are crashed at. Default `prepared`, which is all of them; `acted` where another scenario
   * begins with the same step.
   */
  readonly crashFrom?: ScenarioStage;
  /** The state that must be the same at the end of each run, such as `normalized` objects. */
  outcome(world: ScenarioWorld): Promise<unknown>;
  /**
   * Deletes what makes the operator create objects of its own kinds, before those are deleted at the end. Default: nothing
   * does.
   */
  remove?(world: ScenarioWorld): Promise<void>;
}

export interface ScenarioOptions {
  readonly operator: Operator;
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: Client;
  readonly scenario: Scenario;
  /** How long each stage may take to settle. */
  readonly settleTimeoutMs: number;
  readonly operatorOptions: Omit<RunOperatorOptions, "access" | "namespaces">;
}

/** The result of a scenario. */
export interface ScenarioEnd {
  readonly outcome: unknown;
  /** The writes of the first operator, from the step on from which it may crash. */
  readonly writes: readonly RecordedWrite[];
  /** The write during which it crashed; undefined if it made fewer writes. */
  readonly crashedAt: RecordedWrite | undefined;
}

/** How long the outcome may differ from the expected one: other controllers than the operator contribute to it. */
const outcomeTimeoutMs = 10_000;
const pollMs = 100;
const removalTimeoutMs = 30_000;

/**
 * Runs a scenario in a namespace of its own, with an operator that crashes as configured and a successor. Returns the
 * expected outcome as soon as it is reached, or the actual one after some time.
 */
export async function runScenario(
  options: ScenarioOptions,
  crash: CrashingTransportOptions,
  isExpected: (outcome: unknown) => boolean = () => true,
): Promise<ScenarioEnd> {
  const { operator, scenario, cluster, client, operatorOptions } = options;
  const namespace = await createNamespace(client);
  const world: ScenarioWorld = { namespace, client, cluster };
  const runOptions = { ...operatorOptions, access: cluster, namespaces: [namespace] };
  const operators = await OperatorWithSuccessor.start(operator, runOptions, {
    ...crash,
    waitsForAct: scenario.crashFrom === "acted",
  });
  let hasSucceeded = false;
  try {
    await settleScenario(options, world, operators);
    const { crashedAt } = operators;
    const writes = [...operators.writes];
    const end = { outcome: await outcomeOf(scenario, world, isExpected), writes, crashedAt };
    hasSucceeded = true;
    return end;
  } finally {
    await removeWorld(options, world, operators, hasSucceeded);
  }
}

/** The operator, or the operators, that a scenario needs to settle. */
export interface ScenarioOperator {
  idle(): Promise<void>;
  readonly problems: readonly OperatorProblem[];
  /** Whether no operator runs at the moment. */
  readonly needsReplacement?: boolean;
  /** Starts a successor of an operator that has crashed. */
  replaceCrashed?(): Promise<void>;
  /** Is called before the second step. */
  beginAct?(): void;
}

/**
 * Takes the steps of a scenario, and returns when each has settled and nothing is left to reconcile: a write that comes a
 * moment later may be the one to crash at. Throws a NotSettledError.
 */
export async function settleScenario(
  { operator, scenario, settleTimeoutMs }: Pick<ScenarioOptions, "operator" | "scenario" | "settleTimeoutMs">,
  world: ScenarioWorld,
  running: ScenarioOperator,
): Promise<void> {
  const settle = async (stage: ScenarioStage): Promise<void> => {
    const isSettled = async (): Promise<boolean> => {
      await running.replaceCrashed?.();
      if (!(await isStageSettled(scenario, world, stage))) return false;
      await running.idle();
      return running.needsReplacement !== true && (await isStageSettled(scenario, world, stage));
    };
    const goal = `wait until the scenario of operator ${operator.name} has settled (${stage})`;
    await until(goal, isSettled, {
      ...{ timeoutMs: settleTimeoutMs, everyMs: pollMs },
      problems: () => running.problems,
    });
  };
  await scenario.prepare(world);
  await settle("prepared");
  if (scenario.act === undefined) return;
  running.beginAct?.();
  await scenario.act(world);
  await settle("acted");
}

async function isStageSettled(
  scenario: Scenario,
  world: ScenarioWorld,
  stage: ScenarioStage,
): Promise<boolean> {
  try {
    return await scenario.isSettled(world, stage);
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

async function outcomeOf(
  scenario: Scenario,
  world: ScenarioWorld,
  isExpected: (outcome: unknown) => boolean,
): Promise<unknown> {
  let outcome: unknown;
  const look = async (): Promise<boolean> => {
    outcome = await scenario.outcome(world);
    return isExpected(outcome);
  };
  try {
    await until("see the expected outcome", look, { timeoutMs: outcomeTimeoutMs, everyMs: pollMs });
  } catch (error) {
    if (!(error instanceof NotSettledError)) throw error;
  }
  return outcome;
}

/**
 * Stops the operator after its objects are deleted, since their finalizers may need it. A deletion that hangs fails the
 * scenario, unless it has failed already.
 */
async function removeWorld(
  { operator, client, scenario, operatorOptions }: ScenarioOptions,
  world: ScenarioWorld,
  operators: OperatorWithSuccessor,
  hasSucceeded: boolean,
): Promise<void> {
  const { namespace } = world;
  // What belongs to no namespace is not of this scenario alone.
  const resources = operator
    .withSettings(operatorOptions.settings)
    .resources.filter(({ scope }) => scope === "Namespaced");
  const areDeleted = async (): Promise<boolean> => {
    await operators.replaceCrashed();
    const lists = await Promise.all(resources.map((resource) => client.list(resource, { namespace })));
    return lists.every(({ items }) => items.length === 0);
  };
  try {
    await scenario.remove?.(world);
    for (const resource of resources) await client.deleteAllOf(resource, { namespace });
    await until(`delete all objects of operator ${operator.name}`, areDeleted, {
      timeoutMs: removalTimeoutMs,
      problems: () => operators.problems,
    });
    await client.delete(Namespace, { name: namespace });
  } catch (error) {
    if (hasSucceeded) throw error;
  } finally {
    await operators.stop();
  }
}
