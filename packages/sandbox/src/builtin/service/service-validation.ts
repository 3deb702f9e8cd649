import type { Service, ServicePort, ServiceSpec } from "@keelson/core/kinds/core/v1";
import { labelsProblems } from "../../resource/label-problems.ts";
import { portNumberProblems, qualifiedNameProblems } from "../../resource/name-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given, GivenObject } from "../builtin-strategy.ts";
import { dnsLabel, dnsSubdomain, portReference } from "../value-problems.ts";
import { clusterAddressProblems } from "./cluster-address-validation.ts";
import { cidrProblems, endpointAddressProblems } from "./ip-address.ts";
import { needsHealthCheck } from "./service-allocation.ts";
import { isExternallyAccessible } from "./service-defaults.ts";

type GivenSpec = Given<ServiceSpec>;

const protocols = ["SCTP", "TCP", "UDP"];
const serviceTypes = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const policies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

export function serviceProblems(service: GivenObject<Service>): readonly FieldProblem[] {
  const { spec = {} } = service;
  const { ports = [], type = "", externalIPs = [] } = spec;
  const problems: FieldProblem[] = [];
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") {
    problems.push(required("spec.ports"));
  }
  problems.push(...typeProblems(spec));
  problems.push(...portsProblems(ports));
  problems.push(...labelsProblems(spec.selector, "spec.selector"));
  problems.push(...affinityProblems(spec));
  problems.push(...clusterAddressProblems(spec));
  for (const [index, address] of externalIPs.entries()) {
    problems.push(...endpointAddressProblems(address, indexed("spec.externalIPs", index)));
  }
  if (!serviceTypes.includes(type)) problems.push(notSupported("spec.type", type, serviceTypes));
  problems.push(...portUseProblems(ports, type));
  problems.push(...balancerProblems(spec));
  return [...problems, ...trafficProblems(service)];
}

function isHeadless({ clusterIPs = [] }: GivenSpec): boolean {
  return clusterIPs.length === 1 && clusterIPs[0] === "None";
}

function typeProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { type, clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = "" } = spec;
  if (type === "LoadBalancer" || type === "NodePort") {
    const detail = `may not be set to 'None' for ${type} services`;
    return isHeadless(spec) ? [invalidValue("spec.clusterIPs[0]", "None", detail)] : [];
  }
  if (type !== "ExternalName") return [];
  const detail = "may not be set for ExternalName services";
  const target = externalName.replace(/\.$/, "");
  return [
    ...(clusterIPs.length > 0 ? [forbiddenField("spec.clusterIPs", detail)] : []),
    ...(ipFamilies.length > 0 ? [forbiddenField("spec.ipFamilies", detail)] : []),
    ...(ipFamilyPolicy === undefined ? [] : [forbiddenField("spec.ipFamilyPolicy", detail)]),
    ...(target === "" ? [required("spec.externalName")] : dnsSubdomain(target, "spec.externalName")),
  ];
}

function portsProblems(ports: readonly Given<ServicePort>[]): readonly FieldProblem[] {
  const names = new Set<string>();
  return ports.flatMap((servicePort, index) => {
    const field = indexed("spec.ports", index);
    const { name, port = 0, protocol = "", appProtocol } = servicePort;
    const problems: FieldProblem[] = [];
    if (!name && ports.length > 1) problems.push(required(`${field}.name`));
    if (name) {
      problems.push(...dnsLabel(name, `${field}.name`));
      if (names.has(name)) problems.push(duplicateValue(`${field}.name`, name));
      names.add(name);
    }
    for (const detail of portNumberProblems(port)) {
      problems.push(invalidValue(`${field}.port`, port, detail));
    }
    if (protocol === "") problems.push(required(`${field}.protocol`));
    else if (!protocols.includes(protocol)) {
      problems.push(notSupported(`${field}.protocol`, protocol, protocols));
    }
    problems.push(...portReference(servicePort.targetPort, `${field}.targetPort`));
    for (const detail of appProtocol === undefined ? [] : qualifiedNameProblems(appProtocol)) {
      problems.push(invalidValue(`${field}.appProtocol`, appProtocol, detail));
    }
    return problems;
  });
}

/** What ports may not be: of nodes where the type has none, and twice the same. */
function portUseProblems(ports: readonly Given<ServicePort>[], type: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (type === "ClusterIP") {
    for (const [index, { nodePort }] of ports.entries()) {
      const detail = "may not be used when `type` is 'ClusterIP'";
      if (nodePort) problems.push(forbiddenField(`${indexed("spec.ports", index)}.nodePort`, detail));
    }
  }
  const nodePorts = new Set<string>();
  for (const [index, { nodePort, protocol }] of ports.entries()) {
    if (!nodePort) continue;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) {
      const detail = "provided port is already allocated";
      problems.push(invalidValue(`${indexed("spec.ports", index)}.nodePort`, nodePort, detail));
    }
    nodePorts.add(key);
  }
  const numbers = new Set<string>();
  for (const [index, { port = 0, protocol = "" }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (numbers.has(key)) {
      problems.push(duplicateValue(indexed("spec.ports", index), internalPort(protocol, port)));
    }
    numbers.add(key);
  }
  return problems;
}

/** A repeated port as the server prints it: only with the fields that are equal. */
function internalPort(protocol: string, port: number): unknown {
  return { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

function affinityProblems({
  sessionAffinity = "",
  sessionAffinityConfig,
}: GivenSpec): readonly FieldProblem[] {
  if (!affinities.includes(sessionAffinity)) {
    return [
      sessionAffinity === ""
        ? required("spec.sessionAffinity")
        : notSupported("spec.sessionAffinity", sessionAffinity, affinities),
    ];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  return sessionAffinity === "ClientIP" && seconds !== undefined && (seconds <= 0 || seconds > 86400)
    ? [invalidValue(field, seconds, "must be greater than 0 and less than 86400")]
    : [];
}

function balancerProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  const field = "spec.LoadBalancerSourceRanges";
  const rangesProblems = ranges.flatMap((range, index) => cidrProblems(range.trim(), indexed(field, index)));
  if (spec.type === "LoadBalancer") return rangesProblems;
  const detail = "may only be used when `type` is 'LoadBalancer'";
  return [
    ...(ranges.length > 0 ? [forbiddenField(field, detail)] : []),
    ...rangesProblems,
    ...(spec.allocateLoadBalancerNodePorts === undefined
      ? []
      : [forbiddenField("spec.allocateLoadBalancerNodePorts", detail)]),
    ...(spec.loadBalancerClass === undefined ? [] : [forbiddenField("spec.loadBalancerClass", detail)]),
  ];
}

function trafficProblems(service: GivenObject<Service>): readonly FieldProblem[] {
  const { externalTrafficPolicy: external = "", healthCheckNodePort = 0, ...spec } = service.spec ?? {};
  const { internalTrafficPolicy: internal, trafficDistribution } = spec;
  const problems: FieldProblem[] = [];
  const field = "spec.externalTrafficPolicy";
  if (!isExternallyAccessible(service)) {
    const detail = "may only be set for externally-accessible services";
    if (external !== "") problems.push(invalidValue(field, external, detail));
  } else if (!policies.includes(external)) {
    problems.push(notSupported(field, external, policies));
  }
  if (!needsHealthCheck(service) && healthCheckNodePort !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    problems.push(invalidValue("spec.healthCheckNodePort", healthCheckNodePort, detail));
  }
  if (internal !== undefined && !policies.includes(internal)) {
    problems.push(notSupported("spec.internalTrafficPolicy", internal, policies));
  }
  if (trafficDistribution !== undefined && !distributions.includes(trafficDistribution)) {
    problems.push(notSupported("spec.trafficDistribution", trafficDistribution, distributions));
  }
  return problems;
}

const changed = "may not change once set";

/** A service keeps its addresses as long as it has any. */
export function serviceUpdateProblems(
  service: GivenObject<Service>,
  old: GivenObject<Service>,
): readonly FieldProblem[] {
  const [spec, before] = [service.spec ?? {}, old.spec ?? {}];
  const problems: FieldProblem[] = [];
  if (spec.type !== "ExternalName" && before.type !== "ExternalName") {
    problems.push(...addressProblems(spec, before), ...familyProblems(spec, before));
  }
  if (needsHealthCheck(old) && needsHealthCheck(service)) {
    if (spec.healthCheckNodePort !== before.healthCheckNodePort) {
      problems.push(forbiddenField("spec.healthCheckNodePort", "field is immutable"));
    }
  }
  const isBalanced = spec.type === "LoadBalancer" && before.type === "LoadBalancer";
  if (isBalanced && spec.loadBalancerClass !== before.loadBalancerClass) {
    problems.push(invalidValue("spec.loadBalancerClass", spec.loadBalancerClass ?? null, changed));
  }
  return problems;
}

function addressProblems(spec: GivenSpec, old: GivenSpec): readonly FieldProblem[] {
  const [now = [], before = []] = [spec.clusterIPs, old.clusterIPs];
  if (isHeadless(spec) && isHeadless(old)) return [];
  if (before.length === now.length) {
    return before.flatMap((address, index) =>
      address === now[index] ? [] : [invalidValue(indexed("spec.clusterIPs", index), now, changed)],
    );
  }
  if (now.length === 0) {
    return [invalidValue("spec.clusterIPs[0]", now, "primary clusterIP can not be unset")];
  }
  return before.length > 0 && now[0] !== before[0] ? [invalidValue("spec.clusterIPs[0]", now, changed)] : [];
}

function familyProblems(spec: GivenSpec, old: GivenSpec): readonly FieldProblem[] {
  const [now = [], before = []] = [spec.ipFamilies, old.ipFamilies];
  if (isHeadless(spec) || isHeadless(old) || before.length === 0 || now.length === 0) return [];
  return now[0] === before[0] ? [] : [invalidValue("spec.ipFamilies[0]", now, changed)];
}
