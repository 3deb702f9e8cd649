import type { PodDisruptionBudget } from "@keelson/core/kinds/policy/v1";
import { labelSelectorProblems } from "../../resource/label-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, notSupported } from "../../status/field-problem.ts";
import { builtinStrategy, type GivenObject } from "../builtin-strategy.ts";
import { atMost100Percent, countOrPercent, nonNegativeFields } from "../value-problems.ts";

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

export const disruptionBudgetStrategy: Strategy = builtinStrategy<PodDisruptionBudget>({
  countsGenerations: true,
  allowsUnconditionalUpdate: false,
  setDefaults(budget) {
    budget.spec ??= {};
  },
  prepareForCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validate: budgetProblems,
  validateStatusUpdate: ({ status = {} }) =>
    nonNegativeFields(status, "status", [
      "disruptionsAllowed",
      "currentHealthy",
      "desiredHealthy",
      "expectedPods",
    ]),
});

function budgetProblems({ spec = {} }: GivenObject<PodDisruptionBudget>): readonly FieldProblem[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const problems: FieldProblem[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const printed = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: policy ?? null,
    };
    problems.push(invalidValue("spec", printed, "minAvailable and maxUnavailable cannot be both set"));
  }
  problems.push(...countOrPercent(minAvailable, "spec.minAvailable"));
  problems.push(...atMost100Percent(minAvailable, "spec.minAvailable"));
  problems.push(...countOrPercent(maxUnavailable, "spec.maxUnavailable"));
  problems.push(...atMost100Percent(maxUnavailable, "spec.maxUnavailable"));
  problems.push(...labelSelectorProblems(selector, "spec.selector"));
  if (policy !== undefined && !evictionPolicies.includes(policy)) {
    problems.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies));
  }
  return problems;
}
