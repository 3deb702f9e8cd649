import type { Draft } from "@keelson/core";
import type {
  MatchCondition,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from "@keelson/core/kinds/admissionregistration/v1";
import { isProblem } from "../../cel/compile-rule.ts";
import { compileCondition } from "../../cel/evaluate-condition.ts";
import { labelSelectorProblems } from "../../resource/label-problems.ts";
import { dnsSubdomainProblems, qualifiedNameProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  reviewVersionProblems,
  webhookServiceProblems,
  webhookUrlProblems,
} from "../../resource/webhook-address-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { textOf } from "../value-problems.ts";

type GivenHook = Given<MutatingWebhook>;

const common = { initialStatus: "none", countsGenerations: true, allowsUnconditionalUpdate: false } as const;

export const validatingWebhookStrategy: Strategy = builtinStrategy<ValidatingWebhookConfiguration>({
  ...common,
  setDefaults({ webhooks = [] }) {
    for (const hook of webhooks) setHookDefaults(hook);
  },
  validate: ({ webhooks = [] }) => hooksProblems(webhooks),
});

export const mutatingWebhookStrategy: Strategy = builtinStrategy<MutatingWebhookConfiguration>({
  ...common,
  setDefaults({ webhooks = [] }) {
    for (const hook of webhooks) {
      setHookDefaults(hook);
      hook.reinvocationPolicy ??= "Never";
    }
  },
  validate: ({ webhooks = [] }) => hooksProblems(webhooks),
});

function setHookDefaults(hook: Draft<GivenHook>): void {
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= 10;
  for (const rule of hook.rules ?? []) rule.scope ??= "*";
  hook.clientConfig ??= {};
  if (hook.clientConfig.service !== undefined) hook.clientConfig.service.port ??= 443;
}

function hooksProblems(hooks: readonly GivenHook[]): readonly FieldProblem[] {
  const names = new Set<string>();
  return hooks.flatMap((hook, index) => {
    const field = indexed("webhooks", index);
    const name = textOf(hook.name);
    const problems = [...hookProblems(hook, field), ...reviewVersionsProblems(hook, field)];
    if (name !== "" && names.has(name)) problems.push(duplicateValue(`${field}.name`, name));
    names.add(name);
    return problems;
  });
}

function hookProblems(hook: GivenHook, field: string): readonly FieldProblem[] {
  const { sideEffects, timeoutSeconds = 10, rules = [], reinvocationPolicy } = hook;
  const noSideEffects = ["None", "NoneOnDryRun"];
  const problems: FieldProblem[] = [...hookNameProblems(hook.name ?? "", `${field}.name`)];
  problems.push(...rules.flatMap((rule, index) => ruleProblems(rule, indexed(`${field}.rules`, index))));
  problems.push(...choice(hook.failurePolicy, ["Fail", "Ignore"], `${field}.failurePolicy`));
  problems.push(...choice(hook.matchPolicy, ["Equivalent", "Exact"], `${field}.matchPolicy`));
  if (sideEffects === undefined) {
    problems.push(required(`${field}.sideEffects`, `must specify one of ${noSideEffects.join(", ")}`));
  } else problems.push(...choice(sideEffects, noSideEffects, `${field}.sideEffects`));
  if (timeoutSeconds < 1 || timeoutSeconds > 30) {
    const detail = "the timeout value must be between 1 and 30 seconds";
    problems.push(invalidValue(`${field}.timeoutSeconds`, timeoutSeconds, detail));
  }
  problems.push(...labelSelectorProblems(hook.namespaceSelector, `${field}.namespaceSelector`));
  problems.push(...labelSelectorProblems(hook.objectSelector, `${field}.objectSelector`));
  problems.push(...choice(reinvocationPolicy, ["IfNeeded", "Never"], `${field}.reinvocationPolicy`));
  problems.push(...clientConfigProblems(hook.clientConfig ?? {}, `${field}.clientConfig`));
  return [...problems, ...matchConditionProblems(hook.matchConditions ?? [], `${field}.matchConditions`)];
}

function choice(value: string | undefined, known: readonly string[], field: string): readonly FieldProblem[] {
  return value === undefined || known.includes(value) ? [] : [notSupported(field, value, known)];
}

function hookNameProblems(name: string, field: string): readonly FieldProblem[] {
  if (name === "") return [required(field)];
  const wrong = dnsSubdomainProblems(name);
  if (wrong.length > 0) return [invalidValue(field, name, wrong.join(","))];
  const detail = "should be a domain with at least three segments separated by dots";
  return name.split(".").length < 3 ? [invalidValue(field, name, detail)] : [];
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function ruleProblems(rule: Given<RuleWithOperations>, field: string): readonly FieldProblem[] {
  const { operations: asked = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const problems: FieldProblem[] = [];
  if (asked.length === 0) problems.push(required(`${field}.operations`));
  if (asked.length > 1 && asked.includes("*")) {
    const detail = "if '*' is present, must not specify other operations";
    problems.push(invalidValue(`${field}.operations`, asked, detail));
  }
  for (const [index, operation] of asked.entries()) {
    problems.push(...choice(operation, operations, indexed(`${field}.operations`, index)));
  }
  problems.push(...wildcardListProblems(apiGroups, `${field}.apiGroups`, "API groups"));
  problems.push(...wildcardListProblems(apiVersions, `${field}.apiVersions`, "API versions"));
  for (const [index, version] of apiVersions.entries()) {
    if (version === "") problems.push(required(indexed(`${field}.apiVersions`, index)));
  }
  problems.push(...resourcesProblems(resources, `${field}.resources`));
  return [...problems, ...choice(scope, ["*", "Cluster", "Namespaced"], `${field}.scope`)];
}

/** Resources with their subresources: what a wildcard includes is not listed after it. */
function resourcesProblems(resources: readonly string[], field: string): readonly FieldProblem[] {
  if (resources.length === 0) return [required(field)];
  const problems: FieldProblem[] = [];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  for (const [index, name] of resources.entries()) {
    const place = indexed(field, index);
    const [, resource = "", subresource] = /^([^/]*)(?:\/(.*))?$/s.exec(name) ?? [];
    if (name === "") problems.push(required(place));
    if (subresource === undefined) continue;
    const wildcards = [
      ...(wholeResources.has(resource) ? [`${resource}/*`] : []),
      ...(wholeSubresources.has(subresource) ? [`*/${subresource}`] : []),
    ];
    for (const wildcard of wildcards) {
      problems.push(invalidValue(place, name, `if '${wildcard}' is present, must not specify ${name}`));
    }
    if (subresource === "*") wholeResources.add(resource);
    if (resource === "*") wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    const detail = "if '*/*' is present, must not specify other resources";
    problems.push(invalidValue(field, resources, detail));
  }
  // As on the real server, the last resource without a subresource counts.
  const last = resources.filter((name) => name !== "" && !name.includes("/")).at(-1);
  if (resources.includes("*") && last !== "*") {
    const detail = "if '*' is present, must not specify other resources without subresources";
    problems.push(invalidValue(field, resources, detail));
  }
  return problems;
}

function wildcardListProblems(list: readonly string[], field: string, what: string): readonly FieldProblem[] {
  if (list.length === 0) return [required(field)];
  const detail = `if '*' is present, must not specify other ${what}`;
  return list.length > 1 && list.includes("*") ? [invalidValue(field, list, detail)] : [];
}

function reviewVersionsProblems({ admissionReviewVersions = [] }: GivenHook, hook: string): FieldProblem[] {
  const field = `${hook}.admissionReviewVersions`;
  if (admissionReviewVersions.length === 0) return [required(field, "must specify one of v1, v1beta1")];
  return [...reviewVersionProblems(admissionReviewVersions, field)];
}

export const validatingPolicyStrategy: Strategy = builtinStrategy<ValidatingAdmissionPolicy>({
  countsGenerations: true,
  allowsUnconditionalUpdate: false,
  setDefaults(policy) {
    policy.spec ??= {};
    policy.spec.failurePolicy ??= "Fail";
    if (policy.spec.matchConstraints !== undefined) setMatchDefaults(policy.spec.matchConstraints);
  },
});

export const validatingPolicyBindingStrategy: Strategy = builtinStrategy<ValidatingAdmissionPolicyBinding>({
  ...common,
  setDefaults({ spec }) {
    if (spec?.matchResources !== undefined) setMatchDefaults(spec.matchResources);
  },
});

export const mutatingPolicyStrategy: Strategy = builtinStrategy<MutatingAdmissionPolicy>({
  ...common,
  setDefaults(policy) {
    policy.spec ??= {};
    policy.spec.failurePolicy ??= "Fail";
    if (policy.spec.matchConstraints !== undefined) setMatchDefaults(policy.spec.matchConstraints);
  },
});

export const mutatingPolicyBindingStrategy: Strategy = builtinStrategy<MutatingAdmissionPolicyBinding>({
  ...common,
  setDefaults({ spec }) {
    if (spec?.matchResources !== undefined) setMatchDefaults(spec.matchResources);
  },
});

type MatchResources = NonNullable<NonNullable<Given<ValidatingAdmissionPolicy>["spec"]>["matchConstraints"]>;

function setMatchDefaults(match: Draft<MatchResources>): void {
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])])
    rule.scope ??= "*";
}

/** How the server reaches a webhook: by an address or by a service, not both. */
function clientConfigProblems(
  { url, service }: Given<WebhookClientConfig>,
  field: string,
): readonly FieldProblem[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(field, "exactly one of url or service is required")];
  }
  return url === undefined
    ? webhookServiceProblems(service ?? {}, `${field}.service`)
    : webhookUrlProblems(url, `${field}.url`);
}

const mostConditions = 64;

/** The problems of the match conditions of a webhook or a policy. */
export function matchConditionProblems(
  conditions: readonly Given<MatchCondition>[],
  field: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (conditions.length > mostConditions) {
    const detail = `must have at most ${mostConditions} items`;
    problems.push({ type: "FieldValueTooMany", field, value: conditions.length, detail });
  }
  const names = new Set<string>();
  for (const [index, { name: sentName, expression = "" }] of conditions.entries()) {
    const at = indexed(field, index);
    const name = textOf(sentName);
    problems.push(...expressionProblems(expression.trim(), `${at}.expression`));
    problems.push(...nameProblems(name, `${at}.name`));
    if (name !== "" && names.has(name)) problems.push(duplicateValue(`${at}.name`, name));
    names.add(name);
  }
  return problems;
}

function expressionProblems(expression: string, field: string): readonly FieldProblem[] {
  if (expression === "") return [required(field)];
  const compiled = compileCondition(expression);
  return isProblem(compiled) ? [invalidValue(field, expression, compiled.problem)] : [];
}

function nameProblems(name: string, field: string): readonly FieldProblem[] {
  if (name === "") return [required(field)];
  return qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem));
}
