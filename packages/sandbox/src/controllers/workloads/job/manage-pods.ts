import type { ObjectOfKind, Stored } from "@keelson/core";
import type { Job } from "@keelson/core/kinds/batch/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import { type ControllerContext, controllerManager } from "../../controller.ts";
import { ignoreNotFound, isNamespaceTerminating } from "../../refusals.ts";
import { type PodControl, slowStart } from "../pod-control.ts";
import { compareText } from "../pod-state.ts";
import { podsToDelete } from "../replicaset/deletion-order.ts";
import { hasSucceeded, isPodFailed, type JobFacts, replacesOnlyFailed } from "./job-facts.ts";
import {
  failuresBefore,
  type IndexFailures,
  ignoredFailuresBefore,
  indexOf,
  isTracked,
  makeIndexedPod,
  makeJobPod,
  withoutTracking,
} from "./job-pod.ts";
import { backoffMs, finishedAt, isCounted, remainingMs } from "./job-policies.ts";

const most = 500;

export interface PodPlan {
  readonly remove: readonly Stored<Pod>[];
  /** How many pods without an index. */
  readonly create: number;
  readonly createIndexes: readonly number[];
  /** Look again after this time; undefined: no need. */
  readonly waitMs: number | undefined;
}

/** The pods that a running Job must delete and create. */
export function planPods(facts: JobFacts): PodPlan {
  const { job, active, isIndexed, isSuspended } = facts;
  const nothing = { remove: [], create: 0, createIndexes: [], waitMs: undefined };
  if (isSuspended) return { ...nothing, remove: active };
  const wanted = desiredActive(facts);
  const duplicates = isIndexed ? duplicatesOf(facts) : [];
  const rest = active.filter((pod) => !duplicates.includes(pod));
  const surplus = Math.max(0, active.length - wanted - duplicates.length);
  const remove = [...duplicates, ...podsToDelete(rest, [], surplus, facts.now)].slice(0, most);
  const blocked = replacesOnlyFailed(job) ? facts.terminating.length : 0;
  const missing = Math.min(most, wanted - blocked - (active.length - remove.length));
  if (missing <= 0) return { ...nothing, remove };
  if (isIndexed && facts.failedIndexes !== undefined) return { ...planIndexes(facts, missing), remove };
  const failed = facts.pods.filter((pod) => isPodFailed(job, pod));
  const waitMs = backoffMs(facts.pods.filter(hasSucceeded), failed, facts.now);
  if (waitMs > 0) return { ...nothing, remove, waitMs };
  if (isIndexed) return { ...nothing, remove, createIndexes: pendingIndexes(facts).slice(0, missing) };
  return { ...nothing, remove, create: missing };
}

function desiredActive({ job, completions, succeeded, active }: JobFacts): number {
  const parallelism = job.spec?.parallelism ?? 1;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** Of two pods with one index, the older stays; pods of indexes that are done or unknown go. */
function duplicatesOf({ active, completions = 0, succeededIndexes }: JobFacts): readonly Stored<Pod>[] {
  const seen = new Set<number>();
  return active.filter((pod) => {
    const index = indexOf(pod, completions);
    if (index === undefined || succeededIndexes.has(index) || seen.has(index)) return true;
    seen.add(index);
    return false;
  });
}

function pendingIndexes(facts: JobFacts): readonly number[] {
  const { job, active, terminating, completions = 0, succeededIndexes, failedIndexes } = facts;
  const busy = replacesOnlyFailed(job) ? [...active, ...terminating] : active;
  const taken = new Set(busy.map((pod) => indexOf(pod, completions)));
  return Array.from({ length: completions }, (_, index) => index).filter(
    (index) => !taken.has(index) && !succeededIndexes.has(index) && failedIndexes?.has(index) !== true,
  );
}

/** Each index waits for itself after it has failed. */
function planIndexes(facts: JobFacts, missing: number): Omit<PodPlan, "remove"> {
  const createIndexes: number[] = [];
  const waits: number[] = [];
  for (const index of pendingIndexes(facts).slice(0, missing)) {
    const last = lastFailureOf(facts, index);
    const { counted, ignored } = failuresOf(facts, index);
    const wait = last === undefined ? 0 : remainingMs(counted + ignored, finishedAt(last), facts.now);
    if (wait > 0) waits.push(wait);
    else createIndexes.push(index);
  }
  return { create: 0, createIndexes, waitMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

function lastFailureOf({ job, pods, completions = 0 }: JobFacts, index: number): Stored<Pod> | undefined {
  return pods
    .filter((pod) => indexOf(pod, completions) === index && isPodFailed(job, pod))
    .toSorted((a, b) => finishedAt(a) - finishedAt(b) || compareText(a.metadata.name, b.metadata.name))
    .at(-1);
}

function failuresOf(facts: JobFacts, index: number): IndexFailures {
  const last = lastFailureOf(facts, index);
  if (last === undefined) return { counted: 0, ignored: 0 };
  const counts = isCounted(facts.job.spec?.podFailurePolicy, last);
  return {
    counted: failuresBefore(last) + Number(counts),
    ignored: ignoredFailuresBefore(last) + Number(!counts),
  };
}

export async function executePlan(
  context: Pick<ControllerContext, "objects">,
  control: PodControl,
  owner: ObjectOfKind<Job>,
  facts: JobFacts,
  plan: PodPlan,
): Promise<void> {
  for (const pod of plan.remove) {
    // A pod that the Job itself takes away is no failure, so it is not counted.
    if (isTracked(pod)) await removeTracking(context, pod);
    await control.remove(owner.object, pod);
  }
  const { createIndexes, create } = plan;
  const countsByIndex = facts.failedIndexes !== undefined;
  try {
    await slowStart(create + createIndexes.length, async (position) => {
      const index = createIndexes[position];
      const pod =
        index === undefined
          ? makeJobPod(owner)
          : makeIndexedPod(owner, index, countsByIndex ? failuresOf(facts, index) : undefined);
      await control.create(owner, pod);
    });
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

export async function removeTracking(
  { objects }: Pick<ControllerContext, "objects">,
  pod: Stored<Pod>,
): Promise<void> {
  const { namespace, name } = pod.metadata;
  const fresh = objects.get(Pod, { namespace, name });
  if (fresh === undefined || fresh.metadata.uid !== pod.metadata.uid || !isTracked(fresh)) return;
  await ignoreNotFound(objects.update(Pod, withoutTracking(fresh), { manager: controllerManager }));
}
