import type { Pod } from "keelson/kinds/core/v1";
import { terminatedStatus, waitingStatus } from "./container-status.ts";
import { type ContainerStatuses, containersOf, statusOf } from "./containers.ts";

/** The containers of a pod after all that ran have ended with this code. Those that have not started never will. */
export function stopContainers(pod: Pod, exitCode: number, nowMs: number): ContainerStatuses {
  const { init, regular } = containersOf(pod);
  const stop =
    (statuses: Parameters<typeof statusOf>[0]) =>
    (container: Parameters<typeof statusOf>[1]): ReturnType<typeof terminatedStatus> => {
      const old = statusOf(statuses, container);
      if (old === undefined) return waitingStatus(container, undefined, { reason: "ContainerCreating" });
      return old.state?.running === undefined ? old : terminatedStatus(old, exitCode, nowMs);
    };
  return {
    init: init.map(stop(pod.status?.initContainerStatuses)),
    regular: regular.map(stop(pod.status?.containerStatuses)),
  };
}
