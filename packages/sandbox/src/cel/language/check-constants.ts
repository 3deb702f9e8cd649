import { goPattern } from "../../schema/go-pattern.ts";
import { Budget } from "./budget.ts";
import { typeNameOf } from "./cel-values.ts";
import type { CheckedExpression, ResolvedCall } from "./check-expression.ts";
import { conversionNames } from "./constant-expression.ts";
import { EvaluationFailure, noSuchOverload } from "./evaluation-failure.ts";
import { descendants, type Expression, type Literal } from "./expression.ts";
import { planExpression } from "./plan-expression.ts";

const patterns: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

/**
 * What is wrong with calls that are computed before an expression runs: conversions of literals, and patterns.
 * Undefined if nothing is.
 */
export function constantProblem(checked: CheckedExpression): string | undefined {
  // Arguments are computed before the calls that they are of.
  for (const part of descendants(checked.root).toReversed()) {
    const problem = problemOf(checked, part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(checked: CheckedExpression, expression: Expression): string | undefined {
  const call = checked.calls.get(expression);
  if (call === undefined) return undefined;
  const [first, second] = call.args;
  if (conversionNames.has(call.name) && first?.kind === "literal" && second === undefined)
    return conversionProblem(checked, expression, call, first);
  return patterns.has(call.name) && second?.kind === "literal" ? patternProblem(second) : undefined;
}

function conversionProblem(
  checked: CheckedExpression,
  root: Expression,
  { name }: ResolvedCall,
  { value }: Literal,
): string | undefined {
  try {
    planExpression({ ...checked, root })({}, new Budget(Number.POSITIVE_INFINITY));
    return undefined;
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return error.message === noSuchOverload
      ? `${noSuchOverload}: ${name}(${typeNameOf(value)})`
      : error.message;
  }
}

function patternProblem({ value }: Literal): string | undefined {
  if (typeof value !== "string") return undefined;
  try {
    goPattern(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
