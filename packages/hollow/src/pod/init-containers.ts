import type { Container, ContainerStatus } from "keelson/kinds/core/v1";
import type { PodBehaviour } from "./behaviour.ts";
import { advanceContainer, type ContainerPlan } from "./container-life.ts";
import { containersOf, isInitialized, isSidecar, statusOf } from "./containers.ts";
import { type PodSituation, sooner } from "./situation.ts";

export interface InitProgress {
  readonly statuses: readonly ContainerStatus[];
  /** The regular containers may start. */
  readonly isDone: boolean;
  readonly againInMs?: number;
}

/** Where the init containers get to: one after the other, each only when those before it are done. */
export function advanceInitContainers(
  situation: PodSituation,
  behaviour: PodBehaviour,
  waitsFor: ContainerPlan["waitsFor"],
): InitProgress {
  const statuses: ContainerStatus[] = [];
  let blockedBy = waitsFor;
  let againInMs: number | undefined;
  for (const container of containersOf(situation.pod).init) {
    const old = statusOf(situation.pod.status?.initContainerStatuses, container);
    const plan = planFor(container, situation, behaviour, blockedBy);
    const step = isEnded(container, old)
      ? { status: old }
      : advanceContainer(container, old, plan, situation);
    const status = isEnded(container, step.status) ? { ...step.status, ready: true } : step.status;
    statuses.push(status);
    againInMs = sooner(againInMs, step.againInMs);
    if (!isInitialized(container, status)) blockedBy ??= { reason: "PodInitializing" };
  }
  return { statuses, isDone: blockedBy === undefined, ...(againInMs !== undefined && { againInMs }) };
}

/** An init container that succeeded is not run again. */
function isEnded(container: Container, status: ContainerStatus | undefined): status is ContainerStatus {
  return !isSidecar(container) && isInitialized(container, status);
}

function planFor(
  container: Container,
  { pod, timing, canPull }: PodSituation,
  behaviour: PodBehaviour,
  waitsFor: ContainerPlan["waitsFor"],
): ContainerPlan {
  const ownCode = behaviour.exitCodes.get(container.name);
  const restarts = pod.spec?.restartPolicy === "Never" ? "Never" : "OnFailure";
  return {
    ...(waitsFor !== undefined && { waitsFor }),
    canPull: behaviour.canPull && canPull(container.image ?? ""),
    runMs: isSidecar(container) && ownCode === undefined ? undefined : timing.initRunMs,
    exitCode: ownCode ?? 0,
    readyAfterMs: isSidecar(container) ? timing.readyDelayMs : undefined,
    restarts: isSidecar(container) ? "Always" : restarts,
  };
}
