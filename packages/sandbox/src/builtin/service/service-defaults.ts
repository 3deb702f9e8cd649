import type { Draft } from "@keelson/core";
import type { Service, ServiceSpec } from "@keelson/core/kinds/core/v1";
import type { Given, GivenDraft, GivenObject } from "../builtin-strategy.ts";
import { textOf } from "../value-problems.ts";
import { ipFamilyOf } from "./ip-address.ts";

type GivenSpec = Draft<Given<ServiceSpec>>;

const affinitySeconds = 10800;

export function setServiceDefaults(service: GivenDraft<Service>): void {
  service.spec ??= {};
  const { spec } = service;
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (
    spec.sessionAffinity === "ClientIP" &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: affinitySeconds } };
  }
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (!port.targetPort && port.port !== undefined) port.targetPort = port.port;
  }
  if (isExternallyAccessible(service)) spec.externalTrafficPolicy ||= "Cluster";
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of service.status?.loadBalancer?.ingress ?? []) {
      if (ingress.ip) ingress.ipMode ??= "VIP";
    }
  }
}

export function isExternallyAccessible({
  spec = {},
}: {
  readonly spec?: GivenObject<Service>["spec"];
}): boolean {
  const { type, externalIPs = [] } = spec;
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}

/** Keeps `clusterIP` and the first of `clusterIPs` equal. */
export function normalizeClusterIPs(spec: GivenSpec, old: Given<ServiceSpec> | undefined): void {
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (old === undefined) {
    if (clusterIP !== "" && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const before = old.clusterIPs ?? [];
  const sameList = isSameList(before, clusterIPs);
  if (before.length > 0 && clusterIPs.length === 0 && old.clusterIP === clusterIP)
    spec.clusterIPs = [...before];
  if ((old.clusterIP ?? "") !== clusterIP && sameList) {
    if (clusterIP === "") delete spec.clusterIPs;
    else spec.clusterIPs = [clusterIP];
  }
}

/** Families of a cluster that has IPv4 only; services without a selector and address are for both, whatever it has. */
export function setIpFamilies(spec: GivenSpec, old: Given<ServiceSpec> | undefined): void {
  if (spec.type === "ExternalName") return;
  const isOpen = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isOpen ? "RequireDualStack" : "SingleStack");
  if ((spec.ipFamilies ?? []).length === 0) {
    const families = (spec.clusterIPs ?? []).flatMap((address) => ipFamilyOf(address) ?? []);
    spec.ipFamilies = families.length > 0 ? families : ["IPv4"];
  }
  if (isOpen && spec.ipFamilyPolicy !== "SingleStack" && spec.ipFamilies?.length === 1) {
    spec.ipFamilies = [...spec.ipFamilies, spec.ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4"];
  }
}

/** What was given to a service stays with it, though the writer left it out. */
export function keepAllocated(service: GivenDraft<Service>, old: GivenObject<Service>): void {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}];
  if (before.type !== "ExternalName" && spec.type !== "ExternalName") {
    if (!spec.clusterIP && before.clusterIP !== undefined) spec.clusterIP = before.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && before.clusterIPs !== undefined) {
      spec.clusterIPs = [...before.clusterIPs];
    }
  }
  const usesNodePorts = (one: Given<ServiceSpec>): boolean =>
    one.type === "NodePort" || one.type === "LoadBalancer";
  if (usesNodePorts(before) && usesNodePorts(spec)) keepNodePorts(spec, before);
  if (spec.externalTrafficPolicy === "Local" && spec.type === "LoadBalancer" && before.healthCheckNodePort) {
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
  }
}

function keepNodePorts(spec: GivenSpec, old: Given<ServiceSpec>): void {
  const named = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
  const before = new Map((old.ports ?? []).map(({ name, nodePort }) => [textOf(name), nodePort]));
  for (const port of spec.ports ?? []) {
    const kept = before.get(textOf(port.name));
    if (!port.nodePort && kept && !named.has(kept)) port.nodePort = kept;
  }
}

/** A change of type takes with it what only the old type had, if the writer did not touch that. */
export function dropFieldsOfOldType(service: GivenDraft<Service>, old: GivenObject<Service>): void {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}];
  if (before.type !== "ExternalName" && spec.type === "ExternalName") dropAddresses(spec, before);
  const hadNodePorts = before.type === "NodePort" || before.type === "LoadBalancer";
  if (hadNodePorts && spec.type !== "NodePort" && spec.type !== "LoadBalancer") {
    const known = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
    if ((spec.ports ?? []).every(({ nodePort }) => !nodePort || known.has(nodePort))) {
      for (const port of spec.ports ?? []) delete port.nodePort;
    }
  }
  const isBalanced = spec.type === "LoadBalancer";
  const hadHealthCheck = before.type === "LoadBalancer" && before.externalTrafficPolicy === "Local";
  const hasHealthCheck = isBalanced && spec.externalTrafficPolicy === "Local";
  if (hadHealthCheck && !hasHealthCheck && spec.healthCheckNodePort === before.healthCheckNodePort) {
    delete spec.healthCheckNodePort;
  }
  if (before.type === "LoadBalancer" && !isBalanced) {
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === before.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service)) {
    if (spec.externalTrafficPolicy === before.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
  if (spec.type === "ExternalName" && before.internalTrafficPolicy === spec.internalTrafficPolicy) {
    delete spec.internalTrafficPolicy;
  }
  if (!isBalanced) service.status = { loadBalancer: {} };
}

function dropAddresses(spec: GivenSpec, old: Given<ServiceSpec>): void {
  if (spec.clusterIP === old.clusterIP && isSameList(spec.clusterIPs ?? [], old.clusterIPs ?? [])) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (isSameList(spec.ipFamilies ?? [], old.ipFamilies ?? [])) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

export function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
