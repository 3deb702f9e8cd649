import type { FieldSchema } from "../schema/field-schema.ts";
import { type CompiledRule, type CompileProblem, compileRule, ruleEnvironment } from "./compile-rule.ts";
import { resolveFieldPath } from "./field-path.ts";
import type { Declarations } from "./language/check-expression.ts";

export type ValidationRule = NonNullable<FieldSchema["x-kubernetes-validations"]>[number];

export interface RuleOfSchema {
  readonly rule: ValidationRule;
  readonly compiled: CompiledRule | CompileProblem;
  /** Undefined if there is none, or none that can be used: then the plain message is used. */
  readonly message?: CompiledRule | CompileProblem;
  /** Where below the value problems are reported; empty for the value itself. */
  readonly fieldPath: string;
}

/** A schema that has rules, in itself or below, with what leads to those below. */
export interface RuleTree {
  readonly schema: FieldSchema;
  readonly isResource: boolean;
  readonly rules: readonly RuleOfSchema[];
  readonly items?: RuleTree;
  readonly additional?: RuleTree;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

const trees = new WeakMap<FieldSchema, RuleTree | "none">();

/** The rules of a schema, compiled once; undefined if there are none. */
export function ruleTree(schema: FieldSchema, isResource: boolean): RuleTree | undefined {
  const known = trees.get(schema) ?? makeTree(schema, isResource) ?? "none";
  trees.set(schema, known);
  return known === "none" ? undefined : known;
}

function makeTree(schema: FieldSchema, isResource: boolean): RuleTree | undefined {
  const inner = (one: FieldSchema): RuleTree | undefined =>
    makeTree(one, one["x-kubernetes-embedded-resource"] === true);
  const items = schema.items && inner(schema.items);
  const { additionalProperties } = schema;
  const additional = typeof additionalProperties === "object" ? inner(additionalProperties) : undefined;
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const tree = inner(property);
    if (tree !== undefined) properties.set(name, tree);
  }
  const rules = compileRules(schema, isResource);
  if (rules.length + properties.size === 0 && items === undefined && additional === undefined)
    return undefined;
  return {
    schema,
    isResource,
    rules,
    ...(items === undefined ? {} : { items }),
    ...(additional === undefined ? {} : { additional }),
    properties,
  };
}

/** All rules of one schema; with the problems of those that cannot be compiled. */
export function compileRules(schema: FieldSchema, isResource: boolean): readonly RuleOfSchema[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return [];
  const environments = new Map<boolean, Declarations | undefined>();
  const environment = (isOptional: boolean): Declarations | undefined => {
    if (!environments.has(isOptional)) {
      environments.set(isOptional, ruleEnvironment(schema, isResource, isOptional));
    }
    return environments.get(isOptional);
  };
  return rules.map((rule) => {
    const ofRule = environment(rule.optionalOldSelf === true);
    const { messageExpression = "" } = rule;
    const message =
      messageExpression.trim() === "" || ofRule === undefined
        ? undefined
        : compileRule(messageExpression, ofRule, "messageExpression");
    return {
      rule,
      compiled: ofRule === undefined ? untyped : compileRule(rule.rule, ofRule),
      ...(message === undefined ? {} : { message }),
      fieldPath: fieldPathText(rule.fieldPath ?? "", schema),
    };
  });
}

function fieldPathText(path: string, schema: FieldSchema): string {
  const found = resolveFieldPath(path, schema);
  return typeof found === "string" ? "" : found.text;
}

const untyped: CompileProblem = { problem: "rules are not supported on values without a type" };
