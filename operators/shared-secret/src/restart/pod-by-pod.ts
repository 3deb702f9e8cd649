import type { ConsumerPod } from "./consumer-pods.ts";

/** Pods of one workload that are restarted one after the other. Those that have ended are not among them. */
export interface EvictedPods {
  readonly pods: readonly ConsumerPod[];
  /** Those of the same workload that stay. */
  readonly others: readonly ConsumerPod[];
  /** How many pods the workload should have; 0 if that is not known. */
  readonly desired: number;
}

/** The next step of a restart pod by pod. */
export type EvictionStep =
  | { readonly isDone: true }
  /** Undefined: it waits until the pods that were restarted are replaced. */
  | { readonly isDone: false; readonly next: ConsumerPod | undefined };

/** How long after its grace period a pod that has not ended is no longer waited for: its node may never return. */
const stuckAfterMs = 5 * 60_000;

/**
 * Which of the outdated pods is restarted next. One that is not ready takes nothing away; any other waits until the one before
 * has ended and its replacement is ready, since StatefulSets and DaemonSets create that only when the pod has ended.
 */
export function nextEviction(
  target: EvictedPods,
  isOutdated: (pod: ConsumerPod) => boolean,
  nowMs: number,
): EvictionStep {
  const outdated = target.pods.filter((pod) => !isEnding(pod) && isOutdated(pod));
  if (outdated.length === 0) return { isDone: true };
  const unready = outdated.find(({ isReady }) => !isReady);
  return { isDone: false, next: unready ?? (isComplete(target, nowMs) ? outdated[0] : undefined) };
}

function isComplete({ pods, others, desired }: EvictedPods, nowMs: number): boolean {
  const all = [...pods, ...others];
  return all.length >= desired && all.every((pod) => (isEnding(pod) ? isStuck(pod, nowMs) : pod.isReady));
}

function isEnding({ metadata }: ConsumerPod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The deletion timestamp of a pod is the end of its grace period. */
function isStuck({ metadata: { deletionTimestamp = "" } }: ConsumerPod, nowMs: number): boolean {
  return Date.parse(deletionTimestamp) + stuckAfterMs < nowMs;
}
