import { formatTime } from "keelson";
import type { Container, ContainerState, ContainerStatus, Pod } from "keelson/kinds/core/v1";

/** Differs for each start of a container, and is the same for each computation. */
export function containerId(pod: Pod, container: Container, restartCount: number): string {
  return `hollow://${pod.metadata.uid}/${container.name}/${restartCount}`;
}

export function imageIdOf(image: string): string {
  return `hollow://${image}`;
}

export function isWaitingFor(status: ContainerStatus | undefined, reason: string): boolean {
  return status?.state?.waiting?.reason === reason;
}

export function isWaitingForPull(status: ContainerStatus): boolean {
  return isWaitingFor(status, "ErrImagePull") || isWaitingFor(status, "ImagePullBackOff");
}

/** A container that does not run. How it ended before, if it has, stays. */
export function waitingStatus(
  container: Container,
  old: ContainerStatus | undefined,
  { reason, message }: { readonly reason: string; readonly message?: string },
): ContainerStatus {
  const lastExit = old?.state?.terminated;
  return {
    ...old,
    name: container.name,
    image: container.image ?? "",
    imageID: old?.imageID ?? "",
    lastState: lastExit === undefined ? (old?.lastState ?? {}) : { terminated: lastExit },
    ready: false,
    restartCount: old?.restartCount ?? 0,
    started: false,
    state: { waiting: { reason, ...(message !== undefined && { message }) } },
  };
}

export function runningStatus(
  container: Container,
  facts: {
    readonly restartCount: number;
    readonly containerID: string;
    readonly startedAt: string;
    readonly lastState: ContainerState;
  },
): ContainerStatus {
  const { restartCount, containerID, startedAt, lastState } = facts;
  const image = container.image ?? "";
  return {
    name: container.name,
    image,
    imageID: imageIdOf(image),
    containerID,
    lastState,
    ready: false,
    restartCount,
    started: true,
    state: { running: { startedAt } },
  };
}

/** The container that ran, after its end. */
export function terminatedStatus(running: ContainerStatus, exitCode: number, nowMs: number): ContainerStatus {
  const { containerID } = running;
  const finishedAt = formatTime(nowMs);
  return {
    ...running,
    ready: false,
    started: false,
    state: {
      terminated: {
        ...(containerID !== undefined && { containerID }),
        exitCode,
        reason: exitCode === 0 ? "Completed" : "Error",
        startedAt: running.state?.running?.startedAt ?? finishedAt,
        finishedAt,
      },
    },
  };
}
