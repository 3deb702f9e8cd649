import { deepEqual, keyOf, ownerReferenceTo, type Stored } from "@keelson/core";
import { type EndpointAddress, type EndpointSubset, Endpoints, Service } from "@keelson/core/kinds/core/v1";
import { type Endpoint, type EndpointPort, EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import { dnsSubdomainProblems } from "../../../resource/name-problems.ts";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { ignoreNotFound, isNamespaceTerminating } from "../../refusals.ts";
import { managedByLabel, serviceNameLabel, triggerTimeAnnotation } from "./endpoint-pods.ts";
import { type EndpointGroup, planSlices, type SliceContent } from "./plan-slices.ts";

const component = "endpointslice-mirroring-controller";
const managedBy = "endpointslicemirroring-controller.k8s.io";
const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
const appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** Copies the Endpoints that people write for a Service without a selector into EndpointSlices. */
export const startMirrorController: StartController = (context) => {
  const loop = startKeyLoop({
    name: component,
    context,
    reconcile: (key) => reconcile(context, key),
  });
  const stops = [
    context.watch(Service, ({ object }) => loop.enqueue(loopKey(object))),
    context.watch(Endpoints, ({ object }) => loop.enqueue(loopKey(object))),
    context.watch(EndpointSlice, ({ type, object }) => {
      const { labels = {}, namespace } = object.metadata;
      if (type !== "ADDED" && labels[managedByLabel] === managedBy)
        loop.enqueue(`${namespace}/${labels[serviceNameLabel]}`);
    }),
  ];
  return async () => {
    for (const stop of stops) stop();
    await loop.stop();
  };
};

async function reconcile(context: ControllerContext, key: string): Promise<void> {
  const { objects } = context;
  const objectKey = parseLoopKey(key);
  const { namespace, name } = objectKey;
  const endpoints = objects.get(Endpoints, objectKey);
  const service = objects.get(Service, objectKey);
  const existing = objects.list(EndpointSlice, namespace).filter(({ metadata }) => {
    const { labels } = metadata;
    return labels?.[serviceNameLabel] === name && labels[managedByLabel] === managedBy;
  });
  if (endpoints === undefined || service === undefined || !isMirrored(endpoints, service)) {
    for (const slice of existing) await removeSlice(context, slice);
    return;
  }
  await mirror(context, endpoints, existing);
}

function isMirrored({ metadata }: Stored<Endpoints>, { spec }: Stored<Service>): boolean {
  const { labels = {}, annotations = {} } = metadata;
  return labels[skipLabel] !== "true" && !(leaderAnnotation in annotations) && spec?.selector === undefined;
}

async function mirror(
  context: ControllerContext,
  endpoints: Stored<Endpoints>,
  existing: readonly Stored<EndpointSlice>[],
): Promise<void> {
  const { objects } = context;
  const { groups, skipped } = mirroredGroups(endpoints);
  if (skipped > 0) {
    const limit = `A max of ${mostMirrored} addresses can be mirrored to EndpointSlices per Endpoints subset`;
    const message = `${limit}. ${skipped} addresses were skipped`;
    const reason = "TooManyAddressesToMirror";
    context.recordEvent(endpoints, { component, type: "Warning", reason, message });
  }
  const { create, update, remove } = planSlices(groups, existing, mostMirrored);
  const writer = { manager: controllerManager };
  try {
    if (endpoints.metadata.deletionTimestamp === undefined) {
      for (const content of create)
        await objects.create(EndpointSlice, makeSlice(endpoints, content), writer);
    }
    for (const { slice, content } of update) {
      const made = makeSlice(endpoints, content);
      if (isSame(slice, made)) continue;
      const { labels = {}, annotations = {} } = made.metadata;
      // As in the real controller, an updated slice loses its generateName.
      const { generateName: _, ...kept } = slice.metadata;
      const metadata = { ...kept, labels, annotations };
      await objects.update(EndpointSlice, { ...made, metadata }, writer);
    }
    for (const slice of remove) await removeSlice(context, slice);
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error;
  }
}

async function removeSlice({ objects }: ControllerContext, slice: Stored<EndpointSlice>): Promise<void> {
  await ignoreNotFound(objects.delete(EndpointSlice, keyOf(slice), { manager: controllerManager }));
}

function isSame(slice: Stored<EndpointSlice>, made: EndpointSlice): boolean {
  return (
    deepEqual(slice.ports ?? [], made.ports ?? []) &&
    deepEqual(slice.endpoints ?? [], made.endpoints ?? []) &&
    deepEqual(slice.metadata.labels, made.metadata.labels) &&
    deepEqual(slice.metadata.annotations ?? {}, made.metadata.annotations ?? {})
  );
}

function makeSlice(
  endpoints: Stored<Endpoints>,
  { addressType, ports, endpoints: addresses }: SliceContent,
): EndpointSlice {
  const { name, namespace, labels, annotations = {} } = endpoints.metadata;
  const { [triggerTimeAnnotation]: _time, [appliedAnnotation]: _applied, ...copied } = annotations;
  const owner = { resource: Endpoints, object: endpoints };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: dnsSubdomainProblems(`${name}-a`).length === 0 ? `${name}-` : name,
      namespace,
      annotations: copied,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: managedBy },
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    addressType,
    endpoints: addresses,
    // An empty list is left out, and stored as null.
    ...(ports.length === 0 ? {} : { ports }),
  };
}

/** Of the addresses with the same ports, no more are copied. */
const mostMirrored = 1000;

interface MirroredGroups {
  readonly groups: readonly EndpointGroup[];
  /** How many addresses are too many. */
  readonly skipped: number;
}

interface Group {
  readonly ports: readonly EndpointPort[];
  /** By address; an address that is in both lists counts as ready. */
  readonly endpoints: Map<string, Endpoint>;
}

/** The addresses of Endpoints as a slice has them: those of one family with the same ports together. */
function mirroredGroups({ subsets = [] }: Stored<Endpoints>): MirroredGroups {
  const groups = new Map<string, Group>();
  for (const subset of subsets) {
    const ports = portsOf(subset);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
    groups.set(key, group);
    for (const address of subset.addresses ?? []) group.endpoints.set(address.ip, endpointOf(address, true));
    for (const address of subset.notReadyAddresses ?? []) {
      if (!group.endpoints.has(address.ip)) group.endpoints.set(address.ip, endpointOf(address, false));
    }
  }
  const kept = [...groups.values()].flatMap(({ ports, endpoints }): EndpointGroup[] => {
    const all = [...endpoints].slice(0, mostMirrored);
    return (["IPv4", "IPv6"] as const).flatMap((addressType) => {
      const ofFamily = all.flatMap(([ip, endpoint]) =>
        ip.includes(":") === (addressType === "IPv6") ? [endpoint] : [],
      );
      return ofFamily.length === 0 ? [] : [{ addressType, ports, endpoints: ofFamily }];
    });
  });
  const sizes = [...groups.values()].map(({ endpoints }) => Math.max(0, endpoints.size - mostMirrored));
  return { groups: kept, skipped: sizes.reduce((sum, more) => sum + more, 0) };
}

function portsOf({ ports = [] }: EndpointSubset): readonly EndpointPort[] {
  return ports.map(({ name, port, protocol = "TCP", appProtocol }) => ({
    name: name ?? "",
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  }));
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
