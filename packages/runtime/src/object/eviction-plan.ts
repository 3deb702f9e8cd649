import type { Stored } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";

/** What decides which pods of a workload are evicted next. */
export interface EvictionState {
  /** All pods of the workload. */
  readonly pods: readonly Stored<Pod>[];
  /** How many pods the workload should have. */
  readonly desired: number;
  /** How many of them may be unavailable, at least 1. */
  readonly maxUnavailable: number;
  readonly minReadySeconds: number;
  /** A pod is replaced under its own name, only after it has ended. */
  readonly isReplacedInPlace: boolean;
  /**
   * Pods that were created before are evicted. A creation is known to the second, so this is a whole second, and none is
   * evicted before it: a replacement would count as old.
   */
  readonly startedAtMs: number;
  readonly nowMs: number;
}

/** The next step of the restart of a workload. */
export type EvictionPlan =
  | { readonly isDone: true }
  | {
      readonly isDone: false;
      /** In this order. Empty: the restart waits. */
      readonly evicted: readonly Stored<Pod>[];
      /** How many pods are missed or not yet ready. */
      readonly unavailable: number;
    };

/** How long after its grace period a pod that has not ended is no longer waited for: its node may never return. */
const stuckAfterMs = 5 * 60_000;

/**
 * Which pods to evict next. Pods that are not ready are evicted at once, since their eviction takes nothing away. Ready ones are
 * only evicted as long as the workload keeps as many available pods as a rolling update would leave it, so each waits
 * until those before it are replaced. The restart is done when every pod was created after its start.
 */
export function planEvictions(state: EvictionState): EvictionPlan {
  const running = state.pods.filter((pod) => !isEnding(pod) && !hasEnded(pod));
  const old = running.filter((pod) => Date.parse(pod.metadata.creationTimestamp) < state.startedAtMs);
  if (old.length === 0) return { isDone: true };
  const available = new Set(running.filter((pod) => isAvailable(pod, state)));
  const expected = state.desired - (state.isReplacedInPlace ? stuckCount(state) : 0);
  const unavailable = Math.max(0, expected - available.size);
  const allowed = Math.max(0, state.maxUnavailable - unavailable);
  const inOrder = old.toSorted(byEvictionOrder);
  return {
    isDone: false,
    evicted: [
      ...inOrder.filter((pod) => !available.has(pod)),
      ...inOrder.filter((pod) => available.has(pod)).slice(0, allowed),
    ],
    unavailable,
  };
}

function isEnding({ metadata }: Stored<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function isAvailable({ status }: Pod, { minReadySeconds, nowMs }: EvictionState): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status !== "True") return false;
  return (
    minReadySeconds === 0 || Date.parse(ready.lastTransitionTime ?? "") + minReadySeconds * 1000 <= nowMs
  );
}

/** The deletion timestamp of a pod is the end of its grace period. */
function stuckCount({ pods, nowMs }: EvictionState): number {
  return pods.filter(({ metadata: { deletionTimestamp } }) => {
    return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + stuckAfterMs < nowMs;
  }).length;
}

/** The pod with the highest ordinal of a StatefulSet first, as in a rolling update of it. */
function byEvictionOrder({ metadata: one }: Stored<Pod>, { metadata: other }: Stored<Pod>): number {
  return other.name.localeCompare(one.name, "en", { numeric: true });
}
