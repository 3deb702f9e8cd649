// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, Condition, Keyed, LabelSelector, ListMeta, NamespacedMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";
import type { TypedLocalObjectReference } from "../core/v1.ts";

export interface HTTPIngressPath {
  readonly backend: IngressBackend;
  readonly path?: string;
  readonly pathType: "Exact" | "ImplementationSpecific" | "Prefix";
}

export interface HTTPIngressRuleValue {
  readonly paths: readonly HTTPIngressPath[];
}

export interface IPAddress {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "IPAddress";
  readonly metadata: ClusterMeta;
  readonly spec: IPAddressSpec;
}

export const IPAddress: Resource<IPAddress> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IPAddress",
  plural: "ipaddresses",
  scope: "Cluster",
};

export interface IPAddressList {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly items: readonly IPAddress[];
  readonly kind: "IPAddressList";
  readonly metadata: ListMeta;
}

export interface IPAddressSpec {
  readonly parentRef: ParentReference;
}

export interface IPBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

export interface Ingress {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "Ingress";
  readonly metadata: NamespacedMeta;
  readonly spec?: IngressSpec;
  readonly status?: IngressStatus;
}

export const Ingress: Resource<Ingress> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  scope: "Namespaced",
};

export interface IngressBackend {
  readonly resource?: TypedLocalObjectReference;
  readonly service?: IngressServiceBackend;
}

export interface IngressClass {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "IngressClass";
  readonly metadata: ClusterMeta;
  readonly spec?: IngressClassSpec;
}

export const IngressClass: Resource<IngressClass> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "IngressClass",
  plural: "ingressclasses",
  scope: "Cluster",
};

export interface IngressClassList {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly items: readonly IngressClass[];
  readonly kind: "IngressClassList";
  readonly metadata: ListMeta;
}

export interface IngressClassParametersReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly scope?: string;
}

export interface IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: IngressClassParametersReference;
}

export interface IngressList {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly items: readonly Ingress[];
  readonly kind: "IngressList";
  readonly metadata: ListMeta;
}

export interface IngressLoadBalancerIngress {
  readonly hostname?: string;
  readonly ip?: string;
  readonly ports?: readonly IngressPortStatus[];
}

export interface IngressLoadBalancerStatus {
  readonly ingress?: readonly IngressLoadBalancerIngress[];
}

export interface IngressPortStatus {
  readonly error?: string;
  readonly port: number;
  readonly protocol: "SCTP" | "TCP" | "UDP";
}

export interface IngressRule {
  readonly host?: string;
  readonly http?: HTTPIngressRuleValue;
}

export interface IngressServiceBackend {
  readonly name: string;
  readonly port?: ServiceBackendPort;
}

export interface IngressSpec {
  readonly defaultBackend?: IngressBackend;
  readonly ingressClassName?: string;
  readonly rules?: readonly IngressRule[];
  readonly tls?: readonly IngressTLS[];
}

export interface IngressStatus {
  readonly loadBalancer?: IngressLoadBalancerStatus;
}

export interface IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface NetworkPolicy {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "NetworkPolicy";
  readonly metadata: NamespacedMeta;
  readonly spec?: NetworkPolicySpec;
}

export const NetworkPolicy: Resource<NetworkPolicy> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  scope: "Namespaced",
};

export interface NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkPolicyPort[];
  readonly to?: readonly NetworkPolicyPeer[];
}

export interface NetworkPolicyIngressRule {
  readonly from?: readonly NetworkPolicyPeer[];
  readonly ports?: readonly NetworkPolicyPort[];
}

export interface NetworkPolicyList {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly items: readonly NetworkPolicy[];
  readonly kind: "NetworkPolicyList";
  readonly metadata: ListMeta;
}

export interface NetworkPolicyPeer {
  readonly ipBlock?: IPBlock;
  readonly namespaceSelector?: LabelSelector;
  readonly podSelector?: LabelSelector;
}

export interface NetworkPolicyPort {
  readonly endPort?: number;
  readonly port?: number | string;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface NetworkPolicySpec {
  readonly egress?: readonly NetworkPolicyEgressRule[];
  readonly ingress?: readonly NetworkPolicyIngressRule[];
  readonly podSelector?: LabelSelector;
  readonly policyTypes?: readonly ("Egress" | "Ingress")[];
}

export interface ParentReference {
  readonly group?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly resource: string;
}

export interface ServiceBackendPort {
  readonly name?: string;
  readonly number?: number;
}

export interface ServiceCIDR {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "ServiceCIDR";
  readonly metadata: ClusterMeta;
  readonly spec?: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
}

export const ServiceCIDR: Resource<ServiceCIDR> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  scope: "Cluster",
};

export interface ServiceCIDRList {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly items: readonly ServiceCIDR[];
  readonly kind: "ServiceCIDRList";
  readonly metadata: ListMeta;
}

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRStatus {
  readonly conditions?: Keyed<Condition, "type">;
}
