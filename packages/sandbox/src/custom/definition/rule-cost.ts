import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import { type CompiledRule, type CompileProblem, isProblem } from "../../cel/compile-rule.ts";
import { mostOccurrences, type ValueShape } from "../../cel/cost/value-shape.ts";
import { type FieldProblem, forbiddenField } from "../../status/field-problem.ts";

const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;
/** Cheaper ones are not named where all together cost too much. */
const leastNamed = schemaLimit / 100;
const mostNamed = 4;

/** What a rule may cost at most for one object, which may have many values that the rule is about. */
export function ruleCost(
  compiled: CompiledRule | CompileProblem,
  shape: ValueShape,
  /** Undefined if only the size of a request limits them. */
  occurrences: number | undefined,
): number {
  if (isProblem(compiled)) return 0;
  return compiled.mostCost(shape) * (occurrences ?? mostOccurrences(shape));
}

/** How many values there are below each value of a schema; undefined if it sets no limit. */
export function elementLimit(schema: JSONSchemaProps): number | undefined {
  if (schema.type === "array") return schema.maxItems;
  const isMap = schema.type === "object" && schema.additionalProperties !== undefined;
  return isMap ? schema.maxProperties : 1;
}

/** Adds up what the rules of one schema may cost. */
export class RuleCosts {
  #total = 0;
  readonly #named: { readonly field: string; readonly cost: number }[] = [];

  /** Counts an expression, and gives what is wrong if it is too expensive for itself. */
  add(what: string, field: string, cost: number): readonly FieldProblem[] {
    this.#total += cost;
    if (cost >= leastNamed) this.#named.push({ field, cost });
    return cost > ruleLimit ? [forbiddenField(field, excess(`estimated ${what} cost`, cost, ruleLimit))] : [];
  }

  /** What is wrong with all rules together. */
  problems(field: string): readonly FieldProblem[] {
    if (this.#total <= schemaLimit) return [];
    const part = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const whole = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#named
        .toSorted((one, other) => other.cost - one.cost)
        .slice(0, mostNamed)
        .map((rule) => forbiddenField(rule.field, part)),
      forbiddenField(field, excess(whole, this.#total, schemaLimit)),
    ];
  }
}

function excess(what: string, cost: number, limit: number): string {
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${factorText(cost / limit)} (${advice})`;
}

function factorText(factor: number): string {
  if (factor > 100) return "more than 100x";
  return `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
}
