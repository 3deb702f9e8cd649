import { deepEqual, keyOf, type Stored } from "@keelson/core";
import {
  type EndpointAddress,
  type EndpointPort,
  type EndpointSubset,
  Endpoints,
  type Pod,
  Service,
} from "@keelson/core/kinds/core/v1";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { isNamespaceTerminating } from "../../refusals.ts";
import {
  createTriggerTimes,
  headlessLabel,
  hostnameOf,
  isHeadless,
  isInEndpoints,
  selectedPods,
  type TriggerTimes,
  targetPortOn,
  watchServices,
  withTriggerTime,
} from "./endpoint-pods.ts";

const managedByLabel = "endpoints.kubernetes.io/managed-by";
const managedBy = "endpoint-controller";

/** Keeps the Endpoints of Services that select pods. */
export const startEndpointsController: StartController = (context) => {
  const times = createTriggerTimes();
  const loop = startKeyLoop({
    name: managedBy,
    context,
    reconcile: (key) => reconcile(context, times, key),
  });
  const stopServices = watchServices(context, loop.enqueue);
  const stopEndpoints = context.watch(Endpoints, ({ object }) => {
    if (object.metadata.labels?.[managedByLabel] === managedBy) loop.enqueue(loopKey(object));
  });
  return async () => {
    stopServices();
    stopEndpoints();
    await loop.stop();
  };
};

async function reconcile({ objects }: ControllerContext, times: TriggerTimes, key: string): Promise<void> {
  const place = parseLoopKey(key);
  const service = objects.get(Service, place);
  const current = objects.get(Endpoints, place);
  if (service === undefined) {
    times.forget(key);
    if (current?.metadata.labels?.[managedByLabel] === managedBy) {
      await objects.delete(Endpoints, keyOf(current), { manager: controllerManager });
    }
    return;
  }
  const pods = service.spec?.type === "ExternalName" ? undefined : selectedPods(objects, service);
  if (pods === undefined || service.metadata.deletionTimestamp !== undefined) return;
  const subsets = makeSubsets(service, pods);
  const time = times.since(key, service, pods);
  const labels = labelsFor(service);
  if (
    current !== undefined &&
    deepEqual(current.subsets ?? [], subsets) &&
    deepEqual(current.metadata.labels, labels)
  )
    return;
  const annotations = withTriggerTime(current?.metadata.annotations, time);
  const metadata = { ...(current?.metadata ?? place), labels, annotations };
  const { subsets: _, ...rest } = current ?? { apiVersion: "v1" as const, kind: "Endpoints" as const };
  const next: Endpoints = { ...rest, metadata, ...(subsets.length === 0 ? {} : { subsets }) };
  try {
    if (current === undefined) await objects.create(Endpoints, next, { manager: controllerManager });
    else await objects.update(Endpoints, next, { manager: controllerManager });
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

function labelsFor(service: Stored<Service>): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(isHeadless(service) ? { [headlessLabel]: "" } : {}), [managedByLabel]: managedBy };
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** The subsets of the Endpoints of a Service: addresses with the same ports form one subset. */
function makeSubsets(service: Stored<Service>, pods: readonly Stored<Pod>[]): readonly EndpointSubset[] {
  const publishesAll = service.spec?.publishNotReadyAddresses === true;
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    if (!isInEndpoints(pod, publishesAll)) continue;
    const ports = portsOn(service, pod);
    const address = addressOf(service, pod);
    if (ports === undefined || address === undefined) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, ready: [], notReady: [] };
    groups.set(key, group);
    (publishesAll || isReady(pod) ? group.ready : group.notReady).push(address);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, notReady }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready.sort(byAddress) }),
      ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady.sort(byAddress) }),
      ...(ports.length === 0 ? {} : { ports }),
    }));
}

/** Undefined if the pod serves no port of the Service. */
function portsOn(service: Stored<Service>, pod: Stored<Pod>): readonly EndpointPort[] | undefined {
  const wanted = service.spec?.ports ?? [];
  if (wanted.length === 0) return isHeadless(service) ? [] : undefined;
  const ports = wanted.flatMap((servicePort): EndpointPort[] => {
    const port = targetPortOn(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol = "TCP", appProtocol } = servicePort;
    return [
      { ...(name ? { name } : {}), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) },
    ];
  });
  return ports.length === 0 ? undefined : ports;
}

function addressOf(service: Stored<Service>, pod: Stored<Pod>): EndpointAddress | undefined {
  const { spec, status, metadata } = pod;
  const family = service.spec?.ipFamilies?.[0] ?? "IPv4";
  const ips = status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP ?? ""];
  const ip = ips.find((one) => one.includes(":") === (family === "IPv6"));
  if (!ip) return undefined;
  const hostname = hostnameOf(pod, service);
  const { name, namespace, uid } = metadata;
  return {
    ...(hostname === undefined ? {} : { hostname }),
    ip,
    ...(spec?.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
  };
}

function isReady({ status }: Stored<Pod>): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  return a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0;
}
