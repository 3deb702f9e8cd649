import { celFindings } from "../../cel/rule-problems.ts";
import { applySchemaDefaults } from "../../schema/defaults.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { copyJson } from "../../schema/json-kind.ts";
import { pruneUnknownFields } from "../../schema/prune.ts";
import { schemaProblems } from "../../schema/validate.ts";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";

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
