import { jsonPatch, type ObjectContext } from "keelson";
import { pointer } from "keelson/low-level";
import { isRefusedPatch } from "keelson/object";
import { fieldOwner } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import type { ConsumerStatus, RestartRound } from "../api/status.ts";
import type { SharedSecretMetrics } from "../metrics.ts";
import {
  firstRetryMs,
  progressMs,
  type RestartContext,
  type RestartProgress,
  restartTarget,
} from "../restart/restart-target.ts";
import { restartTargets } from "../restart/restart-targets.ts";
import { isWithheld } from "../webhook/access.ts";
import { type ApprovedConsumer, keyOfEntry } from "./consumers.ts";
import { recordRestarts } from "./events.ts";

/** A consumer after a step of its restart. */
export interface RestartedConsumer {
  readonly entry: ConsumerStatus;
  readonly progress: RestartProgress;
  /** Whether a step was taken; a consumer that failed waits for its next attempt. */
  readonly hasTried: boolean;
}

const atOnce = 16;
const longestRetryMs = 300_000;
/** After this time a pod that cannot be evicted is deleted, if that is allowed. */
const overdueMs = 3_600_000;

/** What a step of a restart led to. */
export interface RestartStep {
  /** What the status shows of all consumers. */
  readonly entries: readonly ConsumerStatus[];
  /** How long until the next step is due; undefined if all consumers were restarted. */
  readonly waitMs: number | undefined;
}

/**
 * Takes the next step of a restart for each read-only consumer. Each is on its own: one that cannot be restarted is tried
 * again later, and delays no other.
 */
export async function restartConsumers(
  context: ObjectContext<SharedSecret>,
  metrics: SharedSecretMetrics,
  consumers: readonly ApprovedConsumer[],
  round: RestartRound,
): Promise<RestartStep> {
  const readers = consumers.filter(({ permission }) => permission === "ReadOnly");
  const results: RestartedConsumer[] = [];
  for (let index = 0; index < readers.length; index += atOnce) {
    context.signal.throwIfAborted();
    const some = readers.slice(index, index + atOnce);
    results.push(...(await Promise.all(some.map((consumer) => restartConsumer(context, consumer, round)))));
  }
  recordRestarts(context, results);
  for (const { progress, hasTried } of results) {
    if (hasTried && progress.state === "failed") metrics.restarted("failed");
    if (progress.state === "acted") metrics.restarted(progress.method);
  }
  const after = new Map(results.map(({ entry }) => [keyOfEntry(entry), entry]));
  return {
    entries: consumers.map(({ entry }) => after.get(keyOfEntry(entry)) ?? entry),
    waitMs: waitOf(results, context.clock.now()),
  };
}

function waitOf(results: readonly RestartedConsumer[], nowMs: number): number | undefined {
  const waits = results
    .filter(({ progress }) => progress.state !== "done")
    .map(({ entry: { retryAt } }) => (retryAt === undefined ? progressMs : Date.parse(retryAt) - nowMs));
  return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits));
}

async function restartConsumer(
  context: ObjectContext<SharedSecret>,
  { consumer, entry }: ApprovedConsumer,
  round: RestartRound,
): Promise<RestartedConsumer> {
  const { clock, object } = context;
  const nowMs = clock.now();
  if (entry.retryAt !== undefined && Date.parse(entry.retryAt) > nowMs)
    return { entry, progress: { state: "failed", message: entry.problem ?? "" }, hasTried: false };
  const isOverdue = entry.failingSince !== undefined && Date.parse(entry.failingSince) + overdueMs <= nowMs;
  const { allowDeletion } = object.spec.restart;
  const restart: RestartContext = { ...context, allowDeletion, isOverdue };
  const steps: RestartProgress[] = [];
  for (const target of await restartTargets(context, consumer))
    steps.push(await restartTarget(restart, target, round));
  const progress = combined(steps);
  return { entry: entryAfter(entry, progress, nowMs), progress, hasTried: true };
}

/** A consumer is done when all of its targets are. */
function combined(steps: readonly RestartProgress[]): RestartProgress {
  const order = ["failed", "acted", "waiting"] as const;
  for (const state of order) {
    const step = steps.find((each) => each.state === state);
    if (step !== undefined) return step;
  }
  return steps[0] ?? { state: "done", restartedAt: undefined };
}

function entryAfter(entry: ConsumerStatus, progress: RestartProgress, nowMs: number): ConsumerStatus {
  const { problem, failures = 0, failingSince, retryAt: _, ...others } = entry;
  // The webhook depends on it.
  const rest = problem !== undefined && isWithheld(entry) ? { ...others, problem } : others;
  if (progress.state === "failed") {
    const waitMs = Math.min(firstRetryMs * 2 ** Math.min(failures, 10), longestRetryMs);
    return {
      problem: progress.message,
      ...rest,
      failures: failures + 1,
      failingSince: failingSince ?? new Date(nowMs).toISOString(),
      retryAt: new Date(nowMs + waitMs).toISOString(),
    };
  }
  if (progress.state !== "done" || progress.restartedAt === undefined) return rest;
  return { ...rest, restartedAt: progress.restartedAt };
}

/**
 * Sets the flag of the object back when all consumers were restarted. False if the object has changed since it was read: then
 * the flag may have been set again, and the next reconcile decides. The generation counts these changes; those of the status
 * do not count.
 */
export async function clearFlag({ object, client }: ObjectContext<SharedSecret>): Promise<boolean> {
  if (!object.podsRestartRequired) return true;
  const { namespace, name, uid, generation } = object.metadata;
  const patch = jsonPatch([
    { op: "test", path: pointer("metadata", "uid"), value: uid },
    { op: "test", path: pointer("metadata", "generation"), value: generation },
    { op: "replace", path: pointer("podsRestartRequired"), value: false },
  ]);
  try {
    await client.patch(SharedSecret, { namespace, name }, patch, { fieldOwner });
    return true;
  } catch (error) {
    if (isRefusedPatch(error)) return false;
    throw error;
  }
}
