import { formatTime } from "keelson";
import type { ContainerStatus } from "keelson/kinds/core/v1";
import { behaviourOf, endOf, type PodBehaviour } from "./behaviour.ts";
import { advanceContainer, type ContainerPlan, startsAgain } from "./container-life.ts";
import { terminatedStatus } from "./container-status.ts";
import { type ContainerStatuses, containersOf, restartsOf, statusOf } from "./containers.ts";
import { advanceInitContainers } from "./init-containers.ts";
import { makePodStatus } from "./pod-status.ts";
import { elapsedSince, type PodDecision, type PodSituation, sooner } from "./situation.ts";
import { stopContainers } from "./stop-pod.ts";

/** Why the containers of a pod with annotations that make no sense do not start. */
export const invalidAnnotationReason = "InvalidHollowAnnotation";

/** The next state of a pod that is not being deleted and has not ended. */
export function runPod(situation: PodSituation): PodDecision {
  const { pod, timing, nowMs } = situation;
  const startTime = pod.status?.startTime ?? formatTime(nowMs);
  const activeMs = pod.status?.startTime === undefined ? 0 : elapsedSince(startTime, situation);
  const deadlineMs = Number(pod.spec?.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  if (activeMs >= deadlineMs) return exceedDeadline(situation, startTime);

  const behaviour = behaviourOf(pod, timing);
  const { startDelayMs } = behaviour;
  const hasSandbox = pod.status?.podIP !== undefined || activeMs >= startDelayMs;
  const advanced = advanceContainers(situation, behaviour, hasSandbox);
  const startsLater = !hasSandbox && Number.isFinite(startDelayMs);
  const againInMs = sooner(
    sooner(advanced.againInMs, startsLater ? startDelayMs - activeMs : undefined),
    Number.isFinite(deadlineMs) ? deadlineMs - activeMs : undefined,
  );
  const status = makePodStatus(situation, { containers: advanced.containers, startTime, hasSandbox });
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  return { status, ...(againInMs !== undefined && !isOver && { againInMs }) };
}

function exceedDeadline(situation: PodSituation, startTime: string): PodDecision {
  const containers = stopContainers(situation.pod, 137, situation.nowMs);
  const end = {
    phase: "Failed",
    reason: "DeadlineExceeded",
    message: "Pod was active on the node longer than the specified deadline",
  } as const;
  return { status: makePodStatus(situation, { containers, startTime, hasSandbox: false, end }) };
}

interface Advanced {
  readonly containers: ContainerStatuses;
  readonly againInMs?: number;
}

function advanceContainers(situation: PodSituation, behaviour: PodBehaviour, hasSandbox: boolean): Advanced {
  const { pod, timing } = situation;
  const waitsFor = whyWait(situation, behaviour, hasSandbox);
  const init = advanceInitContainers(situation, behaviour, waitsFor);
  const regularWait = init.isDone ? undefined : (waitsFor ?? { reason: "PodInitializing" });
  const steps = containersOf(pod).regular.map((container) => {
    const plan: ContainerPlan = {
      ...(regularWait !== undefined && { waitsFor: regularWait }),
      canPull: behaviour.canPull && situation.canPull(container.image ?? ""),
      ...endOf(behaviour, container.name, timing),
      readyAfterMs: behaviour.readyAfterMs,
      restarts: restartsOf(pod, container),
    };
    return advanceContainer(container, statusOf(pod.status?.containerStatuses, container), plan, situation);
  });
  const regular = steps.map(({ status }) => status);
  const againInMs = steps.reduce((soonest, step) => sooner(soonest, step.againInMs), init.againInMs);
  const statuses = haveAllEnded(situation, regular)
    ? init.statuses.map(endSidecar(situation))
    : init.statuses;
  return { containers: { init: statuses, regular }, ...(againInMs !== undefined && { againInMs }) };
}

function whyWait(
  { pod }: PodSituation,
  { problem }: PodBehaviour,
  hasSandbox: boolean,
): ContainerPlan["waitsFor"] {
  if (problem !== undefined) return { reason: invalidAnnotationReason, message: problem };
  if (hasSandbox) return undefined;
  return { reason: containersOf(pod).init.length > 0 ? "PodInitializing" : "ContainerCreating" };
}

/** None of the regular containers runs, and none will. */
function haveAllEnded({ pod }: PodSituation, regular: readonly ContainerStatus[]): boolean {
  return containersOf(pod).regular.every((container) => {
    const status = statusOf(regular, container);
    if (status?.state?.terminated === undefined) return false;
    return !startsAgain(container, status, { restarts: restartsOf(pod, container) });
  });
}

/** Sidecars serve the regular containers and stop after them. */
function endSidecar({ nowMs }: PodSituation): (status: ContainerStatus) => ContainerStatus {
  return (status) => (status.state?.running === undefined ? status : terminatedStatus(status, 0, nowMs));
}
