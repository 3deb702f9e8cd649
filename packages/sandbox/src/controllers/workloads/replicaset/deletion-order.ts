import type { Pod } from "@keelson/core/kinds/core/v1";
import { compareText, isPodReady, readySince, timeOf } from "../pod-state.ts";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const phaseRanks: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Which pods are deleted when there are too many: those whose loss costs the least. In this order of reasons: not on a
 * node yet, not running, not ready, cheap by their annotation, together with many of their relatives on one node, ready
 * for a short time, restarted often, young. Times are compared by their magnitude only, so that it is not always the
 * newest.
 *
 * @param related active pods of the same owner's owner, which decide what is crowded
 */
export function podsToDelete<P extends Pod>(
  pods: readonly P[],
  related: readonly Pod[],
  count: number,
  now: number,
): readonly P[] {
  if (count >= pods.length) return pods;
  const crowd = new Map<string, number>();
  for (const { spec } of related) {
    if (spec?.nodeName) crowd.set(spec.nodeName, (crowd.get(spec.nodeName) ?? 0) + 1);
  }
  const neighbours = (pod: Pod): number => crowd.get(pod.spec?.nodeName ?? "") ?? 0;
  const criteria: readonly ((a: Pod, b: Pod) => number)[] = [
    (a, b) => Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)),
    (a, b) => phaseRank(a) - phaseRank(b),
    (a, b) => Number(isPodReady(a)) - Number(isPodReady(b)),
    (a, b) => cost(a) - cost(b),
    (a, b) => neighbours(b) - neighbours(a),
    (a, b) => byMagnitude(readySince(a), readySince(b), now) || readyTie(a, b),
    (a, b) => restarts(b) - restarts(a),
    (a, b) => byMagnitude(timeOf(a.metadata.creationTimestamp), timeOf(b.metadata.creationTimestamp), now),
    (a, b) => compareText(a.metadata.uid, b.metadata.uid),
  ];
  return pods
    .toSorted((a, b) => criteria.reduce((order, compare) => order || compare(a, b), 0))
    .slice(0, count);
}

/** Two that have been ready for about the same time, but not since the same moment, are ordered by their uid. */
function readyTie(a: Pod, b: Pod): number {
  return readySince(a) === readySince(b) ? 0 : compareText(a.metadata.uid, b.metadata.uid);
}

function phaseRank({ status }: Pod): number {
  return phaseRanks[status?.phase ?? "Pending"] ?? 0;
}

function cost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCost] ?? "0";
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

/** The later moment first, if the times since then differ by their magnitude. */
function byMagnitude(a: number | undefined, b: number | undefined, now: number): number {
  if (a === b || a === undefined || b === undefined) return 0;
  return magnitude(now - a) - magnitude(now - b);
}

function magnitude(ms: number): number {
  return ms <= 0 ? -1 : Math.floor(Math.log2(ms * 1e6));
}
