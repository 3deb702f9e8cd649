import { keyOf } from "@keelson/core";
import { Job } from "@keelson/core/kinds/batch/v1";
import { controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { ignoreNotFound } from "../../refusals.ts";
import { isBeingDeleted, timeOf } from "../pod-state.ts";
import { terminalCondition } from "./job-policies.ts";

/** Deletes Jobs, and their pods with them, `ttlSecondsAfterFinished` after they have finished. */
export const startTtlAfterFinishedController: StartController = ({
  objects,
  clock,
  watch,
  signal,
  reportError,
}) => {
  const loop = startKeyLoop({
    name: "ttl-after-finished-controller",
    context: { clock, signal, reportError },
    async reconcile(key) {
      const job = objects.get(Job, parseLoopKey(key));
      if (job === undefined || isBeingDeleted(job)) return;
      const finished = timeOf(terminalCondition(job)?.lastTransitionTime);
      const { ttlSecondsAfterFinished } = job.spec ?? {};
      if (finished === undefined || ttlSecondsAfterFinished === undefined) return;
      const left = finished + ttlSecondsAfterFinished * 1000 - clock.now();
      if (left > 0) {
        loop.enqueueAfter(key, left);
        return;
      }
      const options = {
        manager: controllerManager,
        propagationPolicy: "Foreground" as const,
        preconditions: { uid: job.metadata.uid },
      };
      await ignoreNotFound(objects.delete(Job, keyOf(job), options));
    },
  });
  const stopWatch = watch(Job, ({ type, object }) => {
    if (type !== "DELETED") loop.enqueue(loopKey(object));
  });
  return async () => {
    stopWatch();
    await loop.stop();
  };
};
