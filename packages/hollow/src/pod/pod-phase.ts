import type { ContainerStatus, Pod, PodStatus } from "keelson/kinds/core/v1";
import { type ContainerStatuses, containersOf, isInitialized, isSidecar, restartsOf } from "./containers.ts";

/** The phase that the containers of a pod add up to, by the rules of the kubelet. */
export function phaseOf(pod: Pod, { init, regular }: ContainerStatuses): NonNullable<PodStatus["phase"]> {
  const containers = containersOf(pod);
  const hasFailedInit = containers.init.some(
    (container, index) =>
      !isSidecar(container) &&
      pod.spec?.restartPolicy === "Never" &&
      (init[index]?.state?.terminated?.exitCode ?? 0) !== 0,
  );
  if (hasFailedInit) return "Failed";
  const hasStarted = regular.some(hasEverRun);
  const isReadyForRegular = containers.init.every((container, index) =>
    isInitialized(container, init[index]),
  );
  if (!hasStarted && !isReadyForRegular) return "Pending";
  if (regular.some((status) => !hasEverRun(status))) return "Pending";
  if (regular.some(({ state }) => state?.running !== undefined)) return "Running";
  return phaseOfStopped(pod, regular);
}

function phaseOfStopped(pod: Pod, regular: readonly ContainerStatus[]): "Running" | "Succeeded" | "Failed" {
  const containers = containersOf(pod).regular;
  const willGoOn = containers.some((container, index) => {
    const restarts = restartsOf(pod, container);
    return restarts === "Always" || (restarts === "OnFailure" && exitCodeOf(regular[index]) !== 0);
  });
  if (willGoOn) return "Running";
  return regular.every((status) => exitCodeOf(status) === 0) ? "Succeeded" : "Failed";
}

function hasEverRun({ state, lastState }: ContainerStatus): boolean {
  return (
    state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined
  );
}

function exitCodeOf(status: ContainerStatus | undefined): number | undefined {
  return (status?.state?.terminated ?? status?.lastState?.terminated)?.exitCode;
}
