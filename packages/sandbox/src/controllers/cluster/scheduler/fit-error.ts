import type { Pod } from "@keelson/core/kinds/core/v1";
import type { Misfit } from "./filter-node.ts";

/** Why a pod goes nowhere, in the words of the real scheduler. */
export function fitError(pod: Pod, misfits: readonly Misfit[]): string {
  if (misfits.length === 0) return "no nodes available to schedule pods";
  const head = `0/${misfits.length} nodes are available:`;
  const reasons = histogram(misfits.flatMap(({ reasons }) => reasons));
  return `${head} ${reasons}. ${afterword(pod, misfits)}`;
}

/** The same for a reason that lies with the pod itself; so the real scheduler ends it. */
export function podError(nodeCount: number, reason: string): string {
  return `0/${nodeCount} nodes are available: ${reason}. not found`;
}

/** What making room by displacing others would have come to. */
function afterword(pod: Pod, misfits: readonly Misfit[]): string {
  const prefix = "no new claims to deallocate, preemption:";
  if (pod.spec?.preemptionPolicy === "Never") return `${prefix} not eligible due to preemptionPolicy=Never.`;
  const reasons = misfits.map(({ isResolvable }) =>
    isResolvable
      ? "No preemption victims found for incoming pod"
      : "Preemption is not helpful for scheduling",
  );
  return `${prefix} 0/${misfits.length} nodes are available: ${histogram(reasons)}.`;
}

function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}
