import type { Container, ContainerStatus, Pod } from "keelson/kinds/core/v1";

/** The statuses of a pod's containers, in the order of its spec. */
export interface ContainerStatuses {
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
}

export function containersOf({ spec }: Pod): {
  readonly init: readonly Container[];
  readonly regular: readonly Container[];
} {
  return { init: spec?.initContainers ?? [], regular: spec?.containers ?? [] };
}

/** An init container that goes on running beside the regular ones. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

/** When a regular container is started again after its end. */
export function restartsOf(pod: Pod, container: Container): "Always" | "OnFailure" | "Never" {
  const policy = container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always";
  return policy === "Never" || policy === "OnFailure" ? policy : "Always";
}

export function statusOf(
  statuses: readonly ContainerStatus[] | undefined,
  { name }: Container,
): ContainerStatus | undefined {
  return statuses?.find((status) => status.name === name);
}

/** Whether the containers after this init container may start. */
export function isInitialized(container: Container, status: ContainerStatus | undefined): boolean {
  return isSidecar(container) ? status?.started === true : status?.state?.terminated?.exitCode === 0;
}
