import type { Ingress, IngressBackend, IngressClass } from "@keelson/core/kinds/networking/v1";
import { dnsSubdomainProblems, wildcardSubdomainProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given, type GivenObject } from "../builtin-strategy.ts";
import { ipFamilyOf } from "../service/ip-address.ts";
import {
  dnsLabel,
  dnsSubdomain,
  immutableField,
  pathSegment,
  portReference,
  requiredText,
} from "../value-problems.ts";

export const ingressStrategy: Strategy = builtinStrategy<Ingress>({
  countsGenerations: true,
  setDefaults(ingress) {
    ingress.spec ??= {};
  },
  prepareForCreate(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  validate: ingressProblems,
  validateCreate({ metadata, spec = {} }) {
    const named = metadata.annotations?.[classAnnotation];
    const { ingressClassName = named } = spec;
    const detail = "must match `ingressClassName` when both are specified";
    return named === ingressClassName || named === undefined
      ? []
      : [invalidValue(`annotations.${classAnnotation}`, named, detail)];
  },
  warnings({ metadata, spec = {} }, old) {
    const isOld = old !== undefined || spec.ingressClassName !== undefined;
    return isOld || metadata.annotations?.[classAnnotation] === undefined
      ? []
      : [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
});

/** How the class was named before it had a field. */
const classAnnotation = "kubernetes.io/ingress.class";

function ingressProblems({ spec = {} }: GivenObject<Ingress>): readonly FieldProblem[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  const problems: FieldProblem[] = [];
  if (rules.length === 0 && defaultBackend === undefined) {
    const detail = "either `defaultBackend` or `rules` must be specified";
    problems.push(invalidValue("spec", spec.rules ?? null, detail));
  }
  if (defaultBackend !== undefined) problems.push(...backendProblems(defaultBackend, "spec.defaultBackend"));
  for (const [index, { host = "", http }] of rules.entries()) {
    const field = indexed("spec.rules", index);
    if (ipFamilyOf(host) !== undefined) {
      problems.push(invalidValue(`${field}.host`, host, "must be a DNS name, not an IP address"));
    }
    if (host !== "") problems.push(...hostProblems(host, `${field}.host`));
    if (http === undefined) continue;
    const paths = http.paths ?? [];
    if (paths.length === 0) problems.push(required(`${field}.http.paths`));
    for (const [position, path] of paths.entries()) {
      problems.push(...pathProblems(path, indexed(`${field}.http.paths`, position)));
    }
  }
  for (const [index, { hosts = [], secretName }] of tls.entries()) {
    const field = indexed("spec.tls", index);
    for (const [position, host] of hosts.entries()) {
      problems.push(...hostProblems(host, indexed(`${field}.hosts`, position)));
    }
    if (secretName) problems.push(...dnsSubdomain(secretName, `${field}.secretName`));
  }
  if (ingressClassName !== undefined) {
    problems.push(...dnsSubdomain(ingressClassName, "spec.ingressClassName"));
  }
  return problems;
}

function hostProblems(host: string, field: string): readonly FieldProblem[] {
  const check = host.includes("*") ? wildcardSubdomainProblems : dnsSubdomainProblems;
  return check(host).map((detail) => invalidValue(field, host, detail));
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function pathProblems(
  rule: { readonly path?: string; readonly pathType?: string; readonly backend?: Given<IngressBackend> },
  field: string,
): readonly FieldProblem[] {
  const { path = "", pathType, backend = {} } = rule;
  const problems: FieldProblem[] = [];
  if (pathType === undefined) problems.push(required(`${field}.pathType`, "pathType must be specified"));
  else if (!pathTypes.includes(pathType)) {
    problems.push(notSupported(`${field}.pathType`, pathType, pathTypes));
  }
  const mayBeEmpty = pathType === undefined || pathType === "ImplementationSpecific";
  if (!path.startsWith("/") && !(mayBeEmpty && path === "") && pathTypes.includes(pathType ?? "")) {
    problems.push(invalidValue(`${field}.path`, path, "must be an absolute path"));
  }
  if (pathType === "Exact" || pathType === "Prefix") {
    problems.push(...unclearPathProblems(path, `${field}.path`));
  }
  return [...problems, ...backendProblems(backend, `${field}.backend`)];
}

/** Parts that proxies read in different ways, so that a path would mean another one to some of them. */
function unclearPathProblems(path: string, field: string): readonly FieldProblem[] {
  const parts = ["//", "/./", "/../", "%2f", "%2F"].filter((part) => path.includes(part));
  const ends = ["/..", "/."].filter((end) => path.endsWith(end));
  return [
    ...parts.map((part) => invalidValue(field, path, `must not contain '${part}'`)),
    ...ends.map((end) => invalidValue(field, path, `cannot end with '${end}'`)),
  ];
}

function backendProblems(
  { service, resource }: Given<IngressBackend>,
  field: string,
): readonly FieldProblem[] {
  if (service !== undefined && resource !== undefined) {
    return [invalidValue(field, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) return referenceProblems(resource, `${field}.resource`);
  const { name, port = {} } = service ?? {};
  if (service === undefined) return [invalidValue(field, "", "resource or service backend is required")];
  const problems = requiredText(name, `${field}.service.name`, dnsLabel);
  const { name: portName, number = 0 } = port;
  if (portName && number !== 0) {
    return [...problems, invalidValue(field, "", "cannot set both port name & port number")];
  }
  if (portName) return [...problems, ...portReference(portName, `${field}.service.port.name`)];
  return number === 0
    ? [...problems, required(field, "port name or number is required")]
    : [...problems, ...portReference(number, `${field}.service.port.number`)];
}

function referenceProblems(
  { apiGroup, kind, name }: NonNullable<Given<IngressBackend>["resource"]>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(apiGroup === undefined ? [] : dnsSubdomain(apiGroup, `${field}.apiGroup`)),
    ...requiredText(kind, `${field}.kind`, pathSegment),
    ...requiredText(name, `${field}.name`, pathSegment),
  ];
}

export const ingressClassStrategy: Strategy = builtinStrategy<IngressClass>({
  initialStatus: "none",
  countsGenerations: true,
  setDefaults({ spec }) {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= "Cluster";
  },
  validateUpdate: (ingressClass, old) =>
    immutableField(ingressClass.spec?.controller, old.spec?.controller, "spec.controller"),
});
