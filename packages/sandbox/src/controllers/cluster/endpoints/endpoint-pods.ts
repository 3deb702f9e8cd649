import { deepEqual, matchesLabels, type Stored } from "@keelson/core";
import { Pod, Service, type ServicePort } from "@keelson/core/kinds/core/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import type { ControllerContext, ObjectChange } from "../../controller.ts";
import { loopKey } from "../../key-loop.ts";

export const serviceNameLabel = "kubernetes.io/service-name";
/** Names the controller that manages a slice. */
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const headlessLabel = "service.kubernetes.io/headless";
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** The pods that a Service selects, in the order of their names; undefined if it selects none by itself. */
export function selectedPods(
  objects: ObjectApi,
  { metadata, spec }: Stored<Service>,
): readonly Stored<Pod>[] | undefined {
  const matchLabels = spec?.selector;
  if (matchLabels === undefined) return undefined;
  return objects
    .list(Pod, metadata.namespace)
    .filter((pod) => matchesLabels({ matchLabels }, pod.metadata.labels));
}

/** Whether a pod has an address and has not come to its end. */
export function isInEndpoints({ metadata, status }: Stored<Pod>, includesTerminating: boolean): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return false;
  if (!status?.podIP && (status?.podIPs ?? []).length === 0) return false;
  return includesTerminating || metadata.deletionTimestamp === undefined;
}

export function hostnameOf({ metadata, spec }: Stored<Pod>, service: Stored<Service>): string | undefined {
  const isNamed =
    spec?.hostname &&
    spec.subdomain === service.metadata.name &&
    metadata.namespace === service.metadata.namespace;
  return isNamed ? spec.hostname : undefined;
}

/** The number that a port of a Service has on a pod; undefined if the pod has no port of that name. */
export function targetPortOn(
  { spec }: Stored<Pod>,
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

export function isHeadless({ spec }: Stored<Service>): boolean {
  return !spec?.clusterIP || spec.clusterIP === "None";
}

export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _, ...rest } = annotations ?? {};
  return time === undefined ? rest : { ...rest, [triggerTimeAnnotation]: time };
}

/** Calls back with the key of each Service whose endpoints may have changed. */
export function watchServices(
  { objects, watch }: Pick<ControllerContext, "objects" | "watch">,
  enqueue: (key: string) => void,
): () => void {
  function enqueueServicesOf({ metadata }: Stored<Pod>): void {
    for (const service of objects.list(Service, metadata.namespace)) {
      const matchLabels = service.spec?.selector;
      if (matchLabels !== undefined && matchesLabels({ matchLabels }, metadata.labels))
        enqueue(loopKey(service));
    }
  }
  const stops = [
    watch(Service, ({ object }) => enqueue(loopKey(object))),
    watch(Pod, (change) => {
      if (!concernsEndpoints(change)) return;
      enqueueServicesOf(change.object);
      if (change.previous !== undefined) enqueueServicesOf(change.previous);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Pods change often; few changes move endpoints. */
function concernsEndpoints({ type, object, previous }: ObjectChange<Pod>): boolean {
  if (type !== "MODIFIED" || previous === undefined) return true;
  return !deepEqual(offeredBy(object), offeredBy(previous));
}

function offeredBy({ metadata, spec, status }: Stored<Pod>): object {
  return {
    labels: metadata.labels,
    deleted: metadata.deletionTimestamp !== undefined,
    node: spec?.nodeName,
    phase: status?.phase,
    addresses: status?.podIPs,
    isReady: status?.conditions?.find(({ type }) => type === "Ready")?.status,
  };
}

/**
 * Remembers when Services and their pods changed, for the annotation with the time of the change that caused a write.
 */
export interface TriggerTimes {
  /** The earliest of the changes since the last call for this Service; undefined if there was none. */
  since(key: string, service: Stored<Service>, pods: readonly Stored<Pod>[]): string | undefined;
  forget(key: string): void;
}

export function createTriggerTimes(): TriggerTimes {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return {
    since(key, { metadata }, pods) {
      const before = known.get(key);
      const times = new Map<string, string>();
      times.set("", metadata.creationTimestamp);
      for (const { metadata: pod, status } of pods) {
        const time = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
        if (time !== undefined) times.set(pod.name, time);
      }
      known.set(key, times);
      const changed = [...times].flatMap(([name, time]) => (time > (before?.get(name) ?? "") ? [time] : []));
      return changed.sort()[0];
    },
    forget: (key) => void known.delete(key),
  };
}
