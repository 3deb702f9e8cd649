import { formatTime, keyOf, type Stored } from "@keelson/core";
import { Pod, type PodCondition } from "@keelson/core/kinds/core/v1";
import { type ControllerContext, controllerManager } from "../../controller.ts";
import { ignoreNotFound } from "../../refusals.ts";
import { isPodDone } from "../../workloads/pod-state.ts";

/** Puts a condition in the place of the one of its type. */
export function withCondition(
  conditions: readonly PodCondition[] | undefined,
  next: PodCondition,
): readonly PodCondition[] {
  const list = conditions ?? [];
  const isThere = list.some(({ type }) => type === next.type);
  return isThere ? list.map((one) => (one.type === next.type ? next : one)) : [...list, next];
}

/** The condition of a pod that is deleted for a reason outside of the pod. */
export function disruptionTarget(
  pod: Stored<Pod>,
  now: number,
  reason: string,
  message: string,
): PodCondition {
  const { generation } = pod.metadata;
  return {
    type: "DisruptionTarget",
    status: "True",
    lastTransitionTime: formatTime(now),
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** Marks a pod that no kubelet runs any more as failed, and deletes it without a grace period. */
export async function forceDelete(
  { objects }: ControllerContext,
  pod: Stored<Pod>,
  condition: PodCondition | undefined,
): Promise<void> {
  if (!isPodDone(pod)) {
    const conditions =
      condition === undefined ? pod.status?.conditions : withCondition(pod.status?.conditions, condition);
    const status = {
      ...pod.status,
      phase: "Failed" as const,
      ...(conditions === undefined ? {} : { conditions }),
    };
    await ignoreNotFound(
      objects.update(Pod, { ...pod, status }, { manager: controllerManager, subresource: "status" }),
    );
  }
  await ignoreNotFound(
    objects.delete(Pod, keyOf(pod), { manager: controllerManager, gracePeriodSeconds: 0 }),
  );
}
