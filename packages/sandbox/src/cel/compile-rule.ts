import type { FieldSchema } from "../schema/field-schema.ts";
import { estimateCost } from "./cost/estimate-cost.ts";
import type { ValueShape } from "./cost/value-shape.ts";
import { declare, schemaType } from "./environment.ts";
import { Budget, BudgetSpentError } from "./language/budget.ts";
import { type CelType, dynType, optionalOf, typeText } from "./language/cel-type.ts";
import { constantProblem } from "./language/check-constants.ts";
import { type CheckedExpression, checkExpression, type Declarations } from "./language/check-expression.ts";
import { literalFindings } from "./language/check-literals.ts";
import { EvaluationFailure } from "./language/evaluation-failure.ts";
import { descendants } from "./language/expression.ts";
import { ExpressionProblem, findingsText } from "./language/expression-problem.ts";
import { parseExpression } from "./language/parse-expression.ts";
import { type Program, planExpression } from "./language/plan-expression.ts";

/** An expression that can be run, again and again. */
export interface CompiledRule {
  readonly expression: string;
  /** Whether it compares with the state before. */
  readonly usesOldSelf: boolean;
  /** What it may cost at most on a value of a shape, as the real server estimates it. */
  mostCost(self: ValueShape): number;
  /** Runs it with a budget, by default that of one call. The variables are values as `celValue` makes them. */
  evaluate(variables: Readonly<Record<string, unknown>>, limit?: number): Evaluation;
}

interface Evaluation {
  /** In the units of the real server. */
  readonly cost: number;
  readonly value?: unknown;
  /** Why there is no value, in the words of the real server. */
  readonly problem?: string;
}

/** What one call may cost. */
const callLimit = 1_000_000;

/** The problem of an expression that would have cost more. */
export const tooExpensive = "operation cancelled: actual cost limit exceeded";

/** Why an expression cannot be used, in the words of the real server. */
export interface CompileProblem {
  readonly problem: string;
}

/** For rules on values of a schema: `self`, and `oldSelf`, which with `isOldSelfOptional` may be empty. */
export function ruleEnvironment(
  schema: FieldSchema,
  isResource: boolean,
  isOldSelfOptional = false,
): Declarations | undefined {
  const found = schemaType(schema, isResource);
  if (found === undefined) return undefined;
  const { type, objects } = found;
  return declare({ self: type, oldSelf: isOldSelfOptional ? optionalOf(type) : type }, objects);
}

export function isProblem(compiled: CompiledRule | CompileProblem): compiled is CompileProblem {
  return "problem" in compiled;
}

/** What an expression is for, and what it must give. */
export type Purpose = "rule" | "messageExpression" | "condition";

/** Checks the expression and the type of its result, and makes it ready to run. */
export function compileRule(
  expression: string,
  declarations: Declarations,
  purpose: Purpose = "rule",
): CompiledRule | CompileProblem {
  const checked = check(expression, declarations);
  if ("problem" in checked) return checked;
  const type = checked.types.get(checked.root) ?? dynType;
  const isMessage = purpose === "messageExpression";
  if (type.name !== (isMessage ? "string" : "bool")) return { problem: wrongResult(type, purpose) };
  const constant = constantProblem(checked);
  if (constant !== undefined) {
    const what = isMessage ? "messageExpression" : "program";
    return { problem: `${what} instantiation failed: ${constant}` };
  }
  const program = planExpression(checked);
  return {
    expression,
    usesOldSelf: descendants(checked.root).some(
      (part) => part.kind === "identifier" && part.name === "oldSelf",
    ),
    mostCost: (self) => estimateCost(checked, self),
    evaluate: (variables, limit = callLimit) => run(program, variables, limit),
  };
}

function wrongResult(type: CelType, purpose: Purpose): string {
  if (purpose === "condition") return `must evaluate to bool but got ${typeText(type)}`;
  return purpose === "rule"
    ? "cel expression must evaluate to a bool"
    : `${purpose} must evaluate to a string`;
}

function check(expression: string, declarations: Declarations): CheckedExpression | CompileProblem {
  try {
    const checked = checkExpression(parseExpression(expression), declarations);
    const findings = checked.findings.length > 0 ? checked.findings : literalFindings(checked);
    if (findings.length === 0) return checked;
    throw new ExpressionProblem(findings);
  } catch (error) {
    if (!(error instanceof ExpressionProblem)) throw error;
    return { problem: `compilation failed: ${findingsText(expression, error.findings)}` };
  }
}

function run(program: Program, variables: Readonly<Record<string, unknown>>, limit: number): Evaluation {
  const budget = new Budget(limit);
  try {
    return { value: program(variables, budget), cost: budget.spent };
  } catch (error) {
    if (error instanceof BudgetSpentError || error instanceof EvaluationFailure)
      return { problem: error.message, cost: budget.spent };
    // What some functions go through, such as that which writes a value as text.
    if (error instanceof RangeError) return { problem: "the value is nested too deeply", cost: budget.spent };
    throw error;
  }
}
