import { formatTime } from "keelson";
import type { Pod } from "keelson/kinds/core/v1";
import { terminatedStatus, waitingStatus } from "./container-status.ts";
import { type ContainerStatuses, containersOf, statusOf } from "./containers.ts";
import { makePodStatus } from "./pod-status.ts";
import type { PodDecision, PodSituation } from "./situation.ts";

/** The exit codes of a process that had to be killed, and of one that did not expect to be stopped. */
const killed = 137;
const terminated = 143;

/**
 * What becomes of a pod that was deleted: its containers stop within its grace period or are killed at the end of it,
 * and then it may go.
 */
export function stopPod(situation: PodSituation): PodDecision {
  const { pod, timing, nowMs } = situation;
  if (hasEnded(situation)) return { isReadyToGo: true };
  const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const stopMs = Math.min(graceMs, timing.terminationDelayMs);
  // The server's timestamp is of the end of the grace period, in whole seconds.
  const askedAtMs = Date.parse(pod.metadata.deletionTimestamp ?? "") - graceMs;
  const leftMs = askedAtMs + stopMs - nowMs;
  if (leftMs > 0) return { againInMs: leftMs };

  const containers = stopContainers(pod, exitCodeOf(situation, graceMs), nowMs);
  const succeeded = containers.regular.every(({ state }) => state?.terminated?.exitCode === 0);
  const status = makePodStatus(situation, {
    containers,
    startTime: pod.status?.startTime ?? formatTime(nowMs),
    hasSandbox: false,
    end: { phase: succeeded ? "Succeeded" : "Failed" },
  });
  return { status, isReadyToGo: true };
}

/** A server exits with 0 when it is stopped; work that is interrupted has not succeeded. */
function exitCodeOf({ pod, timing }: PodSituation, graceMs: number): number {
  if (graceMs > 0 && timing.terminationDelayMs > graceMs) return killed;
  return (pod.spec?.restartPolicy ?? "Always") === "Always" ? 0 : terminated;
}

function hasEnded({ pod }: PodSituation): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

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
