import { ApiError, type Client, type Clock, ConflictError, controllerOf, NotFoundError } from "keelson";
import { Pod } from "keelson/kinds/core/v1";
import { evictPod } from "keelson/object";
import { formatConsumer } from "../api/consumer.ts";
import type { ConsumerPod } from "./consumer-pods.ts";
import { nextEviction } from "./pod-by-pod.ts";
import type { RestartTarget } from "./restart-targets.ts";
import { rollOut } from "./workloads.ts";

/** By what pods were restarted. */
export type RestartMethod = "rollout" | "eviction" | "deletion";

/** How far the restart of a target is. */
export type RestartProgress =
  /** All pods were started after the beginning. */
  | { readonly state: "done"; readonly restartedAt: string | undefined }
  /** Under way; nothing has to be done but to wait. */
  | { readonly state: "waiting"; readonly message: string }
  /** Something was done just now. */
  | { readonly state: "acted"; readonly method: RestartMethod; readonly message: string }
  /** It is refused; it has to be tried again later. */
  | { readonly state: "failed"; readonly message: string };

/** The progress of a restart is looked at this often. It is in the cache. */
export const progressMs = 1_000;

/** How long after a refused step it is tried again for the first time. */
export const firstRetryMs = 5_000;

export interface RestartContext {
  readonly client: Client;
  readonly liveClient: Client;
  readonly clock: Clock;
  /** Whether pods may be deleted that cannot be evicted. */
  readonly allowDeletion: boolean;
  /** Whether evictions have been refused for so long that pods are deleted instead, if that is allowed. */
  readonly isOverdue: boolean;
}

/** Which pods are restarted: those that were started before a time, or those for which something else holds. */
export interface RestartReason {
  readonly startedAt: string;
  /** Undefined: by their age. */
  readonly isOutdated?: (pod: ConsumerPod) => boolean;
}

/**
 * Takes the next step of the restart of a target. It depends on nothing but what the server has: the time in the template of
 * a workload, and the age of pods. So a restart goes on after a crash at any point, and repeats nothing.
 */
export function restartTarget(
  context: RestartContext,
  target: RestartTarget,
  reason: RestartReason,
): Promise<RestartProgress> {
  return target.type === "rollout"
    ? stepOfRollout(context, target, reason)
    : stepOfPods(context, target, reason);
}

async function stepOfRollout(
  { client, clock }: RestartContext,
  { consumer, workload }: Extract<RestartTarget, { readonly type: "rollout" }>,
  { startedAt }: RestartReason,
): Promise<RestartProgress> {
  const startedAtMs = Date.parse(startedAt);
  const { restartedAt, isRolledOut, isPaused, progress } = workload;
  const text = formatConsumer(consumer);
  if (restartedAt !== undefined && Date.parse(restartedAt) >= startedAtMs) {
    if (isRolledOut) return { state: "done", restartedAt };
    if (isPaused)
      return { state: "failed", message: `${text} is paused; resume it with kubectl rollout resume` };
    return { state: "waiting", message: `${text}: ${progress}` };
  }
  // A clock that is behind that of an earlier leader must not write a time before the beginning.
  const time = new Date(Math.max(clock.now(), startedAtMs)).toISOString();
  try {
    return (await rollOut(client, consumer, workload, time))
      ? { state: "acted", method: "rollout", message: `${text} is rolled out` }
      : { state: "done", restartedAt: undefined };
  } catch (error) {
    if (error instanceof ConflictError) return { state: "waiting", message: `${text} was created again` };
    if (error instanceof ApiError)
      return { state: "failed", message: `${text} may not be rolled out: ${error.message}` };
    throw error;
  }
}

async function stepOfPods(
  context: RestartContext,
  target: Extract<RestartTarget, { readonly type: "pods" }>,
  { startedAt, isOutdated }: RestartReason,
): Promise<RestartProgress> {
  // The creation of a pod is known to the second. Those of the second of the beginning count as older, so none may be
  // replaced before it is over.
  const startedAtMs = Math.ceil(Date.parse(startedAt) / 1000) * 1000;
  const isOlder = ({ metadata }: ConsumerPod): boolean =>
    Date.parse(metadata.creationTimestamp) < startedAtMs;
  const nowMs = context.clock.now();
  const step = nextEviction(target, isOutdated ?? isOlder, nowMs);
  if (step.isDone) return { state: "done", restartedAt: startedAt };
  const text = formatConsumer(target.consumer);
  if (nowMs < startedAtMs) return { state: "waiting", message: `${text}: the restart begins` };
  if (step.next === undefined)
    return { state: "waiting", message: `${text}: waits until its pods are ready` };
  return restartPod(context, step.next);
}

async function restartPod(context: RestartContext, pod: ConsumerPod): Promise<RestartProgress> {
  const { name, namespace } = pod.metadata;
  if (controllerOf(pod) === undefined) {
    if (context.allowDeletion) return deletePod(context, pod);
    const message = `Pod ${name} has no controller that would replace it; delete and create it, or set spec.restart.allowDeletion`;
    return { state: "failed", message };
  }
  const result = await evictPod(context.liveClient, pod);
  if (result.evicted)
    return { state: "acted", method: "eviction", message: `Pod ${namespace}/${name} was evicted` };
  if (context.allowDeletion && context.isOverdue) return deletePod(context, pod);
  return { state: "failed", message: result.reason };
}

async function deletePod(
  { liveClient }: RestartContext,
  { metadata }: ConsumerPod,
): Promise<RestartProgress> {
  const { namespace, name, uid } = metadata;
  try {
    await liveClient.delete(Pod, { namespace, name }, { preconditions: { uid } });
  } catch (error) {
    if (!(error instanceof NotFoundError)) {
      if (error instanceof ApiError)
        return { state: "failed", message: `Pod ${name} may not be deleted: ${error.message}` };
      throw error;
    }
  }
  return { state: "acted", method: "deletion", message: `Pod ${namespace}/${name} was deleted` };
}
