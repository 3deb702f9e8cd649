/** What an expression can state itself: int is a `bigint`, double a `number`. */
export type LiteralValue = null | boolean | bigint | number | string | Uint8Array | UnsignedLiteral;

/** `1u` */
interface UnsignedLiteral {
  readonly unsigned: bigint;
}

/** A parsed expression with its macros expanded. The offset is where messages mark it. */
export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListExpression
  | MapExpression
  | ObjectExpression
  | Comprehension;

interface Located {
  readonly offset: number;
}

export interface Literal extends Located {
  readonly kind: "literal";
  readonly value: LiteralValue;
}

export interface Identifier extends Located {
  readonly kind: "identifier";
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)`. */
export interface Select extends Located {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  readonly isTest: boolean;
}

/** Operators are calls too, by the names that messages use: `_&&_`. */
export interface Call extends Located {
  readonly kind: "call";
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
}

export interface ListExpression extends Located {
  readonly kind: "list";
  readonly elements: readonly OptionalPart[];
}

/** With `?` before it, only there if its value is. */
export interface OptionalPart {
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface MapExpression extends Located {
  readonly kind: "map";
  readonly entries: readonly (OptionalPart & { readonly key: Expression })[];
}

/** `Type{field: value}` */
export interface ObjectExpression extends Located {
  readonly kind: "object";
  readonly typeName: string;
  readonly fields: readonly (OptionalPart & { readonly field: string; readonly offset: number })[];
}

/** A loop over a list or map, which macros become. */
export interface Comprehension extends Located {
  readonly kind: "comprehension";
  readonly range: Expression;
  readonly variable: string;
  /** The value, where the first one is the index or key. */
  readonly secondVariable?: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** The name of the accumulator of macros; no expression can write it. */
export const hiddenAccumulator = "@result";

/** What an expression is made of directly. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "identifier":
      return [];
    case "select":
      return [expression.operand];
    case "call":
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args];
    case "list":
      return expression.elements.map(({ value }) => value);
    case "map":
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case "object":
      return expression.fields.map(({ value }) => value);
    case "comprehension": {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
  }
}

/**
 * All parts of an expression, outer ones first, without those below a part that is left out. Macros use a part twice,
 * in a chain twice as often with every link, so each is visited once.
 */
export function descendants(
  root: Expression,
  isLeftOut: (part: Expression) => boolean = () => false,
): readonly Expression[] {
  const found = new Set<Expression>();
  const visit = (part: Expression): void => {
    if (found.has(part) || isLeftOut(part)) return;
    found.add(part);
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(root);
  return [...found];
}

/** `a.b.c` as one name; undefined for everything else. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  if (expression.kind !== "select" || expression.isTest) return undefined;
  const outer = qualifiedName(expression.operand);
  return outer === undefined ? undefined : `${outer}.${expression.field}`;
}
