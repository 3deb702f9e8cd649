import type { GenericObject } from "@keelson/core";
import type { Service } from "@keelson/core/kinds/core/v1";
import type { StoredObjects } from "../../resource/stored-objects.ts";
import { type FieldProblem, indexed, invalidValue } from "../../status/field-problem.ts";
import type { GivenDraft, GivenObject } from "../builtin-strategy.ts";
import { textOf } from "../value-problems.ts";

/** 10.96.0.0/12 */
const firstAddress = 0x0a600000;
const addressCount = 2 ** 20;
const firstPort = 30000;
const portCount = 2768;
const portRange = "30000-32767";
/** The lower part of the range is reserved for addresses that users choose; 10.96.0.1 is the API server's. */
const chosenAddresses = 256;
/** The lower part of the port range is reserved likewise, while ports above it are free. */
const chosenPorts = 86;

type Ports = NonNullable<GivenObject<Service>["spec"]>["ports"];

/** What other services hold. */
interface Allocated {
  readonly addresses: ReadonlySet<string>;
  readonly ports: Set<number>;
}

/**
 * Gives a service the address and the ports it needs and does not name. Which ones depends only on its name and on what
 * is taken, so that the same history gives the same addresses.
 */
export function allocate(service: GivenDraft<Service>, read: StoredObjects): void {
  const { spec } = service;
  if (spec === undefined || spec.type === "ExternalName") return;
  const needsAddress = !spec.clusterIP;
  const needsPorts = needsNodePorts(service) && (spec.ports ?? []).some(({ nodePort }) => !nodePort);
  const needsHealthPort = needsHealthCheck(service) && !spec.healthCheckNodePort;
  if (!needsAddress && !needsPorts && !needsHealthPort) return;
  const taken = allocatedByOthers(service, read);
  const { namespace, name } = service.metadata;
  const start = hashOf(`${textOf(namespace)}/${textOf(name)}`);
  const family = spec.ipFamilies?.[0] ?? "IPv4";
  if (needsAddress && family === "IPv4") {
    const address = freeAddress(start, taken.addresses);
    if (address !== undefined) {
      spec.clusterIP = address;
      spec.clusterIPs = [address];
    }
  }
  for (const { nodePort } of spec.ports ?? []) if (nodePort) taken.ports.add(nodePort);
  if (needsPorts) {
    const byPort = nodePortsByPort(spec.ports);
    for (const port of spec.ports ?? []) {
      const { port: number = 0 } = port;
      port.nodePort ||= byPort.get(number) ?? freePort(start, taken.ports) ?? 0;
      byPort.set(number, port.nodePort);
    }
  }
  if (needsHealthPort) spec.healthCheckNodePort = freePort(start, taken.ports) ?? 0;
}

/** One port for several protocols has one port on the nodes too, such as 53 for TCP and UDP. */
function nodePortsByPort(ports: Ports = []): Map<number, number> {
  const chosen = ports.filter(({ nodePort }) => nodePort);
  // The first one counts.
  return new Map(chosen.toReversed().map(({ port = 0, nodePort = 0 }) => [port, nodePort]));
}

/** The node ports that two ports of a new Service request. */
function sharedPortProblems(ports: Ports = []): readonly FieldProblem[] {
  return ports.flatMap(({ port, nodePort }, index) => {
    const holder = nodePort ? ports.slice(0, index).find((other) => other.nodePort === nodePort) : undefined;
    const field = `${indexed("spec.ports", index)}.nodePort`;
    return holder === undefined || holder.port === port ? [] : [invalidValue(field, nodePort, portIsTaken)];
  });
}

const portIsTaken = "provided port is already allocated";

/** The problems of requested addresses and ports that are not available. An update may keep those of `old`. */
export function allocationProblems(
  service: GivenObject<Service>,
  old: GivenObject<Service> | undefined,
  read: StoredObjects,
): readonly FieldProblem[] {
  const { spec = {} } = service;
  if (spec.type === "ExternalName") return [];
  const { clusterIPs = [], ports = [] } = spec;
  const kept = new Set(old?.spec?.clusterIPs);
  const keptPorts = new Set((old?.spec?.ports ?? []).map(({ nodePort }) => nodePort));
  const newAddresses = clusterIPs.filter((address) => address !== "None" && !kept.has(address));
  const hasNewPorts = ports.some(({ nodePort }) => nodePort && !keptPorts.has(nodePort));
  if (newAddresses.length === 0 && !hasNewPorts) return [];
  const taken = allocatedByOthers(service, read);
  const addressProblems = newAddresses.flatMap((address) => {
    const why = addressProblem(address, taken.addresses);
    const detail = `failed to allocate IP ${address}: ${why ?? ""}`;
    return why === undefined ? [] : [invalidValue("spec.clusterIPs", clusterIPs, detail)];
  });
  const portProblems = ports.flatMap(({ nodePort = 0 }, index) => {
    if (nodePort === 0 || keptPorts.has(nodePort)) return [];
    const why = portProblem(nodePort, taken.ports);
    const field = `${indexed("spec.ports", index)}.nodePort`;
    return why === undefined ? [] : [invalidValue(field, nodePort, why)];
  });
  return [...addressProblems, ...portProblems, ...(old === undefined ? sharedPortProblems(ports) : [])];
}

function needsNodePorts({ spec = {} }: { readonly spec?: GivenObject<Service>["spec"] }): boolean {
  return (
    spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false)
  );
}

export function needsHealthCheck({ spec = {} }: { readonly spec?: GivenObject<Service>["spec"] }): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

function addressProblem(address: string, taken: ReadonlySet<string>): string | undefined {
  const number = numberOf(address);
  if (number === undefined || number < firstAddress || number >= firstAddress + addressCount) {
    return "the provided network does not match the current range";
  }
  return taken.has(address) ? "provided IP is already allocated" : undefined;
}

function portProblem(port: number, taken: ReadonlySet<number>): string | undefined {
  if (port < firstPort || port >= firstPort + portCount) {
    return `provided port is not in the valid range. The range of valid ports is ${portRange}`;
  }
  return taken.has(port) ? portIsTaken : undefined;
}

function allocatedByOthers(service: GivenObject<Service>, read: StoredObjects): Allocated {
  const addresses = new Set<string>();
  const ports = new Set<number>();
  const { name, namespace } = service.metadata;
  for (const other of read.list({ group: "", plural: "services" })) {
    if (other.metadata.name === name && other.metadata.namespace === namespace) continue;
    const { spec = {} } = storedService(other);
    for (const address of spec.clusterIPs ?? []) addresses.add(address);
    for (const { nodePort } of spec.ports ?? []) if (nodePort) ports.add(nodePort);
    if (spec.healthCheckNodePort) ports.add(spec.healthCheckNodePort);
  }
  return { addresses, ports };
}

/** The store holds what the collection says. */
function storedService(object: GenericObject): GivenObject<Service> {
  return object as GivenObject<Service>;
}

function freeAddress(start: number, taken: ReadonlySet<string>): string | undefined {
  const count = addressCount - chosenAddresses - 1;
  for (let step = 0; step < count; step += 1) {
    const address = addressOf(firstAddress + chosenAddresses + ((start + step) % count));
    if (!taken.has(address)) return address;
  }
  return undefined;
}

function freePort(start: number, taken: Set<number>): number | undefined {
  const count = portCount - chosenPorts;
  for (let step = 0; step < portCount; step += 1) {
    const port = step < count ? firstPort + chosenPorts + ((start + step) % count) : firstPort + step - count;
    if (taken.has(port)) continue;
    taken.add(port);
    return port;
  }
  return undefined;
}

function addressOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}

function numberOf(address: string): number | undefined {
  const parts = address.split(".").map(Number);
  if (parts.length !== 4) return undefined;
  return parts.reduce((number, part) => number * 256 + part, 0);
}

/** FNV-1a: spreads names well enough over the range. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}
