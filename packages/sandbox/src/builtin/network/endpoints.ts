import type { EndpointAddress, EndpointPort, Endpoints } from "@keelson/core/kinds/core/v1";
import { portNumberProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { endpointAddressProblems, ipFamilyOf } from "../service/ip-address.ts";
import { dnsLabel } from "../value-problems.ts";

const protocols = ["SCTP", "TCP", "UDP"];

export const endpointsStrategy: Strategy = builtinStrategy<Endpoints>({
  initialStatus: "none",
  allowsCreateOnUpdate: true,
  setDefaults({ subsets = [] }) {
    for (const { ports = [] } of subsets) for (const port of ports) port.protocol ||= "TCP";
  },
  validate: ({ subsets = [] }) =>
    subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
      const field = indexed("subsets", index);
      const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
      return [
        ...(isEmpty ? [required(field, "must specify `addresses` or `notReadyAddresses`")] : []),
        ...addressesProblems(addresses, `${field}.addresses`),
        ...addressesProblems(notReadyAddresses, `${field}.notReadyAddresses`),
        ...ports.flatMap((port, position) =>
          portProblems(port, ports.length > 1, indexed(`${field}.ports`, position)),
        ),
      ];
    }),
  warnings: () => ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
});

function addressesProblems(
  addresses: readonly Given<EndpointAddress>[],
  field: string,
): readonly FieldProblem[] {
  return addresses.flatMap(({ ip = "", hostname }, index) => {
    const place = indexed(field, index);
    return [
      ...(hostname ? dnsLabel(hostname, `${place}.hostname`) : []),
      ...endpointAddressProblems(ip, `${place}.ip`),
      // The server says it twice, in different words.
      ...(ipFamilyOf(ip) === undefined
        ? [invalidValue(`${place}.ip`, ip, "must be a valid IP address")]
        : []),
    ];
  });
}

function portProblems(
  { name, port = 0, protocol = "" }: Given<EndpointPort>,
  needsName: boolean,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(!name && needsName ? [required(`${field}.name`)] : []),
    ...(name ? dnsLabel(name, `${field}.name`) : []),
    ...portNumberProblems(port).map((detail) => invalidValue(`${field}.port`, port, detail)),
    ...(protocols.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, protocols)]),
  ];
}
