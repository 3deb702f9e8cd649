import { deepEqual, keyOf, ownerReferenceTo } from "@keelson/core";
import { Service } from "@keelson/core/kinds/core/v1";
import { EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import { dnsSubdomainProblems } from "../../../resource/name-problems.ts";
import type { ControllerContext, StartController } from "../../controller.ts";
import { parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { controllerManager } from "../../manager-name.ts";
import { isNamespaceGoing } from "../namespace-sweep.ts";
import {
  headlessLabel,
  isHeadless,
  managedByLabel,
  selectedPods,
  serviceNameLabel,
  withTriggerTime,
} from "./endpoint-pods.ts";
import { groupEndpoints } from "./group-endpoints.ts";
import { planSlices, type SliceContent } from "./plan-slices.ts";
import { createTriggerTimes, type TriggerTimes } from "./trigger-times.ts";
import { watchServices } from "./watch-services.ts";

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
    const { labels = {}, namespace = "" } = object.metadata;
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
  const { namespace = "", name } = parseLoopKey(key);
  const service = objects.get(Service, { namespace, name });
  if (service === undefined) {
    times.forget(key);
    return;
  }
  const pods = service.spec?.type === "ExternalName" ? undefined : selectedPods(objects, service);
  if (pods === undefined || service.metadata.deletionTimestamp !== undefined) return;
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
    if (!isNamespaceGoing(error)) throw error;
  }
}

function isUpToDate(service: Service, slice: EndpointSlice, { ports, endpoints }: SliceContent): boolean {
  return (
    deepEqual(slice.ports ?? [], ports) &&
    deepEqual(slice.endpoints ?? [], endpoints) &&
    deepEqual(slice.metadata.labels, labelsFor(service))
  );
}

function makeSlice(service: Service, content: SliceContent, time: string | undefined): EndpointSlice {
  const { addressType, ports, endpoints } = content;
  const { name = "", namespace = "" } = service.metadata;
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

function labelsFor(service: Service): Readonly<Record<string, string>> {
  const { name = "", labels = {} } = service.metadata;
  const { [headlessLabel]: _, ...own } = labels;
  return {
    ...own,
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [serviceNameLabel]: name,
    [managedByLabel]: managedBy,
  };
}
