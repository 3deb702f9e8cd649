import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
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
import type { Given } from "../given.ts";

type GivenSpec = Given<JobSpec>;

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const conditionStates = ["False", "True", "Unknown"];
const mostRules = 20;
const mostConditions = 20;
const mostExitCodes = 255;

/** What a job does when its pods fail. */
export function failurePolicyProblems(spec: GivenSpec, field: string): readonly FieldProblem[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const place = `${field}.rules`;
  return [
    ...(rules.length > mostRules ? [tooMany(place, rules.length, mostRules)] : []),
    ...rules.flatMap((rule, index) => ruleProblems(rule, spec, indexed(place, index))),
  ];
}

function ruleProblems(
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
  const isKnown = [...containers, ...initContainers].some(({ name = "" }) => name === containerName);
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
