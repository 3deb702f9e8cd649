import type { PodSpec, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { labelsProblems } from "../../resource/label-problems.ts";
import { annotationsProblems } from "../../resource/metadata-problems.ts";
import { outsideOf, qualifiedNameProblems } from "../../resource/name-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { ipProblems } from "../service/ip-address.ts";
import { dnsLabel, dnsSubdomain, textOf } from "../value-problems.ts";
import {
  containersProblems,
  ephemeralContainersProblems,
  initContainersProblems,
} from "./container-validation.ts";
import { affinityProblems, tolerationsProblems, topologyProblems } from "./scheduling-validation.ts";
import { podSecurityProblems } from "./security-validation.ts";
import { checkVolumes } from "./volume-validation.ts";

type GivenSpec = Given<PodSpec>;

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const systems = ["linux", "windows"];
const preemptionPolicies = ["PreemptLowerPriority", "Never"];
const largestInt32 = 2147483647;

/** The spec of a pod, or of a template; `isPod` for what only pods must keep. */
export function podSpecProblems(spec: GivenSpec, field: string, isPod: boolean): readonly FieldProblem[] {
  const volumes = checkVolumes(spec.volumes, `${field}.volumes`, isPod);
  const problems: FieldProblem[] = [...volumes.problems];
  problems.push(...containersProblems(spec, volumes.byName, `${field}.containers`));
  if (spec.initContainers !== undefined) {
    problems.push(...initContainersProblems(spec, volumes.byName, `${field}.initContainers`));
  }
  problems.push(...ephemeralContainersProblems(spec, volumes.byName, `${field}.ephemeralContainers`));
  problems.push(...hostNetworkProblems(spec, field, isPod));
  problems.push(...choice(spec.restartPolicy, restartPolicies, `${field}.restartPolicy`));
  problems.push(...choice(spec.dnsPolicy, dnsPolicies, `${field}.dnsPolicy`));
  problems.push(...labelsProblems(spec.nodeSelector, `${field}.nodeSelector`));
  problems.push(...podSecurityProblems(spec, `${field}.securityContext`));
  problems.push(...affinityProblems(spec.affinity, `${field}.affinity`));
  problems.push(...dnsConfigProblems(spec, `${field}.dnsConfig`));
  problems.push(...gatesProblems(spec, field));
  problems.push(...topologyProblems(spec.topologySpreadConstraints, `${field}.topologySpreadConstraints`));
  problems.push(...namesProblems(spec, field));
  problems.push(...tolerationsProblems(spec.tolerations, `${field}.tolerations`));
  problems.push(...hostAliasesProblems(spec, `${field}.hostAliases`));
  if (spec.os !== undefined && !systems.includes(spec.os.name ?? "")) {
    problems.push(notSupported(`${field}.os`, spec.os.name ?? "", systems));
  }
  if (spec.preemptionPolicy !== undefined) {
    problems.push(...choice(spec.preemptionPolicy, preemptionPolicies, `${field}.preemptionPolicy`));
  }
  return problems;
}

export function podTemplateProblems(
  template: Given<PodTemplateSpec>,
  field: string,
): readonly FieldProblem[] {
  const { metadata = {}, spec = {} } = template;
  return [
    ...labelsProblems(metadata.labels, `${field}.labels`),
    ...annotationsProblems(metadata.annotations, `${field}.annotations`),
    ...podSpecProblems(spec, `${field}.spec`, false),
    ...((spec.ephemeralContainers ?? []).length === 0
      ? []
      : [
          forbiddenField(
            `${field}.spec.ephemeralContainers`,
            "ephemeral containers not allowed in pod template",
          ),
        ]),
  ];
}

function choice(value: string | undefined, known: readonly string[], field: string): readonly FieldProblem[] {
  if (value === undefined || value === "") return [required(field)];
  return known.includes(value) ? [] : [notSupported(field, value, known)];
}

function hostNetworkProblems(spec: GivenSpec, field: string, isPod: boolean): readonly FieldProblem[] {
  if (spec.hostNetwork !== true) return [];
  const detail = "must match `containerPort` when `hostNetwork` is true";
  return (spec.containers ?? []).flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort = 0, containerPort = 0 }, index) => {
      const place = indexed(`${indexed(`${field}.containers`, container)}.ports`, index);
      return (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [invalidValue(`${place}.hostPort`, hostPort, detail)]
        : [];
    }),
  );
}

function dnsConfigProblems({ dnsPolicy, dnsConfig }: GivenSpec, field: string): readonly FieldProblem[] {
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined) {
      return [required(field, "must provide `dnsConfig` when `dnsPolicy` is None")];
    }
    if ((dnsConfig.nameservers ?? []).length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required(`${field}.nameservers`, detail)];
    }
  }
  const { nameservers = [], options = [] } = dnsConfig ?? {};
  const tooMany = "must not have more than 3 nameservers";
  return [
    ...(nameservers.length > 3 ? [invalidValue(`${field}.nameservers`, nameservers, tooMany)] : []),
    ...nameservers.flatMap((server, index) => ipProblems(server, indexed(`${field}.nameservers`, index))),
    ...options.flatMap(({ name }, index) =>
      name ? [] : [required(indexed(`${field}.options`, index), "must not be empty")],
    ),
  ];
}

function gatesProblems(spec: GivenSpec, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [index, { conditionType = "" }] of (spec.readinessGates ?? []).entries()) {
    const place = `${indexed(`${field}.readinessGates`, index)}.conditionType`;
    problems.push(...qualifiedName(conditionType, place));
  }
  const names = new Set<string>();
  for (const [index, gate] of (spec.schedulingGates ?? []).entries()) {
    const name = textOf(gate.name);
    const place = indexed(`${field}.schedulingGates`, index);
    problems.push(...qualifiedName(name, place));
    if (names.has(name)) problems.push(duplicateValue(place, name));
    names.add(name);
  }
  return problems;
}

function qualifiedName(value: string, field: string): readonly FieldProblem[] {
  return qualifiedNameProblems(value).map((detail) => invalidValue(field, value, detail));
}

function namesProblems(spec: GivenSpec, field: string): readonly FieldProblem[] {
  const { serviceAccountName, nodeName, activeDeadlineSeconds: deadline, hostname, subdomain } = spec;
  const { priorityClassName, runtimeClassName } = spec;
  const problems: FieldProblem[] = [];
  if (serviceAccountName) problems.push(...dnsSubdomain(serviceAccountName, `${field}.serviceAccountName`));
  if (nodeName) problems.push(...dnsSubdomain(nodeName, `${field}.nodeName`));
  if (deadline !== undefined && (deadline < 1 || deadline > largestInt32)) {
    problems.push(invalidValue(`${field}.activeDeadlineSeconds`, deadline, outsideOf(1, largestInt32)));
  }
  if (hostname) problems.push(...dnsLabel(hostname, `${field}.hostname`));
  if (subdomain) problems.push(...dnsLabel(subdomain, `${field}.subdomain`));
  if (priorityClassName) problems.push(...dnsSubdomain(priorityClassName, `${field}.priorityClassName`));
  if (runtimeClassName !== undefined) {
    problems.push(...dnsSubdomain(runtimeClassName, `${field}.runtimeClassName`));
  }
  return problems;
}

function hostAliasesProblems({ hostAliases = [] }: GivenSpec, field: string): readonly FieldProblem[] {
  return hostAliases.flatMap(({ ip = "", hostnames = [] }, index) => [
    ...ipProblems(ip, `${indexed(field, index)}.ip`),
    ...hostnames.flatMap((hostname, position) =>
      dnsSubdomain(hostname, indexed(`${indexed(field, index)}.hostnames`, position)),
    ),
  ]);
}
