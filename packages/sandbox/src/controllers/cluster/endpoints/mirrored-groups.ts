import type { EndpointAddress, EndpointSubset, Endpoints } from "@keelson/core/kinds/core/v1";
import type { Endpoint, EndpointPort } from "@keelson/core/kinds/discovery/v1";
import type { EndpointGroup } from "./plan-slices.ts";

/** Of the addresses with the same ports, no more are copied. */
export const mostMirrored = 1000;

export interface MirroredGroups {
  readonly groups: readonly EndpointGroup[];
  /** How many addresses are too many. */
  readonly skipped: number;
}

interface Group {
  readonly ports: readonly EndpointPort[];
  /** By their addresses; one that is also said to be ready is. */
  readonly endpoints: Map<string, Endpoint>;
}

/** The addresses of Endpoints as a slice has them: those of one family with the same ports together. */
export function mirroredGroups({ subsets = [] }: Endpoints): MirroredGroups {
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
  return ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
    name,
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
