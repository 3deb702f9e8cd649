import { formatTime } from "keelson";
import { makePodStatus } from "./pod-status.ts";
import type { PodDecision, PodSituation } from "./situation.ts";
import { stopContainers } from "./stop-containers.ts";

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

/** A server stops when it is asked to; work that is broken off has not succeeded. */
function exitCodeOf({ pod, timing }: PodSituation, graceMs: number): number {
  if (graceMs > 0 && timing.terminationDelayMs > graceMs) return killed;
  return (pod.spec?.restartPolicy ?? "Always") === "Always" ? 0 : terminated;
}

function hasEnded({ pod }: PodSituation): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
