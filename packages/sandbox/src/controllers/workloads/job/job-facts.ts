import type { Stored } from "@keelson/core";
import type { Job, JobCondition } from "@keelson/core/kinds/batch/v1";
import type { Pod } from "@keelson/core/kinds/core/v1";
import { isBeingDeleted, isPodActive, isPodTerminating, timeOf } from "../pod-state.ts";
import { parseIndexes } from "./index-set.ts";
import { failuresBefore, indexOf, isTracked } from "./job-pod.ts";
import { isCounted, judgeFailure, successMessage } from "./job-policies.ts";

/** The state of an unfinished Job, computed from the Job and its pods. */
export interface JobFacts {
  readonly job: Stored<Job>;
  readonly pods: readonly Stored<Pod>[];
  readonly active: readonly Stored<Pod>[];
  readonly terminating: readonly Stored<Pod>[];
  /** Undefined: the Job is complete once one pod has succeeded. */
  readonly completions: number | undefined;
  readonly isIndexed: boolean;
  readonly isSuspended: boolean;
  readonly succeeded: number;
  readonly failed: number;
  /** Empty unless the Job is indexed. */
  readonly succeededIndexes: ReadonlySet<number>;
  /** Undefined unless the Job counts failures by index. */
  readonly failedIndexes: ReadonlySet<number> | undefined;
  readonly now: number;
}

export function jobFacts(job: Stored<Job>, pods: readonly Stored<Pod>[], now: number): JobFacts {
  const { spec, status } = job;
  const isIndexed = spec?.completionMode === "Indexed";
  const completions = spec?.completions;
  const limit = completions ?? 0;
  const { succeeded: knownGood = [], failed: knownBad = [] } = status?.uncountedTerminatedPods ?? {};
  const known = new Set([...knownGood, ...knownBad]);
  const countable = pods.filter(
    (pod) =>
      isTracked(pod) && !known.has(pod.metadata.uid) && (!isIndexed || indexOf(pod, limit) !== undefined),
  );
  const good = countable.filter(hasSucceeded);
  const bad = countable.filter((pod) => isPodFailed(job, pod) && isCounted(spec?.podFailurePolicy, pod));
  const succeededIndexes = isIndexed
    ? indexesOf(pods.filter(hasSucceeded), status?.completedIndexes, limit)
    : none;
  return {
    job,
    pods,
    active: pods.filter(isPodActive),
    terminating: pods.filter(isPodTerminating),
    completions,
    isIndexed,
    isSuspended: spec?.suspend === true,
    succeeded: isIndexed ? succeededIndexes.size : (status?.succeeded ?? 0) + good.length + knownGood.length,
    failed: (status?.failed ?? 0) + bad.length + knownBad.length,
    succeededIndexes,
    failedIndexes:
      isIndexed && spec.backoffLimitPerIndex !== undefined
        ? indexesOf(
            pods.filter((pod) => isIndexLost(job, pod)),
            status?.failedIndexes,
            limit,
          )
        : undefined,
    now,
  };
}

const none: ReadonlySet<number> = new Set();

export function hasSucceeded({ status }: Stored<Pod>): boolean {
  return status?.phase === "Succeeded";
}

/** Also a pod that is being deleted, unless only those that have ended are replaced. */
export function isPodFailed(job: Stored<Job>, pod: Stored<Pod>): boolean {
  if (pod.status?.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && isBeingDeleted(pod) && !hasSucceeded(pod);
}

export function replacesOnlyFailed({ spec }: Stored<Job>): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

function indexesOf(
  pods: readonly Stored<Pod>[],
  before: string | undefined,
  limit: number,
): ReadonlySet<number> {
  const now = pods.flatMap((pod) => indexOf(pod, limit) ?? []);
  return new Set([...parseIndexes(before, limit), ...now]);
}

function isIndexLost(job: Stored<Job>, pod: Stored<Pod>): boolean {
  if (!isTracked(pod) || !isPodFailed(job, pod)) return false;
  const { action } = judgeFailure(job.spec?.podFailurePolicy, pod);
  if (action === "FailIndex") return true;
  return action !== "Ignore" && failuresBefore(pod) >= (job.spec?.backoffLimitPerIndex ?? 0);
}

/** How a Job ends; the terminal condition follows when its pods are deleted. */
export interface JobEnd {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

export const completionsReached: JobEnd = {
  type: "SuccessCriteriaMet",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

/** Whether a Job has come to its end, but for that all its pods have succeeded. */
export function endOf(facts: JobFacts): JobEnd | undefined {
  const { job, pods, completions = 0, isIndexed, succeededIndexes, failedIndexes } = facts;
  const { conditions = [] } = job.status ?? {};
  return (
    decidedEnd(conditions, "SuccessCriteriaMet") ??
    decidedEnd(conditions, "FailureTarget") ??
    failureByPolicy(job, pods) ??
    failureByLimits(facts) ??
    (failedIndexes === undefined
      ? undefined
      : failureByIndexes(job, failedIndexes, succeededIndexes, completions)) ??
    (isIndexed ? successByPolicy(job, completions, succeededIndexes) : undefined)
  );
}

function decidedEnd(conditions: readonly JobCondition[], type: JobEnd["type"]): JobEnd | undefined {
  const found = conditions.find((condition) => condition.type === type && condition.status === "True");
  return found && { type, reason: found.reason ?? "", message: found.message ?? "" };
}

function failure(reason: string, message: string): JobEnd {
  return { type: "FailureTarget", reason, message };
}

function failureByPolicy(job: Stored<Job>, pods: readonly Stored<Pod>[]): JobEnd | undefined {
  for (const pod of pods) {
    if (!isPodFailed(job, pod)) continue;
    const { failJobMessage } = judgeFailure(job.spec?.podFailurePolicy, pod);
    if (failJobMessage !== undefined) return failure("PodFailurePolicy", failJobMessage);
  }
  return undefined;
}

function failureByLimits(facts: JobFacts): JobEnd | undefined {
  const limit = facts.job.spec?.backoffLimit ?? 6;
  if (facts.failed > limit || hasRestartedTooOften(facts, limit)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const left = msUntilDeadline(facts);
  return left !== undefined && left <= 0
    ? failure("DeadlineExceeded", "Job was active longer than specified deadline")
    : undefined;
}

function hasRestartedTooOften({ job, pods }: JobFacts, limit: number): boolean {
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    for (const { restartCount } of [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
    ]) {
      restarts += restartCount;
    }
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Undefined if the Job has no deadline, or it does not run. */
export function msUntilDeadline({ job, isSuspended, now }: JobFacts): number | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined || isSuspended) return undefined;
  return (timeOf(job.status?.startTime) ?? now) + Number(activeDeadlineSeconds) * 1000 - now;
}

function failureByIndexes(
  { spec }: Stored<Job>,
  failed: ReadonlySet<number>,
  succeeded: ReadonlySet<number>,
  completions: number,
): JobEnd | undefined {
  if (spec?.maxFailedIndexes !== undefined && failed.size > spec.maxFailedIndexes) {
    return failure(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes",
    );
  }
  return failed.size > 0 && failed.size + succeeded.size >= completions
    ? failure("FailedIndexes", "Job has failed indexes")
    : undefined;
}

function successByPolicy(
  { spec }: Stored<Job>,
  completions: number,
  succeeded: ReadonlySet<number>,
): JobEnd | undefined {
  const message = successMessage(spec?.successPolicy, completions, succeeded);
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message };
}
