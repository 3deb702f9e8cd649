import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  QueuingConfiguration,
  ResourcePolicyRule,
  Subject,
} from "@keelson/core/kinds/flowcontrol/v1";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { dnsLabel, dnsSubdomain, requiredText } from "../value-problems.ts";

type SchemaSpec = NonNullable<Given<FlowSchema>["spec"]>;
type LevelSpec = NonNullable<Given<PriorityLevelConfiguration>["spec"]>;

const mostPrecedence = 10_000;
const distinguishers = ["ByNamespace", "ByUser"];

export function flowSchemaProblems(spec: SchemaSpec, name: string): readonly FieldProblem[] {
  const { matchingPrecedence = 0, distinguisherMethod, rules = [] } = spec;
  const level = spec.priorityLevelConfiguration?.name ?? "";
  const field = "spec.matchingPrecedence";
  const problems: FieldProblem[] = [];
  if (matchingPrecedence <= 0) {
    problems.push(invalidValue(field, matchingPrecedence, "must be a positive value"));
  }
  if (matchingPrecedence > mostPrecedence) {
    problems.push(invalidValue(field, matchingPrecedence, `must not be greater than ${mostPrecedence}`));
  }
  if (matchingPrecedence === 1 && name !== "exempt") {
    const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
    problems.push(invalidValue(field, matchingPrecedence, detail));
  }
  const method = distinguisherMethod?.type ?? "";
  if (distinguisherMethod !== undefined && !distinguishers.includes(method)) {
    problems.push(notSupported("spec.distinguisherMethod.type", { Type: method }, distinguishers));
  }
  const place = "spec.priorityLevelConfiguration.name";
  if (level === "") problems.push(required(place, "must reference a priority level"));
  else problems.push(...dnsSubdomain(level, place));
  return [...problems, ...rules.flatMap((rule, index) => ruleProblems(rule, indexed("spec.rules", index)))];
}

function ruleProblems(rule: Given<PolicyRulesWithSubjects>, field: string): readonly FieldProblem[] {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rule;
  const hasRules = resourceRules.length + nonResourceRules.length > 0;
  return [
    ...(subjects.length === 0
      ? [required(`${field}.subjects`, "subjects must contain at least one value")]
      : subjects.flatMap((subject, index) => subjectProblems(subject, indexed(`${field}.subjects`, index)))),
    ...(hasRules
      ? []
      : [required(field, "at least one of resourceRules and nonResourceRules has to be non-empty")]),
    ...resourceRules.flatMap((one, index) => resourceProblems(one, indexed(`${field}.resourceRules`, index))),
    ...nonResourceRules.flatMap((one, index) =>
      urlRuleProblems(one, indexed(`${field}.nonResourceRules`, index)),
    ),
  ];
}

/** The field of a subject that its kind needs; no other one may be set. */
const subjectFields = { Group: "group", ServiceAccount: "serviceAccount", User: "user" } as const;
type SubjectKind = keyof typeof subjectFields;
/** In the order in which the server looks for the others. */
const otherKinds: Readonly<Record<SubjectKind, readonly SubjectKind[]>> = {
  ServiceAccount: ["User", "Group"],
  User: ["ServiceAccount", "Group"],
  Group: ["ServiceAccount", "User"],
};

function subjectProblems(subject: Given<Subject>, field: string): readonly FieldProblem[] {
  const { kind = "" } = subject;
  if (!isSubjectKind(kind)) {
    return [notSupported(`${field}.kind`, kind, Object.keys(subjectFields))];
  }
  const own = subjectFields[kind];
  const others = otherKinds[kind].filter((other) => subject[subjectFields[other]] !== undefined);
  return [
    ...(subject[own] === undefined
      ? [required(`${field}.${own}`, `${own} is required when subject kind is '${kind}'`)]
      : namedProblems(subject, kind, `${field}.${own}`)),
    ...others.map((other) => {
      const name = subjectFields[other];
      return forbiddenField(`${field}.${name}`, `${name} is forbidden when subject kind is not '${other}'`);
    }),
  ];
}

function isSubjectKind(kind: string): kind is SubjectKind {
  return Object.hasOwn(subjectFields, kind);
}

function namedProblems(subject: Given<Subject>, kind: SubjectKind, field: string): readonly FieldProblem[] {
  const { name = "" } = subject[subjectFields[kind]] ?? {};
  if (kind !== "ServiceAccount") return name === "" ? [required(`${field}.name`)] : [];
  const { namespace = "" } = subject.serviceAccount ?? {};
  return [
    ...(name === "*" ? [] : requiredText(name, `${field}.name`, dnsSubdomain)),
    ...(namespace === ""
      ? [required(`${field}.namespace`, "must specify namespace for service account")]
      : dnsLabel(namespace, `${field}.namespace`)),
  ];
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function verbsProblems(given: readonly string[], field: string): readonly FieldProblem[] {
  if (given.length === 0) return [required(field, "verbs must contain at least one value")];
  if (given.includes("*")) return onlyWildcard(given, field, "verbs");
  return given.every((verb) => verbs.includes(verb)) ? [] : [notSupported(field, given, verbs)];
}

function onlyWildcard(list: readonly string[], field: string, what: string): readonly FieldProblem[] {
  const detail = `if '*' is present, must not specify other ${what}`;
  return list.length > 1 && list.includes("*") ? [invalidValue(field, list, detail)] : [];
}

function resourceProblems(rule: Given<ResourcePolicyRule>, field: string): readonly FieldProblem[] {
  const { apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule;
  const place = `${field}.namespaces`;
  const missing = "resource rules that are not cluster scoped must supply at least one namespace";
  return [
    ...verbsProblems(rule.verbs ?? [], `${field}.verbs`),
    ...(apiGroups.length === 0
      ? [required(`${field}.apiGroups`, "resource rules must supply at least one api group")]
      : onlyWildcard(apiGroups, `${field}.apiGroups`, "api groups")),
    ...(resources.length === 0
      ? [required(`${field}.resources`, "resource rules must supply at least one resource")]
      : onlyWildcard(resources, `${field}.resources`, "resources")),
    ...(namespaces.length === 0 && !clusterScope ? [required(place, missing)] : []),
    ...(namespaces.includes("*")
      ? onlyWildcard(namespaces, place, "namespaces")
      : namespaces.flatMap((name, index) =>
          dnsLabelProblems(name).map((why) =>
            invalidValue(
              indexed(place, index),
              name,
              `each member of this list must be '*' or a DNS-1123 label; ${why}`,
            ),
          ),
        )),
  ];
}

function urlRuleProblems(rule: Given<NonResourcePolicyRule>, field: string): readonly FieldProblem[] {
  const { nonResourceURLs: urls = [] } = rule;
  const place = `${field}.nonResourceURLs`;
  const missing = "nonResourceURLs must contain at least one value";
  return [
    ...verbsProblems(rule.verbs ?? [], `${field}.verbs`),
    ...(urls.length === 0 ? [required(place, missing)] : []),
    ...(urls.includes("*")
      ? onlyWildcard(urls, place, "non-resource URLs")
      : urls.flatMap((url, index) => {
          const problem = urlProblem(url);
          return problem === undefined ? [] : [invalidValue(indexed(place, index), url, problem)];
        })),
  ];
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const wildcards = url.split("*").length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith("/*"))
    ? "wildcard can only do suffix matching"
    : undefined;
}

const levelTypes = ["Exempt", "Limited"];

export function priorityLevelProblems(spec: LevelSpec, name: string): readonly FieldProblem[] {
  const { type = "", limited, exempt } = spec;
  const isMismatch = (name === "exempt") !== (type === "Exempt");
  const exemptOnly = "must be 'Exempt' if and only if `name` is 'exempt'";
  const problems = isMismatch ? [invalidValue("spec.type", type, exemptOnly)] : [];
  if (type === "Exempt") {
    if (limited !== undefined) {
      problems.push(forbiddenField("spec.limited", "must be nil if the type is not Limited"));
    }
    const shares = exempt?.nominalConcurrencyShares ?? 0;
    return [
      ...problems,
      ...sharesProblems(shares, "spec.exempt"),
      ...lendableProblems(exempt?.lendablePercent, "spec.exempt"),
    ];
  }
  if (type !== "Limited") return [...problems, notSupported("spec.type", type, levelTypes)];
  if (exempt !== undefined) {
    problems.push(forbiddenField("spec.exempt", "must be nil if the type is Limited"));
  }
  return limited === undefined
    ? [...problems, required("spec.limited", "must not be empty when type is Limited")]
    : [...problems, ...limitedProblems(limited, "spec.limited")];
}

function sharesProblems(shares: number, field: string): readonly FieldProblem[] {
  return shares < 0
    ? [invalidValue(`${field}.nominalConcurrencyShares`, shares, "must be a non-negative integer")]
    : [];
}

function lendableProblems(percent: number | undefined, field: string): readonly FieldProblem[] {
  return percent === undefined || (percent >= 0 && percent <= 100)
    ? []
    : [invalidValue(`${field}.lendablePercent`, percent, "must be between 0 and 100, inclusive")];
}

const responseTypes = ["Queue", "Reject"];

function limitedProblems(
  limited: Given<LimitedPriorityLevelConfiguration>,
  field: string,
): readonly FieldProblem[] {
  const { limitResponse = {}, borrowingLimitPercent: borrowed = 0 } = limited;
  return [
    ...sharesProblems(limited.nominalConcurrencyShares ?? 0, field),
    ...responseProblems(limitResponse, `${field}.limitResponse`),
    ...lendableProblems(limited.lendablePercent, field),
    ...(borrowed < 0
      ? [
          invalidValue(
            `${field}.borrowingLimitPercent`,
            borrowed,
            "if specified, must be a non-negative integer",
          ),
        ]
      : []),
  ];
}

function responseProblems(
  { type = "", queuing }: NonNullable<Given<LimitedPriorityLevelConfiguration>["limitResponse"]>,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.queuing`;
  if (type === "Reject") {
    const detail = "must be nil if limited.limitResponse.type is not Limited";
    return queuing === undefined ? [] : [forbiddenField(place, detail)];
  }
  if (type !== "Queue") return [notSupported(`${field}.type`, type, responseTypes)];
  return queuing === undefined
    ? [required(place, "must not be empty if limited.limitResponse.type is Limited")]
    : queuingProblems(queuing, place);
}

const mostQueues = 10_000_000;
const mostHashBits = 60;

function queuingProblems(
  { queueLengthLimit = 0, queues = 0, handSize = 0 }: Given<QueuingConfiguration>,
  field: string,
): readonly FieldProblem[] {
  const problem = (name: string, value: number, detail: string): FieldProblem =>
    invalidValue(`${field}.${name}`, value, detail);
  const problems: FieldProblem[] = [];
  if (queueLengthLimit <= 0) problems.push(problem("queueLengthLimit", queueLengthLimit, "must be positive"));
  if (queues <= 0) problems.push(problem("queues", queues, "must be positive"));
  else if (queues > mostQueues)
    problems.push(problem("queues", queues, `must not be greater than ${mostQueues}`));
  const isTooLarge = Math.ceil(Math.log2(queues) * handSize) > mostHashBits;
  if (handSize <= 0) problems.push(problem("handSize", handSize, "must be positive"));
  else if (handSize > queues) {
    problems.push(problem("handSize", handSize, `should not be greater than queues (${queues})`));
  } else if (isTooLarge) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostHashBits}`;
    problems.push(problem("handSize", handSize, detail));
  }
  return problems;
}
