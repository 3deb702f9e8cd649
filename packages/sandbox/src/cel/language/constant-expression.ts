import type { Expression } from "./expression.ts";

/** What is computed once, before the expression runs: literals, lists and maps of them, and their conversions. */
export function isConstant(expression: Expression): boolean {
  switch (expression.kind) {
    case "literal":
      return true;
    case "list":
      return expression.elements.every(({ value, isOptional }) => !isOptional && isConstant(value));
    case "map":
      return expression.entries.every(
        ({ key, value, isOptional }) => !isOptional && isConstant(key) && isConstant(value),
      );
    case "call": {
      const [argument, ...others] = expression.args;
      const isConversion = conversionNames.has(expression.name) && expression.target === undefined;
      return isConversion && argument?.kind === "literal" && others.length === 0;
    }
    default:
      return false;
  }
}

/** Functions that convert a value to another type. */
export const conversionNames: ReadonlySet<string> = new Set([
  ...["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"],
]);
