import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import { celFindings } from "../../cel/rule-problems.ts";
import { applySchemaDefaults, pruneUnknownFields } from "../../schema/custom-form.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { copyJson } from "../../schema/json-document.ts";
import { schemaProblems } from "../../schema/validate.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { fieldSchemaOf } from "./definition.ts";
import { listTypeProblems } from "./list-type-problems.ts";
import {
  elementLimit,
  RuleCosts,
  type RulePlace,
  ruleCompileProblems,
  ruleFormProblems,
} from "./schema-rule-problems.ts";

/** What is true of the place in which a schema stands. */
interface Surroundings extends RulePlace {
  /** Why there may be no defaults; undefined if there may. */
  readonly noDefaultsReason?: string;
  readonly isInsideMeta: boolean;
  readonly isRoot: boolean;
  /** Whether rules are compiled: not inside of alternatives, and not if the schema is wrong otherwise. */
  readonly compilesRules: boolean;
}

interface SchemaFormProblems {
  readonly schema: readonly FieldProblem[];
  readonly rules: readonly FieldProblem[];
}

/** What a schema of a definition may not have, and what is wrong with its rules. */
export function schemaFormProblems(
  root: JSONSchemaProps,
  path: string,
  isSound: boolean,
): readonly FieldProblem[] {
  const costs = new RuleCosts();
  const { schema, rules } = problemsOf(root, path, {
    costs,
    occurrences: 1,
    isInsideMeta: false,
    isRoot: true,
    compilesRules: isSound,
    isResource: true,
  });
  return [...schema, ...rules, ...costs.problems(path)];
}

function problemsOf(schema: JSONSchemaProps, path: string, around: Surroundings): SchemaFormProblems {
  const found: FieldProblem[] = [...standardProblems(schema, path, around)];
  const ofRules: FieldProblem[] = [];
  for (const [inner, innerPath, surroundings] of partsOf(schema, path, around)) {
    const below = problemsOf(inner, innerPath, surroundings);
    found.push(...below.schema);
    ofRules.push(...below.rules);
  }
  found.push(
    ...mapTypeProblems(schema, path),
    ...listTypeProblems(schema, path),
    ...ruleFormProblems(schema, path),
  );
  if (found.length === 0 && around.compilesRules) {
    ofRules.push(...ruleCompileProblems(fieldSchemaOf(schema), path, around));
  }
  return { schema: found, rules: ofRules };
}

const metaFields: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

type Part = readonly [JSONSchemaProps, string, Surroundings];

function partsOf(schema: JSONSchemaProps, path: string, around: Surroundings): readonly Part[] {
  const limit = elementLimit(schema);
  const occurrences =
    around.occurrences === undefined || limit === undefined ? undefined : around.occurrences * limit;
  const inner: Surroundings = { ...around, isRoot: false, isResource: false, occurrences };
  const parts: Part[] = [];
  const { additionalProperties, properties = {}, items } = schema;
  const at = (one: JSONSchemaProps, surroundings: Surroundings): Surroundings => ({
    ...surroundings,
    isResource: one["x-kubernetes-embedded-resource"] === true,
  });
  if (typeof additionalProperties === "object") {
    const reason = "inside additionalProperties applying to object metadata";
    const surroundings = around.isInsideMeta ? { ...inner, noDefaultsReason: reason } : inner;
    parts.push([
      additionalProperties,
      `${path}.additionalProperties`,
      at(additionalProperties, surroundings),
    ]);
  }
  for (const [name, property] of Object.entries(properties)) {
    parts.push([
      property,
      `${path}.properties[${name}]`,
      at(property, ofProperty(name, schema, path, around, inner)),
    ]);
  }
  const alternative: Surroundings = { ...inner, compilesRules: false };
  if (schema.not !== undefined) parts.push([schema.not, `${path}.not`, alternative]);
  for (const kind of ["allOf", "oneOf", "anyOf"] as const) {
    parts.push(
      ...(schema[kind] ?? []).map((one, index): Part => [one, `${path}.${kind}[${index}]`, alternative]),
    );
  }
  for (const [name, one] of Object.entries(schema.definitions ?? {})) {
    parts.push([one, `${path}.definitions[${name}]`, alternative]);
  }
  const isKeyed = schema["x-kubernetes-list-type"] === "map";
  const ofItems = isKeyed ? inner : { ...inner, uncorrelatable: inner.uncorrelatable ?? path };
  if (items !== undefined && "length" in items) {
    parts.push(...items.map((one, index): Part => [one, `${path}.items[${index}]`, at(one, ofItems)]));
  } else if (items !== undefined) parts.push([items, `${path}.items`, at(items, ofItems)]);
  return parts;
}

function ofProperty(
  name: string,
  schema: JSONSchemaProps,
  path: string,
  { isRoot }: Surroundings,
  inner: Surroundings,
): Surroundings {
  const isWhole = schema["x-kubernetes-map-type"] === "atomic";
  const surroundings = isWhole ? { ...inner, uncorrelatable: inner.uncorrelatable ?? path } : inner;
  if (!metaFields.has(name) || !(isRoot || schema["x-kubernetes-embedded-resource"] === true))
    return surroundings;
  const ofMeta = { ...surroundings, isInsideMeta: true };
  return isRoot ? { ...ofMeta, noDefaultsReason: `in top-level ${name}` } : ofMeta;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

const unsupported = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
] as const;

function standardProblems(
  schema: JSONSchemaProps,
  path: string,
  around: Surroundings,
): readonly FieldProblem[] {
  const { type = "", properties = {}, additionalProperties } = schema;
  const problems: FieldProblem[] = [];
  const forbid = (field: string, detail: string): void =>
    void problems.push(forbiddenField(`${path}.${field}`, detail));
  if (type !== "" && !types.includes(type)) problems.push(notSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && around.noDefaultsReason !== undefined) {
    forbid("default", `must not be set ${around.noDefaultsReason}`);
  }
  for (const field of unsupported) {
    const value = schema[field];
    if (
      value === undefined ||
      value === "" ||
      (field.endsWith("s") && Object.keys(Object(value)).length === 0)
    )
      continue;
    forbid(field, `${field} is not supported`);
  }
  if (type === "null") forbid("type", "type cannot be set to null, use nullable as an alternative");
  if (Array.isArray(schema.items)) forbid("items", "items must be a schema object and not an array");
  if (around.isInsideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    forbid("x-kubernetes-embedded-resource", "must not be used inside of resource meta");
  }
  if (schema.uniqueItems === true) {
    forbid("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  }
  if (
    additionalProperties !== undefined &&
    additionalProperties !== true &&
    Object.keys(properties).length > 0
  ) {
    forbid("additionalProperties", "additionalProperties and properties are mutual exclusive");
  }
  return problems;
}

function mapTypeProblems(schema: JSONSchemaProps, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const {
    type = "",
    "x-kubernetes-map-type": mapType,
    "x-kubernetes-preserve-unknown-fields": isOpen,
  } = schema;
  if (isOpen === false) {
    problems.push(
      invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"),
    );
  }
  if (mapType === undefined) return problems;
  if (type !== "object") {
    const detail = "must be object if x-kubernetes-map-type is specified";
    problems.push(
      type === "" ? required(`${path}.type`, detail) : invalidValue(`${path}.type`, type, detail),
    );
  }
  const supported = ["atomic", "granular"];
  if (!supported.includes(mapType))
    problems.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, supported));
  return problems;
}

/** Defaults that the schema itself would not take. */
export function defaultValueProblems(schema: FieldSchema, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (schema.default !== undefined) problems.push(...problemsOfDefault(schema, `${path}.default`));
  if (schema.items !== undefined) problems.push(...defaultValueProblems(schema.items, `${path}.items`));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    problems.push(...defaultValueProblems(property, `${path}.properties[${name}]`));
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object") {
    problems.push(...defaultValueProblems(additionalProperties, `${path}.additionalProperties`));
  }
  return problems;
}

function problemsOfDefault(schema: FieldSchema, field: string): readonly FieldProblem[] {
  const value = copyJson(schema.default);
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const unknown = pruneUnknownFields(copyJson(value), schema);
  const isObject = schema.type === "object";
  if (unknown.length > 0 && (isObject || schema.type === "array")) {
    return [invalidValue(field, value, "must not have unknown fields")];
  }
  applySchemaDefaults(value, schema);
  const found = schemaProblems(value, schema, "");
  const problems = found.length > 0 ? found : celFindings(value, undefined, schema, "", isResource).problems;
  return problems.map((problem) => ({ ...problem, field: below(field, problem.field) }));
}

function below(field: string, inner: string): string {
  if (inner === "" || inner === "<nil>") return field;
  return inner.startsWith("[") ? `${field}${inner}` : `${field}.${inner}`;
}
