import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "@keelson/core/kinds/core/v1";
import { type FieldProblem, invalidValue, keyed, required } from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { isExtended, readAmount, resourceNameProblems } from "../pod/resource-requirements.ts";

type GivenSpec = Given<ResourceQuotaSpec>;

/** Resources that are counted. */
const counted = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const computing = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const storing = [
  "ephemeral-storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "requests.storage",
];
const scopes = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "VolumeAttributesClass",
  "CrossNamespacePodAffinity",
];
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** The spec of a ResourceQuota. */
export function quotaProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { hard = {}, scopeSelector } = spec;
  return [
    ...Object.entries(hard).flatMap(([name, amount]) => hardProblems(name, amount, keyed("spec.hard", name))),
    ...scopesProblems(spec, "spec.scopes"),
    ...(scopeSelector === undefined ? [] : selectorProblems(spec, "spec.scopeSelector.matchExpressions")),
  ];
}

function hardProblems(name: string, amount: string, field: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [...resourceNameProblems(name, field)];
  if (!name.includes("/") && !isQuotaResource(name)) {
    problems.push(invalidValue(field, name, "must be a standard resource for quota"));
  }
  const quantity = readAmount(amount);
  if (quantity === undefined) return problems;
  if (quantity.nanos < 0n) problems.push(invalidValue(field, amount, "must be greater than or equal to 0"));
  const isWhole = quantity.nanos % 1_000_000_000n === 0n;
  if ((counted.includes(name) || isExtended(name)) && !isWhole) {
    problems.push(invalidValue(field, amount, "must be an integer"));
  }
  return problems;
}

function isQuotaResource(name: string): boolean {
  return (
    counted.includes(name) ||
    computing.includes(name) ||
    storing.includes(name) ||
    /^(requests\.)?hugepages-/.test(name)
  );
}

function scopesProblems(
  { scopes: given = [], hard = {} }: GivenSpec,
  field: string,
): readonly FieldProblem[] {
  const problem = (detail: string): FieldProblem => invalidValue(field, given, detail);
  return [
    ...given.flatMap((scope) => [
      ...(scopes.includes(scope) ? [] : [problem("unsupported scope")]),
      ...unscopedResources(hard, scope).map(() => problem("unsupported scope applied to resource")),
    ]),
    ...opposites
      .filter((pair) => pair.every((scope) => given.includes(scope)))
      .map(() => problem("conflicting scopes")),
  ];
}

/** Resources of a quota that a scope says nothing of. */
function unscopedResources(hard: Readonly<Record<string, string>>, scope: string): readonly string[] {
  const scoped =
    scope === "VolumeAttributesClass"
      ? ["persistentvolumeclaims", "requests.storage"]
      : ["pods", ...(scope === "BestEffort" ? [] : computing)];
  if (!scopes.includes(scope)) return [];
  return Object.keys(hard).filter((name) => isQuotaResource(name) && !scoped.includes(name));
}

function selectorProblems(spec: GivenSpec, field: string): readonly FieldProblem[] {
  const { scopeSelector = {}, hard = {}, scopes: given } = spec;
  const requirements = scopeSelector.matchExpressions ?? [];
  const names = requirements.map(({ scopeName = "" }) => scopeName);
  return [
    ...requirements.flatMap((requirement) => {
      const { scopeName = "" } = requirement;
      const detail = "unsupported scope applied to resource";
      return [
        ...(scopes.includes(scopeName)
          ? []
          : [invalidValue(`${field}.scopeName`, scopeName, "unsupported scope")]),
        ...unscopedResources(hard, scopeName).map(() =>
          invalidValue(field, { MatchExpressions: requirements.map(printed) }, detail),
        ),
        ...requirementProblems(requirement, field),
      ];
    }),
    ...opposites
      .filter((pair) => pair.every((scope) => names.includes(scope)))
      .map(() => invalidValue(field, given ?? null, "conflicting scopes")),
  ];
}

function requirementProblems(
  { scopeName = "", operator = "", values = [] }: Given<ScopedResourceSelectorRequirement>,
  field: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const takesValues = scopeName.endsWith("Class") || !scopes.includes(scopeName);
  if (!takesValues && operator !== "Exists") {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    problems.push(invalidValue(`${field}.operator`, operator, detail));
  }
  if (operator === "In" || operator === "NotIn") {
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    if (values.length === 0) problems.push(required(`${field}.values`, detail));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    if (values.length > 0) problems.push(invalidValue(`${field}.values`, values, detail));
  } else {
    problems.push(invalidValue(`${field}.operator`, operator, "not a valid selector operator"));
  }
  return problems;
}

/** As the server prints it: in the form that it has in the server's memory. */
function printed(requirement: Given<ScopedResourceSelectorRequirement>): unknown {
  const { scopeName = "", operator = "", values = null } = requirement;
  return { ScopeName: scopeName, Operator: operator, Values: values };
}
