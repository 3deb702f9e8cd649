import type { Pod } from "@keelson/core/kinds/core/v1";
import { timeOf } from "../pod-state.ts";

const firstDelayMs = 10_000;
const longestDelayMs = 600_000;

/** When a pod came to its end, as well as that is known. */
export function finishedAt({ status, metadata }: Pod): number {
  const ends = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => timeOf(state?.terminated?.finishedAt) ?? [],
  );
  if (ends.length > 0) return Math.max(...ends);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const unready = ready?.status === "False" ? timeOf(ready.lastTransitionTime) : undefined;
  if (unready !== undefined) return unready;
  const deletion = timeOf(metadata.deletionTimestamp);
  if (deletion !== undefined) return deletion - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return timeOf(metadata.creationTimestamp) ?? 0;
}

/** How long no new pod is made after failures in a row: 10 s, 20 s and so on, up to ten minutes. */
export function backoffMs(succeeded: readonly Pod[], failed: readonly Pod[], now: number): number {
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(finishedAt));
  const since = failed.map(finishedAt).filter((time) => time > lastSuccess);
  return since.length === 0 ? 0 : remainingMs(since.length, Math.max(...since), now);
}

export function remainingMs(failures: number, lastFailure: number, now: number): number {
  const delay = Math.min(firstDelayMs * 2 ** (failures - 1), longestDelayMs);
  return Math.max(0, lastFailure + delay - now);
}
