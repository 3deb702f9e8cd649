import type { Stored } from "@keelson/core";
import { Node, Pod } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { isBeingDeleted } from "../../workloads/pod-state.ts";
import { disruptionTarget, forceDelete } from "./pod-end.ts";

/** A node that was deleted may come back, so its pods wait. */
const quarantineMs = 40_000;

/** Deletes pods whose node does not exist, and pods that are being deleted and were never bound. */
export const startPodGarbageCollector: StartController = (context) => {
  const { objects, clock } = context;
  /** By the key of the pod: since when its node is known to be missing. */
  const orphanedSince = new Map<string, number>();
  const loop = startKeyLoop({
    name: "pod-garbage-collector-controller",
    context,
    async reconcile(key) {
      const pod = objects.get(Pod, parseLoopKey(key));
      const { nodeName } = pod?.spec ?? {};
      const hasNode = nodeName !== undefined && objects.get(Node, { name: nodeName }) !== undefined;
      if (pod === undefined || hasNode) {
        orphanedSince.delete(key);
        return;
      }
      if (!nodeName) {
        if (isBeingDeleted(pod)) await forceDelete(context, pod, undefined);
        return;
      }
      const since = orphanedSince.get(key) ?? clock.monotonicNow();
      orphanedSince.set(key, since);
      const waitMs = since + quarantineMs - clock.monotonicNow();
      if (waitMs > 0) loop.enqueueAfter(key, waitMs);
      else await removeOrphan(context, pod);
    },
  });
  const stops = [
    context.watch(Node, ({ type, object }) => {
      const { name } = object.metadata;
      // Also those of a node that has come back: they are no orphans any more.
      if (type === "MODIFIED") return;
      for (const pod of objects.list(Pod)) if (pod.spec?.nodeName === name) loop.enqueue(loopKey(pod));
    }),
    context.watch(Pod, ({ type, object, previous }) => {
      const isBound = object.spec?.nodeName !== previous?.spec?.nodeName;
      const isLost = isBeingDeleted(object) && !object.spec?.nodeName;
      if (type === "DELETED" || isBound || isLost) loop.enqueue(loopKey(object));
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
  };
};

async function removeOrphan(context: ControllerContext, pod: Stored<Pod>): Promise<void> {
  const now = context.clock.now();
  const condition = disruptionTarget(pod, now, "DeletionByPodGC", "PodGC: node no longer exists");
  await forceDelete(context, pod, condition);
}
