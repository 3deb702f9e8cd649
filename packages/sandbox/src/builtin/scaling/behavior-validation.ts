import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingPolicy,
  HPAScalingRules,
} from "@keelson/core/kinds/autoscaling/v2";
import {
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../given.ts";
import { readAmount } from "../pod/resource-amounts.ts";

const longestWindow = 3600;
const longestPeriod = 1800;
const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

/** How fast an autoscaler may scale. */
export function behaviorProblems(
  { scaleUp, scaleDown }: Given<HorizontalPodAutoscalerBehavior>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(scaleUp === undefined ? [] : rulesProblems(scaleUp, `${field}.scaleUp`)),
    ...(scaleDown === undefined ? [] : rulesProblems(scaleDown, `${field}.scaleDown`)),
  ];
}

function rulesProblems(rules: Given<HPAScalingRules>, field: string): readonly FieldProblem[] {
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const problems: FieldProblem[] = [];
  const place = `${field}.stabilizationWindowSeconds`;
  if (window < 0) problems.push(invalidValue(place, window, "must be greater than or equal to zero"));
  if (window > longestWindow) {
    problems.push(invalidValue(place, window, `must be less than or equal to ${longestWindow}`));
  }
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)) {
    problems.push(notSupported(`${field}.selectPolicy`, selectPolicy, selectPolicies));
  }
  if (policies.length === 0) {
    problems.push(required(`${field}.policies`, "must specify at least one Policy"));
  }
  problems.push(
    ...policies.flatMap((policy, index) => policyProblems(policy, indexed(`${field}.policies`, index))),
  );
  const amount = tolerance === undefined ? undefined : readAmount(tolerance);
  if (amount !== undefined && amount.nanos < 0n) {
    problems.push(invalidValue(`${field}.tolerance`, tolerance, "must be greater than or equal to 0"));
  }
  return problems;
}

function policyProblems(
  { type = "", value = 0, periodSeconds = 0 }: Given<HPAScalingPolicy>,
  field: string,
): readonly FieldProblem[] {
  const place = `${field}.periodSeconds`;
  return [
    ...(policyTypes.includes(type) ? [] : [notSupported(`${field}.type`, type, policyTypes)]),
    ...(value > 0 ? [] : [invalidValue(`${field}.value`, value, "must be greater than zero")]),
    ...(periodSeconds > 0 ? [] : [invalidValue(place, periodSeconds, "must be greater than zero")]),
    ...(periodSeconds > longestPeriod
      ? [invalidValue(place, periodSeconds, `must be less than or equal to ${longestPeriod}`)]
      : []),
  ];
}
