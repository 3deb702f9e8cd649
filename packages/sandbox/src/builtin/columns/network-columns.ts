import type { Endpoints, Service } from "@keelson/core/kinds/core/v1";
import type { EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import type {
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from "@keelson/core/kinds/networking/v1";
import {
  ageColumn,
  firstAndMore,
  type KindColumn,
  labelsText,
  nameColumn,
  orNone,
  selectorText,
} from "./column.ts";

export const serviceColumns: readonly KindColumn<Service>[] = [
  nameColumn,
  { name: "Type", description: "How it is reached", cell: ({ spec }) => spec?.type ?? "" },
  {
    name: "Cluster-IP",
    description: "Address inside of the cluster",
    cell: ({ spec }) => orNone(spec?.clusterIPs?.[0]),
  },
  { name: "External-IP", description: "Addresses outside of the cluster", cell: externalAddress },
  {
    name: "Port(s)",
    description: "Ports that are served",
    cell: ({ spec }) => orNone((spec?.ports ?? []).map(portText).join(",")),
  },
  ageColumn,
  {
    name: "Selector",
    isWide: true,
    description: "Which pods serve it",
    cell: ({ spec }) => labelsText(spec?.selector),
  },
];

function portText({
  port,
  nodePort,
  protocol,
}: {
  readonly port: number;
  readonly nodePort?: number;
  readonly protocol?: string;
}): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function externalAddress({ spec, status }: Service): string {
  const given = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(given.join(","));
    case "LoadBalancer":
      return [...ingressPoints(status?.loadBalancer?.ingress), ...given].join(",") || "<pending>";
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function ingressPoints(
  ingress: readonly { readonly ip?: string; readonly hostname?: string }[] | undefined,
): readonly string[] {
  const points = (ingress ?? [])
    .map(({ ip, hostname }) => ip || hostname || "")
    .filter((text) => text !== "");
  return [...new Set(points)].sort();
}

export const endpointsColumns: readonly KindColumn<Endpoints>[] = [
  nameColumn,
  { name: "Endpoints", description: "Addresses and ports that serve", cell: endpointsText },
  ageColumn,
];

function endpointsText({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const texts = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  return firstAndMore(texts, 3);
}

export const endpointSliceColumns: readonly KindColumn<EndpointSlice>[] = [
  nameColumn,
  { name: "AddressType", description: "What kind of addresses", cell: ({ addressType }) => addressType },
  {
    name: "Ports",
    description: "Ports that serve",
    cell: ({ ports }) =>
      firstAndMore(
        (ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port))),
        3,
      ) || "<unset>",
  },
  {
    name: "Endpoints",
    description: "Addresses that serve",
    cell: ({ endpoints }) =>
      firstAndMore(
        (endpoints ?? []).flatMap(({ addresses }) => addresses),
        3,
      ) || "<unset>",
  },
  ageColumn,
];

export const ingressColumns: readonly KindColumn<Ingress>[] = [
  nameColumn,
  { name: "Class", description: "Its IngressClass", cell: ({ spec }) => spec?.ingressClassName ?? "<none>" },
  { name: "Hosts", description: "Hosts of its rules", cell: hostsText },
  {
    name: "Address",
    description: "Where it is reached",
    cell: ({ status }) => ingressPoints(status?.loadBalancer?.ingress).join(","),
  },
  {
    name: "Ports",
    description: "Ports that it opens",
    cell: ({ spec }) => ((spec?.tls ?? []).length > 0 ? "80, 443" : "80"),
  },
  ageColumn,
];

/** Once three hosts are found, rules without a host count as more, too: so does the server. */
function hostsText({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const hosts: string[] = [];
  let hasMore = false;
  for (const { host } of rules) {
    if (hosts.length === 3) hasMore = true;
    if (!hasMore && host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return hasMore ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}

export const ingressClassColumns: readonly KindColumn<IngressClass>[] = [
  {
    ...nameColumn,
    cell: ({ metadata }) =>
      metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true"
        ? `${metadata.name} (default)`
        : (metadata.name ?? ""),
  },
  { name: "Controller", description: "Who serves it", cell: ({ spec }) => spec?.controller ?? "" },
  {
    name: "Parameters",
    description: "Where more is said about it",
    cell: ({ spec }) => {
      const { parameters } = spec ?? {};
      if (parameters === undefined) return "<none>";
      const { kind, apiGroup, name } = parameters;
      return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
    },
  },
  ageColumn,
];

export const networkPolicyColumns: readonly KindColumn<NetworkPolicy>[] = [
  nameColumn,
  {
    name: "Pod-Selector",
    description: "Which pods it is about",
    cell: ({ spec }) => selectorText(spec?.podSelector ?? {}),
  },
  ageColumn,
];

export const ipAddressColumns: readonly KindColumn<IPAddress>[] = [
  nameColumn,
  {
    name: "ParentRef",
    description: "What has the address",
    cell: ({ spec }) => {
      if (spec === undefined) return "<none>";
      const { group, resource, namespace, name } = spec.parentRef;
      const kind = (group ? `${resource}.${group}` : resource).toLowerCase();
      return [kind, namespace, name].filter((part) => part).join("/");
    },
  },
];

export const serviceCidrColumns: readonly KindColumn<ServiceCIDR>[] = [
  nameColumn,
  { name: "CIDRs", description: "Ranges of addresses", cell: ({ spec }) => (spec?.cidrs ?? []).join(",") },
  ageColumn,
];
