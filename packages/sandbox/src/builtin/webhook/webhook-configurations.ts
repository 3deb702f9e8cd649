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
import { dnsSubdomainProblems, outsideOf, qualifiedNameProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
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
  if (resources.length === 0) problems.push(required(`${field}.resources`));
  if (resources.length > 1 && resources.includes("*/*")) {
    const detail = "if '*/*' is present, must not specify other resources";
    problems.push(invalidValue(`${field}.resources`, resources, detail));
  }
  return [...problems, ...choice(scope, ["*", "Cluster", "Namespaced"], `${field}.scope`)];
}

function wildcardListProblems(list: readonly string[], field: string, what: string): readonly FieldProblem[] {
  if (list.length === 0) return [required(field)];
  const detail = `if '*' is present, must not specify other ${what}`;
  return list.length > 1 && list.includes("*") ? [invalidValue(field, list, detail)] : [];
}

function reviewVersionsProblems(given: GivenHook, hook: string): FieldProblem[] {
  const admissionReviewVersions = given.admissionReviewVersions ?? [];
  const field = `${hook}.admissionReviewVersions`;
  if (admissionReviewVersions.length === 0) return [required(field, "must specify one of v1, v1beta1")];
  const problems = admissionReviewVersions.flatMap((version, index) =>
    admissionReviewVersions.indexOf(version) < index
      ? [invalidValue(indexed(field, index), version, "duplicate version")]
      : [],
  );
  if (!admissionReviewVersions.some((version) => version === "v1" || version === "v1beta1")) {
    problems.push(invalidValue(field, admissionReviewVersions, "must include at least one of v1, v1beta1"));
  }
  return problems;
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
    ? serviceProblems(service ?? {}, `${field}.service`)
    : urlProblems(url, `${field}.url`);
}

function serviceProblems(
  { name, namespace, path, port = 443 }: NonNullable<Given<WebhookClientConfig>["service"]>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(name ? [] : [required(`${field}.name`, "service name is required")]),
    ...(namespace ? [] : [required(`${field}.namespace`, "service namespace is required")]),
    ...(port < 1 || port > 65535
      ? [invalidValue(`${field}.port`, port, `port is not valid: ${outsideOf(1, 65535)}`)]
      : []),
    ...(path === undefined || path.startsWith("/")
      ? []
      : [invalidValue(`${field}.path`, path, "must start with a '/'")]),
  ];
}

function userOf({ username, password }: URL): string {
  return password === "" ? username : `${username}:${password}`;
}

const urlForm = "desired format: https://host[/path]";

function urlProblems(url: string, field: string): readonly FieldProblem[] {
  const parsed = URL.parse(url);
  if (parsed === null) return [required(field, `url must be a valid URL: ${urlForm}`)];
  const problems: FieldProblem[] = [];
  if (parsed.protocol !== "https:") {
    const scheme = parsed.protocol.slice(0, -1);
    const detail = `'https' is the only allowed URL scheme; ${urlForm}`;
    problems.push(invalidValue(field, scheme, detail));
  }
  if (parsed.hostname === "") problems.push(invalidValue(field, "", `host must be specified; ${urlForm}`));
  if (parsed.username !== "" || parsed.password !== "") {
    problems.push(invalidValue(field, userOf(parsed), "user information is not permitted in the URL"));
  }
  const fragment = parsed.hash.slice(1);
  if (fragment !== "") problems.push(invalidValue(field, fragment, "fragments are not permitted in the URL"));
  const query = parsed.search.slice(1);
  if (query !== "")
    problems.push(invalidValue(field, query, "query parameters are not permitted in the URL"));
  return problems;
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
