import type { MatchCondition } from "@keelson/core/kinds/admissionregistration/v1";
import { isProblem } from "../../cel/compile-rule.ts";
import { compileCondition } from "../../cel/evaluate-condition.ts";
import { qualifiedNameProblems } from "../../resource/name-problems.ts";
import {
  duplicateValue,
  type FieldProblem,
  indexed,
  invalidValue,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../given.ts";

const mostConditions = 64;

/** What is wrong with the conditions under which a webhook or a policy is asked. */
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
  for (const [index, { name = "", expression = "" }] of conditions.entries()) {
    const at = indexed(field, index);
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
