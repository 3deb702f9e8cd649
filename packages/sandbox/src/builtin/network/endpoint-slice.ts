import { deepEqual } from "@keelson/core";
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from "@keelson/core/kinds/discovery/v1";
import { labelsProblems } from "../../resource/label-problems.ts";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  duplicateValue,
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { endpointAddressProblems, ipFamilyOf, ipProblems } from "../service/ip-address.ts";
import { dnsLabel, dnsSubdomain, immutableField, textOf } from "../value-problems.ts";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];
const mostEndpoints = 1000;
const mostAddresses = 100;
const mostPorts = 20_000;
const mostTopologyLabels = 16;
const mostHints = 8;

// Absent lists are null in slices.
export const endpointSliceStrategy: Strategy = builtinStrategy<EndpointSlice>({
  initialStatus: "none",
  countsGenerations: true,
  isNewGeneration: (slice, old) =>
    !deepEqual(
      { ...slice, metadata: slice.metadata.labels ?? {} },
      { ...old, metadata: old.metadata.labels ?? {} },
    ),
  setDefaults({ ports, endpoints }) {
    for (const endpoint of endpoints ?? []) endpoint.conditions ??= {};
    for (const port of ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  validate: ({ addressType = "", endpoints, ports }) => [
    ...addressTypeProblems(addressType),
    ...portsProblems(ports ?? []),
    ...endpointsProblems(endpoints ?? [], addressType),
  ],
  validateUpdate: (slice, old) => immutableField(slice.addressType, old.addressType, "addressType"),
});

function addressTypeProblems(addressType: string): readonly FieldProblem[] {
  if (addressType === "") return [required("addressType")];
  return addressTypes.includes(addressType) ? [] : [notSupported("addressType", addressType, addressTypes)];
}

function portsProblems(ports: readonly Given<EndpointPort>[]): readonly FieldProblem[] {
  if (ports.length > mostPorts) return [tooMany("ports", ports.length, mostPorts)];
  const names = new Set<string>();
  return ports.flatMap(({ name: sentName, protocol = "", appProtocol }, index) => {
    const field = indexed("ports", index);
    const name = textOf(sentName);
    const problems: FieldProblem[] = name === "" ? [] : [...dnsLabel(name, `${field}.name`)];
    if (names.has(name)) problems.push(duplicateValue(`${field}.name`, name));
    names.add(name);
    if (!protocols.includes(protocol)) {
      problems.push(notSupported(`${field}.protocol`, protocol, protocols));
    }
    for (const detail of appProtocol === undefined ? [] : qualifiedNameProblems(appProtocol)) {
      problems.push(invalidValue(`${field}.appProtocol`, appProtocol, detail));
    }
    return problems;
  });
}

function endpointsProblems(
  endpoints: readonly Given<Endpoint>[],
  addressType: string,
): readonly FieldProblem[] {
  if (endpoints.length > mostEndpoints) return [tooMany("endpoints", endpoints.length, mostEndpoints)];
  return endpoints.flatMap((endpoint, index) => {
    const field = indexed("endpoints", index);
    const { nodeName, hostname, deprecatedTopology = {}, hints } = endpoint;
    const labels = Object.keys(deprecatedTopology).length;
    return [
      ...addressesProblems(endpoint.addresses ?? [], addressType, `${field}.addresses`),
      ...(nodeName === undefined ? [] : dnsSubdomain(nodeName, `${field}.nodeName`)),
      ...(labels > mostTopologyLabels
        ? [tooMany(`${field}.deprecatedTopology`, labels, mostTopologyLabels)]
        : []),
      ...labelsProblems(deprecatedTopology, `${field}.deprecatedTopology`),
      ...(hostname === undefined ? [] : dnsLabel(hostname, `${field}.hostname`)),
      ...(hints === undefined ? [] : hintsProblems(hints, `${field}.hints`)),
    ];
  });
}

function addressesProblems(
  addresses: readonly string[],
  addressType: string,
  field: string,
): readonly FieldProblem[] {
  if (addresses.length === 0) return [required(field, "must contain at least 1 address")];
  return [
    ...(addresses.length > mostAddresses ? [tooMany(field, addresses.length, mostAddresses)] : []),
    ...addresses.flatMap((address, index) => {
      const place = indexed(field, index);
      if (addressType === "FQDN") return domainProblems(address, place);
      if (addressType !== "IPv4" && addressType !== "IPv6") return [];
      const problems = ipProblems(address, place);
      if (problems.length > 0) return problems;
      return [
        ...(ipFamilyOf(address) === addressType
          ? []
          : [invalidValue(field, address, `must be an ${addressType} address`)]),
        ...endpointAddressProblems(address, place),
      ];
    }),
  ];
}

/** A full name of a host: it may end in a dot, and has at least two parts. */
function domainProblems(given: string, field: string): readonly FieldProblem[] {
  if (given === "") return [required(field)];
  const name = given.replace(/\.$/, "");
  const problems = dnsSubdomainProblems(name);
  if (problems.length > 0) return [invalidValue(field, name, problems.join(","))];
  const detail = "should be a domain with at least two segments separated by dots";
  if (!name.includes(".")) return [invalidValue(field, name, detail)];
  const label = name.split(".").find((one) => dnsLabelProblems(one).length > 0);
  return label === undefined ? [] : [invalidValue(field, label, dnsLabelProblems(label).join(","))];
}

function hintsProblems(
  { forZones = [], forNodes = [] }: Given<EndpointHints>,
  field: string,
): FieldProblem[] {
  const zones = namesProblems(forZones, `${field}.forZones`, labelValueProblems);
  if (forZones.length > mostHints) return [...zones];
  return [...zones, ...namesProblems(forNodes, `${field}.forNodes`, dnsSubdomainProblems)];
}

function namesProblems(
  hints: readonly { readonly name?: string }[],
  field: string,
  check: (name: string) => readonly string[],
): readonly FieldProblem[] {
  if (hints.length > mostHints) return [tooMany(field, hints.length, mostHints)];
  const names = hints.map(({ name }) => textOf(name));
  return names.flatMap((name, index) => {
    const place = `${indexed(field, index)}.name`;
    return [
      ...(names.indexOf(name) < index ? [duplicateValue(place, name)] : []),
      ...check(name).map((detail) => invalidValue(place, name, detail)),
    ];
  });
}
