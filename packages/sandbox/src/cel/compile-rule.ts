import type { Environment, ParseResult } from "@marcbachmann/cel-js";
import type { FieldSchema } from "../schema/field-schema.ts";
import { estimateCost } from "./cost/estimate-cost.ts";
import type { ValueShape } from "./cost/value-shape.ts";
import { budget, checkedHas, checkingEnvironment, declareType, evaluation } from "./environment.ts";
import { applyKubernetesSemantics } from "./kubernetes-semantics.ts";
import { type CheckError, compileProblem, evaluationProblem } from "./problem-text.ts";
import { isNode, nodesOf, type SyntaxNode, syntaxTree } from "./syntax-tree.ts";

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
  /** Of the budget. */
  readonly cost: number;
  readonly value?: unknown;
  /** Why there is no value, in the words of the real server. */
  readonly problem?: string;
}

/** What one call may cost, in units that are near to those of the real server. */
export const callLimit = 1_000_000;

/** The problem of an expression that would have cost more. */
export const tooExpensive = "operation cancelled: actual cost limit exceeded";

/** Why an expression cannot be used, in the words of the real server. */
export interface CompileProblem {
  readonly problem: string;
}

/** The variables that an expression may name. */
export interface RuleEnvironment {
  readonly checker: Environment;
}

/** For rules on values of a schema: `self`, and `oldSelf`, which with `isOldSelfOptional` may be empty. */
export function ruleEnvironment(
  schema: FieldSchema,
  isResource: boolean,
  isOldSelfOptional = false,
): RuleEnvironment | undefined {
  const checker = checkingEnvironment();
  const type = declareType(checker, schema, "selfType", isResource);
  if (type === undefined) return undefined;
  checker.registerVariable("self", type);
  checker.registerVariable("oldSelf", isOldSelfOptional ? `optional<${type}>` : type);
  return { checker };
}

/** For expressions on values of which nothing is known beforehand. */
export function untypedEnvironment(variables: Readonly<Record<string, string>>): RuleEnvironment {
  const checker = checkingEnvironment();
  for (const [name, type] of Object.entries(variables)) checker.registerVariable(name, type);
  return { checker };
}

export function isProblem(compiled: CompiledRule | CompileProblem): compiled is CompileProblem {
  return "problem" in compiled;
}

/** Checks the expression and the type of its result, and makes it ready to run. */
export function compileRule(
  expression: string,
  { checker }: RuleEnvironment,
  result: "bool" | "string" = "bool",
): CompiledRule | CompileProblem {
  const ofChecker = checked(expression, checker);
  if ("problem" in ofChecker) return ofChecker;
  const { type, tree: typedTree } = ofChecker;
  if (type !== result && type !== "dyn") {
    const what = result === "bool" ? "cel expression" : "messageExpression";
    return { problem: `${what} must evaluate to a ${result}` };
  }
  const parsed = parse(expression, evaluation);
  if ("problem" in parsed) return parsed;
  const found = parsed.check();
  const tree = syntaxTree(parsed.ast);
  if (!found.valid && found.error !== undefined) return failed(expression, found.error, parsed);
  applyKubernetesSemantics(tree, budget);
  const usesOldSelf = nodesOf(tree).some(({ op, args }) => op === "id" && args === "oldSelf");
  return {
    expression,
    usesOldSelf,
    mostCost: (self) => estimateCost(typedTree, self),
    evaluate: (variables, limit = callLimit) => run(parsed, variables, limit),
  };
}

function run(parsed: ParseResult, variables: Readonly<Record<string, unknown>>, limit: number): Evaluation {
  budget.refill(limit);
  let outcome: { readonly value: unknown } | { readonly problem: string };
  try {
    outcome = { value: parsed({ ...variables }) };
  } catch (error) {
    outcome = { problem: evaluationProblem(error) };
  }
  if (budget.isSpent) outcome = { problem: tooExpensive };
  return { ...outcome, cost: limit - budget.left };
}

interface Checked {
  /** Of the result. */
  readonly type: string;
  readonly tree: SyntaxNode;
}

function checked(expression: string, checker: Environment): Checked | CompileProblem {
  const parsed = parse(expression.replaceAll(/\bhas\(/g, `${checkedHas}(`), checker, expression);
  if ("problem" in parsed) return parsed;
  const { error, type = "dyn" } = parsed.check();
  if (error === undefined) return { type, tree: syntaxTree(parsed.ast) };
  if (!isInsideFormat(error, parsed)) return failed(expression, error, parsed);
  return checked(expression, checker.clone({ homogeneousAggregateLiterals: false }));
}

/** Lists must have elements of one type, except those that texts are formatted with. */
function isInsideFormat(error: CheckError, parsed: ParseResult): boolean {
  if (error.code !== "heterogeneous_list_element") return false;
  return nodesOf(syntaxTree(parsed.ast)).some(
    ({ op, args }) =>
      op === "rcall" &&
      Array.isArray(args) &&
      args[0] === "format" &&
      [args[2]].flat().some((one) => isNode(one) && nodesOf(one).some((node) => node === error.node)),
  );
}

function parse(text: string, environment: Environment, shown = text): ParseResult | CompileProblem {
  try {
    return environment.parse(text);
  } catch (error) {
    return failed(shown, isCheckError(error) ? error : { code: "", summary: String(error) });
  }
}

function failed(expression: string, error: CheckError, parsed?: ParseResult): CompileProblem {
  const tree = parsed && syntaxTree(parsed.ast);
  return { problem: `compilation failed: ${compileProblem(expression, error, tree)}` };
}

function isCheckError(error: unknown): error is CheckError {
  return error instanceof Error && "summary" in error && "code" in error;
}
