import { deepEqual, keyOf, ownerReferenceTo, type Stored } from "@keelson/core";
import { Node, type Pod, Service } from "@keelson/core/kinds/core/v1";
import { type Endpoint, type EndpointPort, EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import { dnsSubdomainProblems } from "../../../resource/name-problems.ts";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { isNamespaceTerminating } from "../../refusals.ts";
import {
  createTriggerTimes,
  headlessLabel,
  hostnameOf,
  isHeadless,
  isInEndpoints,
  managedByLabel,
  selectedPods,
  serviceNameLabel,
  type TriggerTimes,
  targetPortOn,
  watchServices,
  withTriggerTime,
} from "./endpoint-pods.ts";
import { type EndpointGroup, planSlices, type SliceContent } from "./plan-slices.ts";

const managedBy = "endpointslice-controller.k8s.io";

/** Keeps the EndpointSlices of Services that select pods. */
export const startEndpointSliceController: StartController = (context) => {
  const times = createTriggerTimes();
  const loop = startKeyLoop({
    name: "endpointslice-controller",
    context,
    reconcile: (key) => reconcile(context, times, key),
  });
  const stopServices = watchServices(context, loop.enqueue);
  const stopSlices = context.watch(EndpointSlice, ({ type, object }) => {
    const { labels = {}, namespace } = object.metadata;
    if (type !== "ADDED" && labels[managedByLabel] === managedBy)
      loop.enqueue(`${namespace}/${labels[serviceNameLabel]}`);
  });
  return async () => {
    stopServices();
    stopSlices();
    await loop.stop();
  };
};

async function reconcile({ objects }: ControllerContext, times: TriggerTimes, key: string): Promise<void> {
  const service = objects.get(Service, parseLoopKey(key));
  if (service === undefined) {
    times.forget(key);
    return;
  }
  const pods = service.spec?.type === "ExternalName" ? undefined : selectedPods(objects, service);
  if (pods === undefined || service.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name } = service.metadata;
  const existing = objects.list(EndpointSlice, namespace).filter(({ metadata }) => {
    const { labels } = metadata;
    return labels?.[serviceNameLabel] === name && labels[managedByLabel] === managedBy;
  });
  const plan = planSlices(groupEndpoints(objects, service, pods), existing);
  const time = times.since(key, service, pods);
  const writer = { manager: controllerManager };
  try {
    for (const content of plan.create)
      await objects.create(EndpointSlice, makeSlice(service, content, time), writer);
    for (const { slice, content } of plan.update) {
      if (!isUpToDate(service, slice, content)) {
        const made = makeSlice(service, content, time);
        const annotations = withTriggerTime(slice.metadata.annotations, time);
        const metadata = { ...slice.metadata, annotations, labels: made.metadata.labels ?? {} };
        await objects.update(EndpointSlice, { ...made, metadata }, writer);
      }
    }
    for (const slice of plan.remove) await objects.delete(EndpointSlice, keyOf(slice), writer);
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

function isUpToDate(
  service: Stored<Service>,
  slice: Stored<EndpointSlice>,
  { ports, endpoints }: SliceContent,
): boolean {
  return (
    deepEqual(slice.ports ?? [], ports) &&
    deepEqual(slice.endpoints ?? [], endpoints) &&
    deepEqual(slice.metadata.labels, labelsFor(service))
  );
}

function makeSlice(service: Stored<Service>, content: SliceContent, time: string | undefined): EndpointSlice {
  const { addressType, ports, endpoints } = content;
  const { name, namespace } = service.metadata;
  const owner = ownerReferenceTo(
    { resource: Service, object: service },
    { controller: true, blockOwnerDeletion: true },
  );
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: dnsSubdomainProblems(`${name}-a`).length === 0 ? `${name}-` : name,
      namespace,
      annotations: withTriggerTime(undefined, time),
      labels: labelsFor(service),
      ownerReferences: [owner],
    },
    addressType,
    // Empty lists are left out, and stored as null.
    ...(endpoints.length === 0 ? {} : { endpoints }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

function labelsFor(service: Stored<Service>): Readonly<Record<string, string>> {
  const { name, labels = {} } = service.metadata;
  const { [headlessLabel]: _, ...own } = labels;
  return {
    ...own,
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: name,
    [managedByLabel]: managedBy,
  };
}

/** The endpoints of a Service, those with the same ports together; one empty group per family if there are none. */
function groupEndpoints(
  objects: ObjectApi,
  service: Stored<Service>,
  pods: readonly Stored<Pod>[],
): readonly EndpointGroup[] {
  return (service.spec?.ipFamilies ?? ["IPv4"]).flatMap((family) => {
    const addressType = family === "IPv6" ? "IPv6" : "IPv4";
    const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
    for (const pod of pods) {
      if (!isInEndpoints(pod, true)) continue;
      const endpoint = endpointOf(objects, service, pod, addressType === "IPv6");
      if (endpoint === undefined) continue;
      const ports = portsOn(service, pod);
      const key = JSON.stringify(ports);
      const group = groups.get(key) ?? { ports, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(endpoint);
    }
    if (groups.size === 0) return [{ addressType, ports: [], endpoints: [] }];
    return [...groups.values()].map((group) => ({ addressType, ...group }));
  });
}

function endpointOf(
  objects: ObjectApi,
  service: Stored<Service>,
  pod: Stored<Pod>,
  isIpv6: boolean,
): Endpoint | undefined {
  const { metadata, spec, status } = pod;
  const addresses = (status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => ip.includes(":") === isIpv6);
  if (addresses.length === 0) return undefined;
  const serving = status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  const terminating = metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(pod, service);
  const nodeName = spec?.nodeName || undefined;
  const node = nodeName === undefined ? undefined : objects.get(Node, { name: nodeName });
  const zone = node?.metadata.labels?.["topology.kubernetes.io/zone"];
  const { name, namespace, uid } = metadata;
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
    ...(zone ? { zone } : {}),
  };
}

function portsOn(service: Stored<Service>, pod: Stored<Pod>): readonly EndpointPort[] {
  const wanted = service.spec?.ports ?? [];
  if (wanted.length === 0 && isHeadless(service)) return [];
  return wanted.flatMap((servicePort): EndpointPort[] => {
    const port = targetPortOn(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol = "TCP", appProtocol } = servicePort;
    return [{ name: name ?? "", port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}
