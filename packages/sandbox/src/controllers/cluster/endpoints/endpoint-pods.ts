import { matchesLabels } from "@keelson/core";
import { Pod, type Service, type ServicePort } from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";

export const serviceNameLabel = "kubernetes.io/service-name";
/** Tells whose a slice is among those that make slices. */
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const headlessLabel = "service.kubernetes.io/headless";
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** The pods that a Service selects, in the order of their names; undefined if it selects none by itself. */
export function selectedPods(objects: ObjectApi, { metadata, spec }: Service): readonly Pod[] | undefined {
  const matchLabels = spec?.selector;
  if (matchLabels === undefined) return undefined;
  return objects
    .list(Pod, metadata.namespace)
    .filter((pod) => matchesLabels({ matchLabels }, pod.metadata.labels));
}

/** Whether a pod has an address and has not come to its end. */
export function isInEndpoints({ metadata, status }: Pod, includesTerminating: boolean): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return false;
  if (!status?.podIP && (status?.podIPs ?? []).length === 0) return false;
  return includesTerminating || metadata.deletionTimestamp === undefined;
}

export function hostnameOf({ metadata, spec }: Pod, service: Service): string | undefined {
  const isNamed =
    spec?.hostname &&
    spec.subdomain === service.metadata.name &&
    metadata.namespace === service.metadata.namespace;
  return isNamed ? spec.hostname : undefined;
}

/** The number that a port of a Service has on a pod; undefined if the pod has no port of that name. */
export function targetPortOn(
  { spec }: Pod,
  { port, targetPort = port, protocol = "TCP" }: ServicePort,
): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    const found = ports.find((one) => one.name === targetPort && (one.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

export function isHeadless({ spec }: Service): boolean {
  return !spec?.clusterIP || spec.clusterIP === "None";
}

export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTimeAnnotation]: time };
}
