import type { KubeObject } from "@keelson/core";
import type { Pod } from "@keelson/core/kinds/core/v1";

export function isBeingDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether the pod has not finished and is not being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodDone(pod) && !isBeingDeleted(pod);
}

export function isPodDone({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether the pod is being deleted and has not finished. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodDone(pod) && isBeingDeleted(pod);
}

export function isPodReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** When a pod that is ready became so, in milliseconds since 1970; undefined if it is not ready. */
export function readySince(pod: Pod): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== "True") return undefined;
  return timeOf(condition.lastTransitionTime) ?? 0;
}

/** Ready for so long that it counts. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod);
  return since !== undefined && (minReadySeconds === 0 || since + minReadySeconds * 1000 <= now);
}

/** How long until the next of the pods becomes available by waiting; undefined if none does. */
export function nextAvailabilityMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined;
  const waits = pods.flatMap((pod) => {
    const since = readySince(pod);
    return since === undefined || isPodAvailable(pod, minReadySeconds, now)
      ? []
      : [since + minReadySeconds * 1000 - now];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** A timestamp of an object in milliseconds since 1970; undefined if it is absent. */
export function timeOf(timestamp: string | undefined): number | undefined {
  if (timestamp === undefined) return undefined;
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Oldest first; those of the same second by name. The server writes all times alike, so their texts are in order. */
export function byCreation({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return compareText(a.creationTimestamp, b.creationTimestamp) || compareText(a.name, b.name);
}

export function compareText(a = "", b = ""): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function readyCondition({
  status,
}: Pod): { readonly status: string; readonly lastTransitionTime?: string } | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready");
}
