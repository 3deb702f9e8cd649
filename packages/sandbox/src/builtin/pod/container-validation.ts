import type { Container, ContainerPort, ContainerResizePolicy, PodSpec } from "@keelson/core/kinds/core/v1";
import { portNameProblems, portNumberProblems } from "../../resource/name-problems.ts";
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
import { dnsLabel, requiredText, textOf } from "../value-problems.ts";
import { environmentProblems, environmentSourcesProblems } from "./env-validation.ts";
import { mountsProblems } from "./mount-validation.ts";
import { initContainerProbeProblems, runningContainerProblems } from "./probe-validation.ts";
import { resourceProblems } from "./resource-requirements.ts";
import { containerSecurityProblems } from "./security-validation.ts";
import type { CheckedVolumes } from "./volume-validation.ts";

type GivenContainer = Given<Container>;
type GivenSpec = Given<PodSpec>;
type Volumes = CheckedVolumes["byName"];

export function containersProblems(
  spec: GivenSpec,
  volumes: Volumes,
  field: string,
): readonly FieldProblem[] {
  const { containers = [], terminationGracePeriodSeconds } = spec;
  if (containers.length === 0) return [required(field)];
  const names = new Set<string>();
  const problems: FieldProblem[] = [];
  for (const [index, container] of containers.entries()) {
    const place = indexed(field, index);
    const name = textOf(container.name);
    problems.push(...containerProblems(container, volumes, place));
    if (names.has(name)) problems.push(duplicateValue(`${place}.name`, name));
    names.add(name);
    problems.push(...runningContainerProblems(container, terminationGracePeriodSeconds, place));
    problems.push(...restartPolicyProblems(container, place));
  }
  return [...problems, ...hostPortConflicts(containers, field)];
}

export function initContainersProblems(
  spec: GivenSpec,
  volumes: Volumes,
  field: string,
): readonly FieldProblem[] {
  const { containers = [], initContainers = [], terminationGracePeriodSeconds } = spec;
  const names = new Set(containers.map(({ name }) => textOf(name)));
  const problems: FieldProblem[] = [];
  for (const [index, container] of initContainers.entries()) {
    const place = indexed(field, index);
    const { restartPolicy } = container;
    const name = textOf(container.name);
    problems.push(...containerProblems(container, volumes, place));
    problems.push(...restartPolicyProblems(container, place));
    if (names.has(name)) problems.push(duplicateValue(`${place}.name`, name));
    names.add(name);
    problems.push(
      ...(restartPolicy === "Always"
        ? runningContainerProblems(container, terminationGracePeriodSeconds, place)
        : initContainerProbeProblems(container, place)),
    );
  }
  return problems;
}

/** What holds for every kind of container. */
function containerProblems(
  container: GivenContainer,
  volumes: Volumes,
  field: string,
): readonly FieldProblem[] {
  const { image = "", terminationMessagePolicy: policy = "", imagePullPolicy = "" } = container;
  const problems: FieldProblem[] = [];
  problems.push(...requiredText(container.name, `${field}.name`, dnsLabel));
  if (image === "") problems.push(required(`${field}.image`));
  if (policy !== "File" && policy !== "FallbackToLogsOnError") {
    const place = `${field}.terminationMessagePolicy`;
    problems.push(policy === "" ? required(place) : notSupported(place, policy, messagePolicies));
  }
  problems.push(...portsProblems(container.ports, `${field}.ports`));
  problems.push(...environmentProblems(container.env, `${field}.env`));
  problems.push(...environmentSourcesProblems(container.envFrom, `${field}.envFrom`));
  problems.push(...mountsProblems(container, volumes, field));
  if (!pullPolicies.includes(imagePullPolicy)) {
    const place = `${field}.imagePullPolicy`;
    problems.push(
      imagePullPolicy === "" ? required(place) : notSupported(place, imagePullPolicy, pullPolicies),
    );
  }
  problems.push(...resourceProblems(container.resources, `${field}.resources`));
  problems.push(...resizePolicyProblems(container.resizePolicy, `${field}.resizePolicy`));
  problems.push(...containerSecurityProblems(container.securityContext, `${field}.securityContext`));
  return problems;
}

const messagePolicies = ["File", "FallbackToLogsOnError"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const protocols = ["SCTP", "TCP", "UDP"];
const restartPolicies = ["Always", "Never", "OnFailure"];

/** The list is named, not the entry, where a word is unknown: as the server does. */
function resizePolicyProblems(
  policies: readonly Given<ContainerResizePolicy>[] | undefined,
  field: string,
): readonly FieldProblem[] {
  const known = { resourceName: ["cpu", "memory"], restartPolicy: ["NotRequired", "RestartContainer"] };
  const names = new Set<string>();
  return (policies ?? []).flatMap(({ resourceName = "", restartPolicy = "" }, index) => {
    const isRepeated = names.has(resourceName);
    names.add(resourceName);
    return [
      ...(isRepeated ? [duplicateValue(indexed(field, index), resourceName)] : []),
      ...oneOf(resourceName, known.resourceName, field),
      ...oneOf(restartPolicy, known.restartPolicy, field),
    ];
  });
}

function oneOf(value: string, known: readonly string[], field: string): readonly FieldProblem[] {
  if (value === "") return [required(field)];
  return known.includes(value) ? [] : [notSupported(field, value, known)];
}

function restartPolicyProblems(
  { restartPolicy, restartPolicyRules = [] }: GivenContainer,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.restartPolicy`;
  if (restartPolicy === undefined) {
    return restartPolicyRules.length === 0
      ? []
      : [required(place, "must specify restartPolicy when restart rules are used")];
  }
  return restartPolicies.includes(restartPolicy) ? [] : [notSupported(place, restartPolicy, restartPolicies)];
}

function portsProblems(
  ports: readonly Given<ContainerPort>[] | undefined,
  field: string,
): readonly FieldProblem[] {
  const names = new Set<string>();
  const problems: FieldProblem[] = [];
  for (const [index, port] of (ports ?? []).entries()) {
    const place = indexed(field, index);
    const { name, containerPort = 0, hostPort = 0, protocol = "" } = port;
    if (name) {
      const own = portNameProblems(name);
      for (const detail of own) problems.push(invalidValue(`${place}.name`, name, detail));
      if (own.length === 0 && names.has(name)) problems.push(duplicateValue(`${place}.name`, name));
      names.add(name);
    }
    if (containerPort === 0) problems.push(required(`${place}.containerPort`));
    else problems.push(...portProblems(containerPort, `${place}.containerPort`));
    if (hostPort !== 0) problems.push(...portProblems(hostPort, `${place}.hostPort`));
    if (protocol === "") problems.push(required(`${place}.protocol`));
    else if (!protocols.includes(protocol)) {
      problems.push(notSupported(`${place}.protocol`, protocol, protocols));
    }
  }
  return problems;
}

function portProblems(port: number, field: string): readonly FieldProblem[] {
  return portNumberProblems(port).map((detail) => invalidValue(field, port, detail));
}

function hostPortConflicts(containers: readonly GivenContainer[], field: string): readonly FieldProblem[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "" }, index) => {
      if (hostPort === 0) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = taken.has(key);
      taken.add(key);
      const place = `${indexed(`${indexed(field, container)}.ports`, index)}.hostPort`;
      return isTaken ? [duplicateValue(place, key)] : [];
    }),
  );
}

/** The fields that an ephemeral container may not set, because nothing may depend on such a container. */
const forbidden = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;
const never = "cannot be set for an Ephemeral Container";

export function ephemeralContainersProblems(
  { containers = [], initContainers = [], ephemeralContainers = [] }: Given<PodSpec>,
  volumes: CheckedVolumes["byName"],
  field: string,
): readonly FieldProblem[] {
  const targets = new Set([...containers, ...initContainers].map(({ name }) => textOf(name)));
  const names = new Set(targets);
  const problems: FieldProblem[] = [];
  for (const [index, container] of ephemeralContainers.entries()) {
    const place = indexed(field, index);
    const { image = "", targetContainerName: target = "", volumeMounts = [] } = container;
    const name = textOf(container.name);
    problems.push(...containerProblems(container, volumes, place));
    problems.push(...paddedImageProblems(image, `${place}.image`));
    if (names.has(name)) problems.push(duplicateValue(`${place}.name`, name));
    names.add(name);
    if (target !== "" && !targets.has(target)) {
      const targetField = `${place}.targetContainerName`;
      problems.push({ type: "FieldValueNotFound", field: targetField, value: target, detail: "" });
    }
    for (const part of forbidden) {
      if (isGiven(container[part])) problems.push(forbiddenField(`${place}.${part}`, never));
    }
    for (const [position, mount] of volumeMounts.entries()) {
      const mountField = indexed(`${place}.volumeMounts`, position);
      if (mount.subPath) problems.push(forbiddenField(`${mountField}.subPath`, never));
      if (mount.subPathExpr) problems.push(forbiddenField(`${mountField}.subPathExpr`, never));
    }
  }
  return problems;
}

/** Whether a part is set. Resources are always present, but may be empty. */
function isGiven(part: object | string | undefined): boolean {
  return part !== undefined && (typeof part === "string" || Object.keys(part).length > 0);
}

/** Checked for pods only, not for their templates. */
export function paddedImageProblems(image: string, field: string): readonly FieldProblem[] {
  return image === image.trim()
    ? []
    : [invalidValue(field, image, "must not have leading or trailing whitespace")];
}
