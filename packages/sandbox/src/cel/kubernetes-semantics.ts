import { type Budget, failure } from "./functions/library.ts";
import { patternOf } from "./functions/strings.ts";
import { celEquals, concatLists } from "./list-kinds.ts";
import { type Evaluate, isNode, nodesOf, type SyntaxNode } from "./syntax-tree.ts";

/**
 * Changes a checked expression so that it runs as in Kubernetes: equality and `+` respect the types of lists, of two
 * errors the first is reported, and every round of a comprehension is paid for from the budget.
 */
export function applyKubernetesSemantics(tree: SyntaxNode, budget: Budget): void {
  for (const node of nodesOf(tree)) {
    if (node.op === "==" || node.op === "!=") node.setMeta("evaluate", equality(node.op === "=="));
    else if (node.op === "+") node.setMeta("evaluate", addition);
    else if (node.op === "||" || node.op === "&&") node.setMeta("evaluate", junction(node.op === "||"));
    else if (node.op === "comprehension") limit(node, budget);
    else if (node.op === "rcall" && Array.isArray(node.args) && node.args[0] === "matches")
      node.setMeta("evaluate", matching);
  }
}

function operands(node: SyntaxNode): readonly [SyntaxNode, SyntaxNode] {
  const [left, right] = Array.isArray(node.args) ? node.args : [];
  if (isNode(left) && isNode(right)) return [left, right];
  throw new TypeError(`operator ${node.op} without two operands`);
}

function isComposite(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === "object" && value?.constructor === Object);
}

function equality(isEqual: boolean): Evaluate {
  return (evaluator, node, scope) => {
    const [left, right] = operands(node);
    const a = evaluator.run(left, scope);
    const b = evaluator.run(right, scope);
    if (isComposite(a) || isComposite(b) || a === null || b === null) return celEquals(a, b) === isEqual;
    return node.handle?.(a, b, node, evaluator);
  };
}

const addition: Evaluate = (evaluator, node, scope) => {
  const [left, right] = operands(node);
  const a = evaluator.run(left, scope);
  const b = evaluator.run(right, scope);
  if (Array.isArray(a) && Array.isArray(b)) return concatLists(a, b);
  return node.handle?.(a, b, node, evaluator);
};

/** The evaluator's own function runs patterns of JavaScript, some of which never end. */
const matching: Evaluate = (evaluator, { args }, scope) => {
  const [, receiver, given] = Array.isArray(args) ? args : [];
  const [pattern] = Array.isArray(given) ? given : [];
  if (!isNode(receiver) || !isNode(pattern)) throw failure("no such overload");
  const [text, expression] = [evaluator.run(receiver, scope), evaluator.run(pattern, scope)];
  if (typeof text !== "string" || typeof expression !== "string") throw failure("no such overload");
  return patternOf(expression).test(text);
};

/** One side that decides is enough, whatever is wrong with the other; else the first error counts. */
function junction(decides: boolean): Evaluate {
  return (evaluator, node, scope) => {
    const [left, right] = operands(node);
    let first: unknown;
    let error: unknown;
    try {
      first = evaluator.run(left, scope);
      if (first === decides) return decides;
    } catch (caught) {
      error = caught;
    }
    const second = secondOf(() => evaluator.run(right, scope), error);
    if (second === decides) return decides;
    if (error !== undefined) throw error;
    if (typeof first !== "boolean" || typeof second !== "boolean") throw failure("no such overload");
    return !decides;
  };
}

function secondOf(run: () => unknown, firstError: unknown): unknown {
  try {
    return run();
  } catch (error) {
    throw firstError ?? error;
  }
}

/** Quantifiers go on after an error, so one that begins when nothing is left must not begin at all. */
function limit(node: SyntaxNode, budget: Budget): void {
  const run = node.meta.evaluate;
  node.setMeta("evaluate", (evaluator, self, scope) => {
    budget.spend(1);
    return run(evaluator, self, scope);
  });
  const step = stepOf(node);
  if (step === undefined) return;
  const price = nodesOf(step).length;
  const runStep = step.meta.evaluate;
  step.setMeta("evaluate", (evaluator, self, scope) => {
    budget.spend(price);
    return runStep(evaluator, self, scope);
  });
}

function stepOf({ args }: SyntaxNode): SyntaxNode | undefined {
  const step = typeof args === "object" && args !== null && "step" in args ? args.step : undefined;
  return isNode(step) ? step : undefined;
}
