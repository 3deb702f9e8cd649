import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
} from "@keelson/core/kinds/core/v1";
import { hostnameOf, isHeadless, isInEndpoints, targetPortOn } from "./endpoint-pods.ts";

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** What Endpoints say of the pods of a Service: addresses with the same ports stand together. */
export function makeSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
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
function portsOn(service: Service, pod: Pod): readonly EndpointPort[] | undefined {
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

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const { spec, status, metadata } = pod;
  const family = service.spec?.ipFamilies?.[0] ?? "IPv4";
  const ips = status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP ?? ""];
  const ip = ips.find((one) => one.includes(":") === (family === "IPv6"));
  if (!ip) return undefined;
  const hostname = hostnameOf(pod, service);
  const { name = "", namespace = "", uid = "" } = metadata;
  return {
    ...(hostname === undefined ? {} : { hostname }),
    ip,
    ...(spec?.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
  };
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  return a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0;
}
