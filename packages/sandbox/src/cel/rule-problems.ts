import { deepEqual, isRecord } from "@keelson/core";
import type { FieldSchema } from "../schema/field-schema.ts";
import { correlatedItem } from "../schema/validate-custom.ts";
import { type FieldProblem, formatProblem, invalidValue } from "../status/field-problem.ts";
import { celValue } from "./cel-value.ts";
import { isProblem, tooExpensive } from "./compile-rule.ts";
import { OptionalValue } from "./language/cel-values.ts";
import { type RuleOfSchema, type RuleTree, ruleTree, type ValidationRule } from "./rule-tree.ts";

/** What the rules of a schema find. */
export interface RuleFindings {
  readonly problems: readonly FieldProblem[];
  /** Problems of rules that the same value did not meet before either: they become warnings. */
  readonly warnings: readonly string[];
}

/** What all rules of one write may cost together. */
const writeLimit = 10_000_000;

/**
 * Judges an object by the rules in CEL of its schema, in the words of the real server. With the old object of an
 * update, transition rules are evaluated too, and values that did not change pass. `field` is empty for a whole
 * custom resource.
 */
export function celFindings(
  value: unknown,
  old: unknown,
  schema: FieldSchema,
  field = "",
  isResource: boolean = field === "",
): RuleFindings {
  const tree = ruleTree(schema, isResource);
  if (tree === undefined) return nothing;
  const judge = new Judge();
  const correlation: Correlation = old === undefined ? uncorrelated : { value, old, isKnown: true };
  judge.judge({ tree, value, old, field, correlation });
  return judge;
}

const nothing: RuleFindings = { problems: [], warnings: [] };

/** The nearest enclosing value whose old state is known; if it is unchanged, the part passes. */
interface Correlation {
  readonly isKnown: boolean;
  readonly value?: unknown;
  readonly old?: unknown;
}

const uncorrelated: Correlation = { isKnown: false };

interface Place {
  readonly tree: RuleTree;
  readonly value: unknown;
  /** What transition rules compare with; undefined if there is nothing. */
  readonly old: unknown;
  readonly field: string;
  readonly correlation: Correlation;
}

class Judge implements RuleFindings {
  readonly problems: FieldProblem[] = [];
  readonly warnings: string[] = [];
  #budget = writeLimit;

  judge(place: Place): void {
    if (place.value === null || place.value === undefined || this.#budget < 0) return;
    this.#judgeValue(place);
    if (Array.isArray(place.value)) this.#judgeItems(place, place.value);
    else if (isRecord(place.value)) this.#judgeFields(place, place.value);
  }

  #judgeItems({ tree, old, field, correlation }: Place, list: readonly unknown[]): void {
    if (tree.items === undefined) return;
    for (const [index, value] of list.entries()) {
      const oldItem = correlatedItem(value, old, tree.schema);
      this.judge({
        tree: tree.items,
        value,
        old: oldItem,
        field: `${field}[${index}]`,
        correlation: oldItem === undefined ? correlation : { isKnown: true, value, old: oldItem },
      });
    }
  }

  #judgeFields({ tree, old, field, correlation }: Place, object: Record<string, unknown>): void {
    const isWhole = tree.schema["x-kubernetes-map-type"] === "atomic";
    const oldFields = isRecord(old) && !isWhole ? old : {};
    for (const [name, value] of Object.entries(object)) {
      const property = tree.properties.get(name);
      const inner =
        property ?? (Object.hasOwn(tree.schema.properties ?? {}, name) ? undefined : tree.additional);
      if (inner === undefined) continue;
      const dotted = field === "" ? name : `${field}.${name}`;
      const oldValue = Object.hasOwn(oldFields, name) ? (oldFields[name] ?? undefined) : undefined;
      const isKnown = correlation.isKnown && oldValue !== undefined;
      this.judge({
        tree: inner,
        value,
        old: oldValue,
        field: property === undefined ? `${field}[${name}]` : dotted,
        correlation: isKnown ? { isKnown, value, old: oldValue } : correlation,
      });
    }
  }

  #judgeValue(place: Place): void {
    const { tree, value, old, field } = place;
    if (tree.rules.length === 0) return;
    const { schema, isResource } = tree;
    const path = field === "" ? "<nil>" : field;
    if (this.#budget === 0) this.#exhaust(path, schema);
    const self = celValue(value, schema, isResource);
    const oldSelf = old === undefined ? undefined : celValue(old, schema, isResource);
    for (const rule of tree.rules) {
      if (this.#budget < 0) return;
      this.#judgeRule(place, rule, path, { self, oldSelf });
    }
  }

  #judgeRule(
    place: Place,
    { rule, compiled, message, fieldPath }: RuleOfSchema,
    path: string,
    values: Values,
  ): void {
    const type = place.tree.schema.type ?? "";
    if (isProblem(compiled)) {
      this.problems.push(invalidValue(path, type, `rule compile error: ${compiled.problem}`));
      return;
    }
    const isOptional = rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && values.oldSelf === undefined && !isOptional) return;
    const variables = {
      self: values.self,
      oldSelf: isOptional ? optional(values.oldSelf) : values.oldSelf,
    };
    const { value, problem, cost } = compiled.evaluate(variables);
    if (cost > this.#budget) {
      this.#exhaust(path, place.tree.schema);
      return;
    }
    this.#budget -= cost;
    if (problem !== undefined) {
      this.problems.push(invalidValue(path, type, evaluationText(problem, rule)));
      if (problem === tooExpensive) this.#budget = -1;
      return;
    }
    if (value === true) return;
    const report = (found: FieldProblem): void => {
      if (!compiled.usesOldSelf && isExcused(place.correlation)) this.warnings.push(formatProblem(found));
      else this.problems.push(found);
    };
    const at = joinedPath(place.field, fieldPath);
    // A message compares with the past itself, even where the rule has an optional one.
    const detail = this.#detail(rule, message, values);
    if (this.#budget < 0) report(invalidValue(at, type, detail));
    else report(unmet(place, at, detail, rule.reason));
  }

  /** What is said of a value that does not meet a rule. Without a budget for it, that is said instead. */
  #detail(rule: ValidationRule, message: RuleOfSchema["message"], values: Values): string {
    const plain = rule.message?.trim() ?? "";
    const usual = plain === "" ? `failed rule: ${rule.rule.trim()}` : plain;
    if (message === undefined || isProblem(message)) return usual;
    const { value, problem, cost } = message.evaluate({ ...values });
    const isTooExpensive = cost > this.#budget;
    this.#budget = isTooExpensive || problem === tooExpensive ? -1 : this.#budget - cost;
    if (isTooExpensive) return `messageExpression evaluation failed due to ${outOfBudget}`;
    if (problem !== tooExpensive) return usableMessage(value) ?? usual;
    const written = JSON.stringify(message.expression);
    return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${written}`;
  }

  /** No rule is evaluated any more. */
  #exhaust(path: string, { type }: FieldSchema): void {
    this.#budget = -1;
    this.problems.push(invalidValue(path, type ?? "", `validation failed due to ${outOfBudget}`));
  }
}

const outOfBudget = "running out of cost budget, no further validation rules will be run";

interface Values {
  readonly self: unknown;
  /** Undefined if there is nothing to compare with. */
  readonly oldSelf: unknown;
}

function isExcused({ isKnown, value, old }: Correlation): boolean {
  return isKnown && deepEqual(value, old);
}

function optional(value: unknown): OptionalValue {
  return value === undefined ? OptionalValue.none : OptionalValue.of(value);
}

const mostOfMessage = 5 * 1024;

/** A message must be one line that says something. */
function usableMessage(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const trimmed = value.trim();
  const isUsable = trimmed !== "" && !/[\n\r]/.test(trimmed) && Buffer.byteLength(trimmed) <= mostOfMessage;
  return isUsable ? trimmed : undefined;
}

function evaluationText(problem: string, rule: ValidationRule): string {
  const message = rule.message?.trim() ?? "";
  const shown = message === "" ? rule.rule.trim() : message;
  if (problem.startsWith("no such overload"))
    return `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`;
  if (problem === tooExpensive)
    return `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
  return `${problem} evaluating rule: ${shown}`;
}

function joinedPath(field: string, below: string): string {
  if (below === "") return field === "" ? "<nil>" : field;
  return field === "" ? below : `${field}.${below}`;
}

/** Of objects and lists the message does not repeat the value; of duplicates it repeats nothing else. */
function unmet(
  { tree, value }: Place,
  field: string,
  detail: string,
  reason: string | undefined,
): FieldProblem {
  const { type } = tree.schema;
  const shown = type === "object" || type === "array" ? {} : { value };
  switch (reason) {
    case "FieldValueForbidden":
    case "FieldValueRequired":
      return { type: reason, field, detail };
    case "FieldValueDuplicate":
      return { type: reason, field, ...shown, detail: "" };
    default:
      return { type: "FieldValueInvalid", field, ...shown, detail };
  }
}
