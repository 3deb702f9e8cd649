import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "@keelson/core/kinds/batch/v1";
import { qualifiedNameProblems } from "../../resource/name-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { nonNegative } from "../value-problems.ts";

type GivenSpec = Given<JobSpec>;

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const conditionStates = ["False", "True", "Unknown"];
const mostFailureRules = 20;
const mostConditions = 20;
const mostExitCodes = 255;

/** What a job does when its pods fail. */
export function failurePolicyProblems(spec: GivenSpec, field: string): readonly FieldProblem[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const place = `${field}.rules`;
  return [
    ...(rules.length > mostFailureRules ? [tooMany(place, rules.length, mostFailureRules)] : []),
    ...rules.flatMap((rule, index) => failureRuleProblems(rule, spec, indexed(place, index))),
  ];
}

function failureRuleProblems(
  rule: Given<PodFailurePolicyRule>,
  spec: GivenSpec,
  field: string,
): readonly FieldProblem[] {
  const { action = "", onExitCodes, onPodConditions = [] } = rule;
  const problems: FieldProblem[] = [];
  if (action === "FailIndex") {
    if (spec.backoffLimitPerIndex === undefined) {
      problems.push(invalidValue(`${field}.action`, action, "requires the backoffLimitPerIndex to be set"));
    }
  } else {
    problems.push(...choice(action, actions, `${field}.action`));
  }
  if (onExitCodes !== undefined) {
    problems.push(...exitCodesProblems(onExitCodes, spec, `${field}.onExitCodes`));
  }
  problems.push(...conditionsProblems(onPodConditions, `${field}.onPodConditions`));
  const type = "FieldValueInvalid";
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    problems.push({ type, field, detail });
  } else if (onExitCodes === undefined && onPodConditions.length === 0) {
    problems.push({ type, field, detail: "specifying one of OnExitCodes and OnPodConditions is required" });
  }
  return problems;
}

function exitCodesProblems(
  { operator = "", containerName, values }: Given<PodFailurePolicyOnExitCodesRequirement>,
  { template }: GivenSpec,
  field: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [...choice(operator, operators, `${field}.operator`)];
  const { containers = [], initContainers = [] } = template?.spec ?? {};
  const isKnown = [...containers, ...initContainers].some(({ name }) => name === containerName);
  if (containerName !== undefined && !isKnown) {
    const detail = "must be one of the container or initContainer names in the pod template";
    problems.push(invalidValue(`${field}.containerName`, containerName, detail));
  }
  const place = `${field}.values`;
  const codes = values ?? [];
  if (codes.length === 0)
    problems.push(invalidValue(place, values ?? null, "at least one value is required"));
  if (codes.length > mostExitCodes) problems.push(tooMany(place, codes.length, mostExitCodes));
  for (const [index, code] of codes.entries()) {
    if (operator === "In" && code === 0) {
      problems.push(invalidValue(indexed(place, index), code, "must not be 0 for the In operator"));
    }
    if (codes.indexOf(code) < index) problems.push(duplicateValue(indexed(place, index), code));
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? 0) <= code);
  return isOrdered ? problems : [...problems, invalidValue(place, codes, "must be ordered")];
}

function conditionsProblems(
  patterns: readonly Given<PodFailurePolicyOnPodConditionsPattern>[],
  field: string,
): readonly FieldProblem[] {
  return [
    ...(patterns.length > mostConditions ? [tooMany(field, patterns.length, mostConditions)] : []),
    ...patterns.flatMap(({ type = "", status = "" }, index) => {
      const place = indexed(field, index);
      return [
        ...qualifiedNameProblems(type).map((detail) => invalidValue(`${place}.type`, type, detail)),
        ...choice(status, conditionStates, `${place}.status`),
      ];
    }),
  ];
}

function choice(value: string, known: readonly string[], field: string): readonly FieldProblem[] {
  if (value !== "") return known.includes(value) ? [] : [notSupported(field, value, known)];
  const listed = known.map((one) => JSON.stringify(one)).join(" ");
  return [required(field, `valid values: [${listed}]`)];
}

const mostSuccessRules = 20;

/** When a job has succeeded before all its pods have. */
export function successPolicyProblems(
  { successPolicy, completionMode, completions = 0 }: Given<JobSpec>,
  field: string,
): readonly FieldProblem[] {
  if (successPolicy === undefined) return [];
  const rules = successPolicy.rules ?? [];
  if (completionMode !== "Indexed") {
    const printed = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    const policy = { Rules: successPolicy.rules ? printed : null };
    return [invalidValue(field, policy, "requires indexed completion mode")];
  }
  const place = `${field}.rules`;
  const none = "at least one rules must be specified when the successPolicy is specified";
  return [
    ...(rules.length === 0 ? [required(place, none)] : []),
    ...(rules.length > mostSuccessRules ? [tooMany(place, rules.length, mostSuccessRules)] : []),
    ...rules.flatMap((rule, index) => successRuleProblems(rule, completions, indexed(place, index))),
  ];
}

function successRuleProblems(
  { succeededCount: count, succeededIndexes: indexes }: Given<SuccessPolicyRule>,
  completions: number,
  field: string,
): readonly FieldProblem[] {
  if (count === undefined && indexes === undefined) {
    return [required(field, "at least one of succeededCount or succeededIndexes must be specified")];
  }
  const problems: FieldProblem[] = [];
  const counted = indexes === undefined ? 0 : countIndexes(indexes, completions);
  if (typeof counted === "string") {
    const detail = `error parsing succeededIndexes: ${counted}`;
    problems.push(invalidValue(`${field}.succeededIndexes`, indexes, detail));
  }
  if (count === undefined) return problems;
  const place = `${field}.succeededCount`;
  problems.push(...nonNegative(count, place));
  if (count > completions) {
    const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
    problems.push(invalidValue(place, count, detail));
  }
  const total = typeof counted === "string" ? 0 : counted;
  if (indexes !== undefined && count > total) {
    const what = "the number of indexes in the specified succeededIndexes field";
    problems.push(invalidValue(place, count, `must be less than or equal to ${total} (${what})`));
  }
  return problems;
}

/** How many indexes a text such as `0,2-4` names, or why it names none. */
function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let previous: number | undefined;
  for (const interval of text.split(",")) {
    const parts = interval.split("-");
    if (parts.length > 2) {
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    for (const part of parts) {
      const name = JSON.stringify(part);
      if (!/^\+?\d+$/.test(part)) return `cannot convert string to integer for index: ${name}`;
      if (Number(part) >= completions) return `too large index: ${name}`;
    }
    const [first = 0, last = first] = parts.map(Number);
    if (parts.length > 1 && first >= last) return notIncreasing(first, last);
    if (previous !== undefined && previous >= first) return notIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return total;
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
