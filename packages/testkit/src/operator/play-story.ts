import { type Client, NotFoundError } from "@keelson/client";
import type { Operator } from "keelson";
import { Namespace } from "keelson/kinds/core/v1";
import type { Cluster } from "../start-cluster.ts";
import { createNamespace } from "../world/create-namespace.ts";
import type { CrashStory, StoryStage, StoryWorld } from "./crash-story.ts";
import type { CrashingTransportOptions } from "./crashing-transport.ts";
import { NotSettledError } from "./errors.ts";
import { MortalPair } from "./mortal-pair.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import type { RunOperatorOptions } from "./run-operator.ts";
import { until } from "./until.ts";

export interface PlayOptions {
  readonly operator: Operator;
  readonly cluster: Cluster;
  /** The administrator's. */
  readonly client: Client;
  readonly story: CrashStory;
  /** How long each stage may take to settle. */
  readonly settleTimeoutMs: number;
  readonly operatorOptions: Omit<RunOperatorOptions, "access" | "namespaces">;
}

/** How the story ended. */
export interface StoryEnd {
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
 * Plays a story in a namespace of its own, with an operator that dies as told and another one after it. The outcome
 * becomes the wanted one, if there is time, or is another.
 */
export async function playStory(
  options: PlayOptions,
  crash: CrashingTransportOptions,
  isWanted: (outcome: unknown) => boolean = () => true,
): Promise<StoryEnd> {
  const { operator, cluster, client, operatorOptions } = options;
  const namespace = await createNamespace(client);
  const world: StoryWorld = { namespace, client, cluster };
  const runOptions = { ...operatorOptions, access: cluster, namespaces: [namespace] };
  const pair = await MortalPair.start(operator, runOptions, crash);
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
  options: PlayOptions,
  world: StoryWorld,
  pair: MortalPair,
  isWanted: (outcome: unknown) => boolean,
): Promise<StoryEnd> {
  const { story } = options;
  await story.prepare(world);
  await settle(options, world, pair, "prepared");
  if (story.act !== undefined) {
    await story.act(world);
    await settle(options, world, pair, "acted");
  }
  const { writes, crashedAt } = pair;
  const before = [...writes];
  return { outcome: await outcomeOf(story, world, isWanted), writes: before, crashedAt };
}

/** It is settled when nothing is left to do either: a write that comes a moment later may be the one to die of. */
async function settle(
  { operator, story, settleTimeoutMs }: PlayOptions,
  world: StoryWorld,
  pair: MortalPair,
  stage: StoryStage,
): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    await pair.replaceTheDead();
    if (!(await orNot(story.isSettled(world, stage)))) return false;
    await pair.idle();
    return !pair.needsReplacement && (await orNot(story.isSettled(world, stage)));
  };
  const goal = `wait until the story of operator ${operator.name} has settled (${stage})`;
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
  story: CrashStory,
  world: StoryWorld,
  isWanted: (outcome: unknown) => boolean,
): Promise<unknown> {
  let outcome: unknown;
  const look = async (): Promise<boolean> => {
    outcome = await story.outcome(world);
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
 * The operator lives until its own objects are gone, as some may wait for it. That they go is part of the story, unless
 * it has failed already.
 */
async function leave(
  { operator, client }: PlayOptions,
  { namespace }: StoryWorld,
  pair: MortalPair,
  isOver: boolean,
): Promise<void> {
  const areGone = async (): Promise<boolean> => {
    await pair.replaceTheDead();
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
