import type { Draft } from "@keelson/core";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from "@keelson/core/kinds/rbac/v1";
import { labelSelectorProblems } from "../../resource/label-problems.ts";
import { pathSegmentProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { dnsSubdomain, pathSegment, requiredText, textOf } from "../value-problems.ts";

const rbacGroup = "rbac.authorization.k8s.io";

const common = {
  initialStatus: "none",
  allowsCreateOnUpdate: true,
  nameProblem: (name: string): string | undefined => pathSegmentProblems(name)[0],
} as const;

export const roleStrategy: Strategy = builtinStrategy<Role>({
  ...common,
  setDefaults: setRuleDefaults,
  validate: ({ rules = [] }) => rulesProblems(rules, true),
});

export const clusterRoleStrategy: Strategy = builtinStrategy<ClusterRole>({
  ...common,
  setDefaults: setRuleDefaults,
  validate({ rules = [], aggregationRule }) {
    const field = "aggregationRule.clusterRoleSelectors";
    const selectors = aggregationRule?.clusterRoleSelectors ?? [];
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [
      ...rulesProblems(rules, false),
      ...(aggregationRule !== undefined && selectors.length === 0 ? [required(field, detail)] : []),
      ...selectors.flatMap((selector, index) => labelSelectorProblems(selector, indexed(field, index))),
    ];
  },
});

/** Without rules a role says `null`, also if they were given as an empty list. */
function setRuleDefaults(role: { rules?: unknown }): void {
  if (role.rules === undefined || (Array.isArray(role.rules) && role.rules.length === 0)) role.rules = null;
}

function rulesProblems(
  rules: readonly Given<PolicyRule>[] | null,
  isNamespaced: boolean,
): readonly FieldProblem[] {
  return (rules ?? []).flatMap((rule, index) => ruleProblems(rule, isNamespaced, indexed("rules", index)));
}

function ruleProblems(
  rule: Given<PolicyRule>,
  isNamespaced: boolean,
  field: string,
): readonly FieldProblem[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const problems: FieldProblem[] = [];
  if ((rule.verbs ?? []).length === 0) {
    problems.push(required(`${field}.verbs`, "verbs must contain at least one value"));
  }
  if (nonResourceURLs.length > 0) {
    const place = `${field}.nonResourceURLs`;
    if (isNamespaced) {
      const detail = "namespaced rules cannot apply to non-resource URLs";
      problems.push(invalidValue(place, nonResourceURLs, detail));
    }
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      problems.push(invalidValue(place, nonResourceURLs, detail));
    }
    return problems;
  }
  if (apiGroups.length === 0) {
    problems.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (resources.length === 0) {
    problems.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
  }
  return problems;
}

export const roleBindingStrategy: Strategy = builtinStrategy<RoleBinding>({
  ...common,
  setDefaults: setBindingDefaults,
  validate: (binding) => bindingProblems(binding, true),
  validateUpdate: ({ roleRef = {} }, old) => roleRefUpdateProblems(roleRef, old.roleRef ?? {}),
});

export const clusterRoleBindingStrategy: Strategy = builtinStrategy<ClusterRoleBinding>({
  ...common,
  setDefaults: setBindingDefaults,
  validate: (binding) => bindingProblems(binding, false),
  validateUpdate: ({ roleRef = {} }, old) => roleRefUpdateProblems(roleRef, old.roleRef ?? {}),
});

interface GivenBinding {
  readonly roleRef?: Given<RoleRef>;
  readonly subjects?: readonly Given<Subject>[];
}

function setBindingDefaults(binding: Draft<GivenBinding>): void {
  binding.roleRef ??= {};
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
  }
}

function bindingProblems(
  { roleRef = {}, subjects = [] }: GivenBinding,
  isNamespaced: boolean,
): readonly FieldProblem[] {
  const { apiGroup = "", kind = "" } = roleRef;
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return [
    ...(apiGroup === rbacGroup ? [] : [notSupported("roleRef.apiGroup", apiGroup, [rbacGroup])]),
    ...(kinds.includes(kind) ? [] : [notSupported("roleRef.kind", kind, kinds)]),
    ...requiredText(roleRef.name, "roleRef.name", pathSegment),
    ...subjects.flatMap((subject, index) =>
      subjectProblems(subject, isNamespaced, indexed("subjects", index)),
    ),
  ];
}

function subjectProblems(
  subject: Given<Subject>,
  isNamespaced: boolean,
  field: string,
): readonly FieldProblem[] {
  const { kind = "", name, apiGroup = "", namespace } = subject;
  const problems: FieldProblem[] = name ? [] : [required(`${field}.name`)];
  if (kind === "ServiceAccount") {
    if (name) problems.push(...dnsSubdomain(name, `${field}.name`));
    if (apiGroup !== "") problems.push(notSupported(`${field}.apiGroup`, apiGroup, [""]));
    if (!isNamespaced && !namespace) problems.push(required(`${field}.namespace`));
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== rbacGroup) problems.push(notSupported(`${field}.apiGroup`, apiGroup, [rbacGroup]));
  } else {
    problems.push(notSupported(`${field}.kind`, kind, ["ServiceAccount", "User", "Group"]));
  }
  return problems;
}

function roleRefUpdateProblems(roleRef: Given<RoleRef>, old: Given<RoleRef>): readonly FieldProblem[] {
  const { apiGroup = "", kind = "" } = roleRef;
  const name = textOf(roleRef.name);
  const isSame = apiGroup === old.apiGroup && kind === old.kind && name === old.name;
  const printed = { APIGroup: apiGroup, Kind: kind, Name: name };
  return isSame ? [] : [invalidValue("roleRef", printed, "cannot change roleRef")];
}
