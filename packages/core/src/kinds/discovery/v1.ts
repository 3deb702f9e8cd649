// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ListMeta, NamespacedMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";
import type { ObjectReference } from "../core/v1.ts";

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  readonly hints?: EndpointHints;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
  readonly zone?: string;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forNodes?: readonly ForNode[];
  readonly forZones?: readonly ForZone[];
}

export interface EndpointPort {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface EndpointSlice {
  readonly addressType: "FQDN" | "IPv4" | "IPv6";
  readonly apiVersion: "discovery.k8s.io/v1";
  readonly endpoints?: readonly Endpoint[];
  readonly kind: "EndpointSlice";
  readonly metadata: NamespacedMeta;
  readonly ports?: readonly EndpointPort[];
}

export const EndpointSlice: Resource<EndpointSlice> = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  scope: "Namespaced",
};

export interface EndpointSliceList {
  readonly apiVersion: "discovery.k8s.io/v1";
  readonly items: readonly EndpointSlice[];
  readonly kind: "EndpointSliceList";
  readonly metadata: ListMeta;
}

export interface ForNode {
  readonly name: string;
}

export interface ForZone {
  readonly name: string;
}
