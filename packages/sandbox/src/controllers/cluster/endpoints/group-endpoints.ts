import { Node, type Pod, type Service } from "@keelson/core/kinds/core/v1";
import type { Endpoint, EndpointPort } from "@keelson/core/kinds/discovery/v1";
import type { ObjectApi } from "../../../server/write/object-api.ts";
import { hostnameOf, isHeadless, isInEndpoints, targetPortOn } from "./endpoint-pods.ts";
import type { EndpointGroup } from "./plan-slices.ts";

/** The endpoints of a Service, those with the same ports together; one empty group per family if there are none. */
export function groupEndpoints(
  objects: ObjectApi,
  service: Service,
  pods: readonly Pod[],
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

function endpointOf(objects: ObjectApi, service: Service, pod: Pod, isIpv6: boolean): Endpoint | undefined {
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
  const { name = "", namespace = "", uid = "" } = metadata;
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
    ...(zone ? { zone } : {}),
  };
}

function portsOn(service: Service, pod: Pod): readonly EndpointPort[] {
  const wanted = service.spec?.ports ?? [];
  if (wanted.length === 0 && isHeadless(service)) return [];
  return wanted.flatMap((servicePort): EndpointPort[] => {
    const port = targetPortOn(pod, servicePort);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}
