import type { ASTNode } from "@marcbachmann/cel-js";

/** A node of an expression with what the evaluator keeps in it beside its published form. */
export interface SyntaxNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
  readonly meta: {
    /** What a macro became. */
    readonly alternate?: SyntaxNode;
    readonly macro?: object;
    readonly evaluate: Evaluate;
  };
  readonly checkedType?: { readonly name: string };
  /** Of operators: what computes the result. */
  readonly handle?: (left: unknown, right: unknown, node: SyntaxNode, evaluator: Evaluator) => unknown;
  setMeta(key: "evaluate", value: Evaluate): SyntaxNode;
}

interface Evaluator {
  run(node: SyntaxNode, scope: unknown): unknown;
}

export type Evaluate = (evaluator: Evaluator, node: SyntaxNode, scope: unknown) => unknown;

/** The pinned version of the evaluator has these fields in every node; its declarations leave them out. */
export function syntaxTree(tree: ASTNode): SyntaxNode {
  return tree as unknown as SyntaxNode;
}

/** All nodes of an expression, those that macros became included, outer ones first. */
export function nodesOf(tree: SyntaxNode): readonly SyntaxNode[] {
  const found = new Set<SyntaxNode>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isNode(value)) {
      found.add(value);
      visit(value.args);
      visit(value.meta.alternate);
      if (value.meta.macro !== undefined) for (const part of Object.values(value.meta.macro)) visit(part);
    } else if (value.constructor === Object) for (const part of Object.values(value)) visit(part);
  };
  visit(tree);
  return [...found];
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "op" in value && "setMeta" in value;
}
