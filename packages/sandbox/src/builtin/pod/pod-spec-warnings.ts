import type { KubeObject } from "@keelson/core";
import type { Container, ContainerPort, PodSpec, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { indexed, keyed } from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { textOf } from "../value-problems.ts";
import { readAmount } from "./resource-requirements.ts";

type GivenSpec = Given<PodSpec>;
/** A container, and where in the spec it stands. */
type Placed = readonly [container: Given<Container>, field: string];

/** The warnings about the template of an object whose spec is new or has changed. */
export function templateWarnings(
  template: Given<PodTemplateSpec> | undefined,
  { metadata }: Pick<KubeObject, "metadata">,
  old: Pick<KubeObject, "metadata"> | undefined,
  field = "spec.template",
): readonly string[] {
  return metadata.generation === old?.metadata.generation
    ? []
    : podSpecWarnings(template?.spec ?? {}, `${field}.spec`);
}

/** What the server takes but advises against, in its words and its order. */
export function podSpecWarnings(spec: GivenSpec, field: string): readonly string[] {
  const containers = placedContainers(spec, field);
  return [
    ...nodeSelectorWarnings(spec, `${field}.nodeSelector`),
    ...spreadWarnings(spec, `${field}.topologySpreadConstraints`),
    ...pullSecretWarnings(spec, `${field}.imagePullSecrets`),
    ...containers.flatMap(([container, place]) => [
      ...fractionWarnings(container, `${place}.resources`),
      ...variableWarnings(container, `${place}.env`),
    ]),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
    ...graceWarnings(spec, `${field}.terminationGracePeriodSeconds`),
  ];
}

function placedContainers(spec: GivenSpec, field: string): readonly Placed[] {
  return (["initContainers", "containers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => [container, indexed(`${field}.${list}`, index)] as const),
  );
}

/** What to use instead of labels of nodes that have other names now. */
const renamedLabels: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    "beta.kubernetes.io/instance-type",
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
  [
    "failure-domain.beta.kubernetes.io/region",
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    "failure-domain.beta.kubernetes.io/zone",
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

function nodeSelectorWarnings({ nodeSelector = {} }: GivenSpec, field: string): readonly string[] {
  return Object.keys(nodeSelector).flatMap((label) => {
    const advice = renamedLabels.get(label);
    return advice === undefined ? [] : [`${keyed(field, label)}: ${advice}`];
  });
}

function spreadWarnings({ topologySpreadConstraints = [] }: GivenSpec, field: string): readonly string[] {
  return topologySpreadConstraints.flatMap(({ topologyKey = "", labelSelector }, index) => {
    const place = indexed(field, index);
    const advice = renamedLabels.get(topologyKey);
    return [
      ...(advice === undefined ? [] : [`${place}.topologyKey: ${topologyKey} is ${advice}`]),
      ...(labelSelector === undefined
        ? [`${place}.labelSelector: a null labelSelector results in matching no pod`]
        : []),
    ];
  });
}

function pullSecretWarnings({ imagePullSecrets = [] }: GivenSpec, field: string): readonly string[] {
  const names = imagePullSecrets.map(({ name }) => textOf(name));
  const at = (index: number): string => `${indexed(field, index)}.name`;
  return [
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index ? [`${at(index)}: duplicate name "${name}"`] : [],
    ),
    ...names.flatMap((name, index) => (name === "" ? [`${at(index)}: invalid empty name ""`] : [])),
  ];
}

/** Half a byte is nothing that could be had. */
function fractionWarnings({ resources = {} }: Given<Container>, field: string): readonly string[] {
  const amounts = (["memory", "ephemeral-storage"] as const).flatMap((name) =>
    (["limits", "requests"] as const).map((list) => [name, list, resources[list]?.[name]] as const),
  );
  return amounts.flatMap(([name, list, amount]) => {
    const nanos = amount === undefined ? undefined : readAmount(amount)?.nanos;
    return nanos === undefined || nanos % 1_000_000_000n === 0n
      ? []
      : [
          `${keyed(`${field}.${list}`, name)}: fractional byte value "${amount}" is invalid, must be an integer`,
        ];
  });
}

/** A variable may add to the one before it, `$(PATH):/more`; else that one is lost. */
function variableWarnings({ env = [] }: Given<Container>, field: string): readonly string[] {
  const names = new Set<string>();
  return env.flatMap(({ name: sentName, value = "", valueFrom }, index) => {
    const name = textOf(sentName);
    const isRepeated = names.has(name);
    names.add(name);
    const reference = `$(${name})`;
    const addsToIt = valueFrom === undefined && value !== reference && value.includes(reference);
    return !isRepeated || addsToIt
      ? []
      : [
          `${indexed(field, index)}: hides previous definition of "${name}", which may be dropped when using apply`,
        ];
  });
}

type PlacedPort = readonly [port: Given<ContainerPort>, field: string];

function portsOf(containers: readonly Placed[]): readonly PlacedPort[] {
  return containers.flatMap(([{ ports = [] }, place]) =>
    ports.map((port, index) => [port, indexed(`${place}.ports`, index)] as const),
  );
}

function portWarnings(containers: readonly Placed[]): readonly string[] {
  const seen: PlacedPort[] = [];
  return portsOf(containers).flatMap(([port, field]) => {
    const conflicting = seen.filter(
      ([other]) => other.containerPort === port.containerPort && other.protocol === port.protocol,
    );
    seen.push([port, field]);
    return conflicting.flatMap(([other, otherField]) => {
      const relation = portRelation(port, other);
      return relation === undefined ? [] : [`${field}: ${relation} port definition with ${otherField}`];
    });
  });
}

function portRelation(port: Given<ContainerPort>, other: Given<ContainerPort>): string | undefined {
  const { hostPort = 0, hostIP = "" } = port;
  const { hostPort: otherPort = 0, hostIP: otherIP = "" } = other;
  if (hostPort === otherPort && hostIP === otherIP) return "duplicate";
  if (hostPort === 0 || otherPort === 0) return "overlapping";
  const isOneOpen = (hostIP === "") !== (otherIP === "");
  return hostPort === otherPort && isOneOpen ? "dangerously ambiguous" : undefined;
}

function portNameWarnings(containers: readonly Placed[]): readonly string[] {
  const places = new Map<string, string>();
  return portsOf(containers).flatMap(([{ name }, field]) => {
    if (!name) return [];
    const first = places.get(name);
    if (first !== undefined) {
      return [
        `${field}: duplicate port name "${name}" with ${first}, services and probes that select ports by name will use ${first}`,
      ];
    }
    places.set(name, field);
    return [];
  });
}

function graceWarnings(
  { terminationGracePeriodSeconds: seconds = 0 }: GivenSpec,
  field: string,
): readonly string[] {
  return seconds < 0 ? [`${field}: must be >= 0; negative values are invalid and will be treated as 1`] : [];
}
