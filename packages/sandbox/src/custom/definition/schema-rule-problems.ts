import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import { type CompiledRule, type CompileProblem, isProblem } from "../../cel/compile-rule.ts";
import { mostOccurrences, shapeOf, type ValueShape } from "../../cel/cost/value-shape.ts";
import { resolveFieldPath } from "../../cel/field-path.ts";
import { compileRules } from "../../cel/rule-tree.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { fieldSchemaOf, goRule } from "./definition.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** What is wrong with the rules of a schema before they are read as CEL. */
export function ruleFormProblems(schema: JSONSchemaProps, path: string): readonly FieldProblem[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
    const problems: FieldProblem[] = [...textProblems(rule.rule ?? "", message, at)];
    if (messageExpression !== "" && messageExpression.trim() === "") {
      problems.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
    }
    if (reason !== undefined && !reasons.includes(reason)) {
      problems.push(notSupported(`${at}.reason`, reason, reasons));
    }
    if (fieldPath !== "" && fieldPath.trim() === "") {
      problems.push(invalidValue(`${at}.fieldPath`, fieldPath, "must be non-empty if specified"));
    }
    if (hasLineBreaks(fieldPath)) {
      problems.push(invalidValue(`${at}.fieldPath`, fieldPath, "must not contain line breaks"));
    }
    if (fieldPath !== "" && typeof resolveFieldPath(fieldPath, fieldSchemaOf(schema)) === "string") {
      problems.push(invalidValue(`${at}.fieldPath`, fieldPath, "must be a valid path"));
    }
    return problems;
  });
}

function textProblems(rule: string, message: string, at: string): readonly FieldProblem[] {
  if (rule.trim() === "") return [required(`${at}.rule`, "rule is not specified")];
  if (message !== "" && message.trim() === "") {
    return [invalidValue(`${at}.message`, message, "must be non-empty if specified")];
  }
  if (hasLineBreaks(message.trim())) {
    return [invalidValue(`${at}.message`, message, "must not contain line breaks")];
  }
  if (hasLineBreaks(rule.trim()) && message.trim() === "") {
    return [required(`${at}.message`, "message must be specified if rule contains line breaks")];
  }
  return [];
}

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** Where the rules of a schema stand. */
export interface RulePlace {
  readonly isResource: boolean;
  /** The list or map whose elements cannot be correlated, if the schema is below one. */
  readonly uncorrelatable?: string;
  /** How many values of the schema an object has at most; undefined if nothing limits them. */
  readonly occurrences: number | undefined;
  readonly costs: RuleCosts;
}

/** What CEL has against the rules of a schema, and against comparing where nothing can be compared. */
export function ruleCompileProblems(
  schema: FieldSchema,
  path: string,
  { isResource, uncorrelatable, occurrences, costs }: RulePlace,
): readonly FieldProblem[] {
  const shape = schema["x-kubernetes-validations"] === undefined ? undefined : shapeOf(schema, isResource);
  return compileRules(schema, isResource).flatMap(({ rule, compiled, message }, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    const problems: FieldProblem[] = [];
    const cost = shape === undefined ? 0 : ruleCost(compiled, shape, occurrences);
    problems.push(...costs.add("rule", `${at}.rule`, cost));
    if (isProblem(compiled)) problems.push(invalidValue(`${at}.rule`, goRule(rule), compiled.problem));
    if (message !== undefined && isProblem(message)) {
      const detail = message.problem.replace(/^compilation failed/, "messageExpression compilation failed");
      problems.push(invalidValue(`${at}.messageExpression`, goRule(rule), detail));
    } else if (message !== undefined && shape !== undefined) {
      const ofMessage = message.mostCost(shape);
      problems.push(...costs.add("messageExpression", `${at}.messageExpression`, ofMessage));
    }
    if (!isProblem(compiled) && compiled.usesOldSelf) {
      if (uncorrelatable === undefined) return problems;
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      problems.push(invalidValue(`${at}.rule`, rule.rule, detail));
    } else if (rule.optionalOldSelf !== undefined) {
      const detail = "may not be set if oldSelf is not used in rule";
      problems.push(invalidValue(`${at}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
    return problems;
  });
}

const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;
/** Cheaper ones are not named where all together cost too much. */
const leastNamed = schemaLimit / 100;
const mostNamed = 4;

/** What a rule may cost at most for one object, which may have many values that the rule is about. */
function ruleCost(
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
