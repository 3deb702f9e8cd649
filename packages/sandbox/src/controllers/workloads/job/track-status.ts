import { formatTime, type Stored } from "@keelson/core";
import type { JobCondition, JobStatus } from "@keelson/core/kinds/batch/v1";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { isBeingDeleted, isPodActive, isPodReady, isPodTerminating } from "../pod-state.ts";
import { formatIndexes } from "./index-set.ts";
import { hasSucceeded, isPodFailed, type JobEnd, type JobFacts } from "./job-facts.ts";
import { indexOf, isTracked } from "./job-pod.ts";
import { isCounted } from "./job-policies.ts";

/**
 * Pods are counted once and for all, although the status and the pods cannot be written at once: first their uids go
 * into the status, then their finalizers go, then the uids become numbers.
 */
export interface Tracking {
  /** With the uids of pods whose finalizer is about to be removed. */
  readonly status: JobStatus;
  readonly letGo: readonly Stored<Pod>[];
}

/**
 * The finalizer is removed only from pods in the facts: a pod that finished since then is not counted yet.
 *
 * @param present the pods after some were created and deleted
 */
export function trackPods(
  facts: JobFacts,
  present: readonly Stored<Pod>[],
  end: JobEnd | undefined,
): Tracking {
  const { job, isIndexed, completions = 0, succeededIndexes, failedIndexes } = facts;
  const { succeeded: good = [], failed: bad = [] } = job.status?.uncountedTerminatedPods ?? {};
  const held = new Set(uidsOf(present.filter(isTracked)));
  const tracked = facts.pods.filter(({ metadata }) => held.has(metadata.uid));
  const letGo = tracked.filter(
    (pod) => isBeingDeleted(job) || end !== undefined || hasSucceeded(pod) || isPodFailed(job, pod),
  );
  const known = new Set([...good, ...bad]);
  const fresh = letGo.filter(({ metadata }) => !known.has(metadata.uid));
  const isFailed = (pod: Stored<Pod>): boolean =>
    !hasSucceeded(pod) &&
    (isPodFailed(job, pod) || end?.type === "FailureTarget") &&
    (!isIndexed || indexOf(pod, completions) !== undefined) &&
    isCounted(job.spec?.podFailurePolicy, pod);
  const status = countedPods(
    {
      ...job.status,
      ...(isIndexed ? indexCounts(succeededIndexes, failedIndexes) : {}),
      uncountedTerminatedPods: uncounted(
        [...good, ...(isIndexed ? [] : uidsOf(fresh.filter(hasSucceeded)))],
        [...bad, ...uidsOf(fresh.filter(isFailed))],
      ),
    },
    held,
  );
  return { status: withPresentPods(status, present), letGo };
}

function uidsOf(pods: readonly Stored<Pod>[]): readonly string[] {
  return pods.flatMap(({ metadata }) => metadata.uid);
}

function indexCounts(
  succeeded: ReadonlySet<number>,
  failed: ReadonlySet<number> | undefined,
): Pick<JobStatus, "succeeded" | "completedIndexes" | "failedIndexes"> {
  return {
    ...(succeeded.size === 0
      ? {}
      : { succeeded: succeeded.size, completedIndexes: formatIndexes(succeeded) }),
    ...(failed === undefined ? {} : { failedIndexes: formatIndexes(failed) }),
  };
}

function uncounted(
  succeeded: readonly string[],
  failed: readonly string[],
): NonNullable<JobStatus["uncountedTerminatedPods"]> {
  return {
    ...(succeeded.length === 0 ? {} : { succeeded }),
    ...(failed.length === 0 ? {} : { failed }),
  };
}

/** Turns the uids of pods that have no finalizer any more into numbers. */
export function countedPods(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const stays = (uid: string): boolean => tracked.has(uid);
  const good = (status.succeeded ?? 0) + succeeded.filter((uid) => !stays(uid)).length;
  const bad = (status.failed ?? 0) + failed.filter((uid) => !stays(uid)).length;
  return {
    ...status,
    ...(good === 0 ? {} : { succeeded: good }),
    ...(bad === 0 ? {} : { failed: bad }),
    uncountedTerminatedPods: uncounted(succeeded.filter(stays), failed.filter(stays)),
  };
}

/** How many pods run, are ready and are about to end now. */
export function withPresentPods(status: JobStatus, pods: readonly Stored<Pod>[]): JobStatus {
  const { active: _active, ...rest } = status;
  const active = pods.filter(isPodActive);
  return {
    ...rest,
    ...(active.length === 0 ? {} : { active: active.length }),
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
  };
}

export function isAllCounted({ uncountedTerminatedPods, terminating = 0 }: JobStatus): boolean {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  return succeeded.length === 0 && failed.length === 0 && terminating === 0;
}

/** The status with a condition; the same status if it says so already. A new one that is False is not added. */
export function withJobCondition(
  status: JobStatus,
  wanted: {
    readonly type: string;
    readonly status: "True" | "False";
    readonly reason: string;
    readonly message: string;
  },
  now: number,
): JobStatus {
  const { conditions = [] } = status;
  const present = conditions.find(({ type }) => type === wanted.type);
  if (present === undefined && wanted.status === "False") return status;
  if (
    present !== undefined &&
    present.status === wanted.status &&
    present.reason === wanted.reason &&
    present.message === wanted.message
  ) {
    return status;
  }
  const time = formatTime(now);
  const { type, reason, message } = wanted;
  const added: JobCondition = {
    type,
    status: wanted.status,
    lastProbeTime: time,
    lastTransitionTime: time,
    reason,
    message,
  };
  const updated =
    present === undefined ? [...conditions, added] : conditions.map((one) => (one === present ? added : one));
  return { ...status, conditions: updated };
}
