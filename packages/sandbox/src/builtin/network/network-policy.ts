import type { Draft } from "@keelson/core";
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "@keelson/core/kinds/networking/v1";
import { labelSelectorProblems } from "../../resource/label-problems.ts";
import { portNumberProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given, type GivenObject } from "../builtin-strategy.ts";
import { cidrProblems, isStrictSubset, parseCidr } from "../service/ip-address.ts";
import { portReference } from "../value-problems.ts";

const policyTypes = ["Ingress", "Egress"];
const protocols = ["TCP", "UDP", "SCTP"];

export const networkPolicyStrategy: Strategy = builtinStrategy<NetworkPolicy>({
  initialStatus: "none",
  countsGenerations: true,
  setDefaults(policy) {
    policy.spec ??= {};
    const { spec } = policy;
    spec.podSelector ??= {};
    if ((spec.policyTypes ?? []).length === 0) {
      spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    }
    const ports: Draft<Given<{ protocol?: string }>>[] = [
      ...(spec.ingress ?? []),
      ...(spec.egress ?? []),
    ].flatMap((rule) => rule.ports ?? []);
    for (const port of ports) port.protocol ??= "TCP";
  },
  validate: policyProblems,
});

function policyProblems({ spec = {} }: GivenObject<NetworkPolicy>): readonly FieldProblem[] {
  const { ingress = [], egress = [], policyTypes: types = [] } = spec;
  return [
    ...labelSelectorProblems(spec.podSelector, "spec.podSelector"),
    ...ingress.flatMap(({ ports = [], from = [] }, index) => {
      const field = indexed("spec.ingress", index);
      return [...portsProblems(ports, `${field}.ports`), ...peersProblems(from, `${field}.from`)];
    }),
    ...egress.flatMap(({ ports = [], to = [] }, index) => {
      const field = indexed("spec.egress", index);
      return [...portsProblems(ports, `${field}.ports`), ...peersProblems(to, `${field}.to`)];
    }),
    ...typesProblems(types, "spec.policyTypes"),
  ];
}

function typesProblems(types: readonly string[], field: string): readonly FieldProblem[] {
  if (types.length > policyTypes.length) {
    return [invalidValue(field, types, "may not specify more than two policyTypes")];
  }
  return types.flatMap((type, index) =>
    policyTypes.includes(type) ? [] : [notSupported(indexed(field, index), type, policyTypes)],
  );
}

function portsProblems(ports: readonly Given<NetworkPolicyPort>[], field: string): readonly FieldProblem[] {
  return ports.flatMap(({ protocol, port, endPort }, index) => {
    const place = indexed(field, index);
    return [
      ...(protocol === undefined || protocols.includes(protocol)
        ? []
        : [notSupported(`${place}.protocol`, protocol, protocols)]),
      ...(typeof port === "number" ? portReference(port, `${place}.port`) : []),
      ...(endPort === undefined ? [] : endPortProblems(endPort, port, `${place}.endPort`)),
      ...(typeof port === "string" ? portReference(port, `${place}.port`) : []),
    ];
  });
}

function endPortProblems(
  endPort: number,
  port: number | string | undefined,
  field: string,
): readonly FieldProblem[] {
  if (port === undefined) {
    return [invalidValue(field, endPort, "may not be specified when `port` is not specified")];
  }
  if (typeof port === "string") {
    return [invalidValue(field, endPort, "may not be specified when `port` is non-numeric")];
  }
  return [
    // The message repeats the port, not its end.
    ...(endPort < port ? [invalidValue(field, port, "must be greater than or equal to `port`")] : []),
    ...portNumberProblems(endPort).map((detail) => invalidValue(field, endPort, detail)),
  ];
}

function peersProblems(peers: readonly Given<NetworkPolicyPeer>[], field: string): readonly FieldProblem[] {
  return peers.flatMap(({ podSelector, namespaceSelector, ipBlock }, index) => {
    const place = indexed(field, index);
    const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
    return [
      ...labelSelectorProblems(podSelector, `${place}.podSelector`),
      ...labelSelectorProblems(namespaceSelector, `${place}.namespaceSelector`),
      ...(ipBlock === undefined ? [] : blockProblems(ipBlock, `${place}.ipBlock`)),
      ...(hasSelector || ipBlock !== undefined ? [] : [required(place, "must specify a peer")]),
      ...(hasSelector && ipBlock !== undefined
        ? [forbiddenField(place, "may not specify both ipBlock and another peer")]
        : []),
    ];
  });
}

function blockProblems({ cidr = "", except = [] }: Given<IPBlock>, field: string): readonly FieldProblem[] {
  if (cidr === "") return [required(`${field}.cidr`)];
  const problems = cidrProblems(cidr, `${field}.cidr`);
  const range = parseCidr(cidr);
  if (range === undefined) return problems;
  return [
    ...problems,
    ...except.flatMap((text, index) => {
      const place = indexed(`${field}.except`, index);
      const inner = parseCidr(text);
      const isOutside = inner !== undefined && !isStrictSubset(inner, range);
      return [
        ...cidrProblems(text, place),
        ...(isOutside ? [invalidValue(place, text, "must be a strict subset of `cidr`")] : []),
      ];
    }),
  ];
}
