import { deepEqual } from "@keelson/core";
import { type FieldProblem, notSupported, required } from "../status/field-problem.ts";
import { embeddedResourceProblems } from "./embedded-resource.ts";
import type { FieldSchema } from "./field-schema.ts";
import { isJsonObject, type JsonObject } from "./json-kind.ts";
import { correlatedItem, listKeyProblems } from "./list-keys.ts";
import { additionalSchema } from "./schema-of-field.ts";
import { bodyProblem, joined, nameOf, result, type SchemaResult } from "./schema-result.ts";
import { alternativesResult } from "./validate-alternatives.ts";
import { numberResult, stringResult, typeResult } from "./validate-scalar.ts";

/**
 * Everything that a structural schema finds wrong with a value, in the words of the API server for custom resources,
 * except rules in CEL. With the old object of an update, parts that did not change are not judged again. `field` is the
 * path of the value, empty for a whole object.
 */
export function schemaProblems(
  value: unknown,
  schema: FieldSchema,
  field: string,
  old?: unknown,
): readonly FieldProblem[] {
  return [
    ...valueResult(value, schema, field, old).problems,
    ...embeddedResourceProblems(value, schema, field),
    ...listKeyProblems(value, schema, field),
  ];
}

/** One schema and one value, in the order in which the server looks. */
function valueResult(value: unknown, schema: FieldSchema, field: string, old: unknown): SchemaResult {
  if (old !== undefined && deepEqual(value, old)) return result();
  if (value === null) return joined([typeResult(value, schema, field), enumResult(value, schema, field)]);
  const inner = (one: FieldSchema): SchemaResult => valueResult(value, one, field, undefined);
  const results = [typeResult(value, schema, field), alternativesResult(schema, field, inner)];
  if (typeof value === "string") results.push(stringResult(value, schema, field));
  if (typeof value === "number") results.push(numberResult(value, schema, field));
  if (Array.isArray(value)) results.push(listResult(value, schema, field, old));
  results.push(enumResult(value, schema, field));
  if (isJsonObject(value)) results.push(objectResult(value, schema, field, old));
  return joined(results);
}

function enumResult(value: unknown, schema: FieldSchema, field: string): SchemaResult {
  if (schema.enum === undefined || schema.enum.some((one) => deepEqual(one, value))) return result();
  const supported = schema.enum.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  return result(notSupported(nameOf(field), value, supported));
}

function listResult(
  list: readonly unknown[],
  schema: FieldSchema,
  field: string,
  old: unknown,
): SchemaResult {
  const { items, minItems, maxItems } = schema;
  const results =
    items === undefined
      ? []
      : list.map((item, index) => {
          return valueResult(item, items, `${field}[${index}]`, correlatedItem(item, old, schema));
        });
  if (minItems !== undefined && list.length < minItems)
    results.push(result(bodyProblem(field, list.length, `should have at least ${minItems} items`)));
  if (maxItems !== undefined && list.length > maxItems)
    results.push(result(tooMany(field, list.length, maxItems)));
  return joined([...results, result()]);
}

function objectResult(object: JsonObject, schema: FieldSchema, field: string, old: unknown): SchemaResult {
  const { properties = {}, minProperties, maxProperties, required: needed = [] } = schema;
  const count = Object.keys(object).length;
  const results: SchemaResult[] = [];
  if (minProperties !== undefined && count < minProperties)
    results.push(result(bodyProblem(field, count, `should have at least ${minProperties} properties`)));
  if (maxProperties !== undefined && count > maxProperties)
    results.push(result(tooMany(field, count, maxProperties)));
  const oldOf = (name: string): unknown => (isJsonObject(old) ? old[name] : undefined);
  const additional = additionalSchema(schema);
  if (additional !== undefined)
    for (const [name, value] of Object.entries(object))
      if (!Object.hasOwn(properties, name))
        results.push(valueResult(value, additional, `${field}.${name}`, oldOf(name)));
  for (const [name, property] of Object.entries(properties))
    if (Object.hasOwn(object, name))
      results.push(valueResult(object[name], property, pathOf(field, name), oldOf(name)));
  for (const name of needed)
    if (!Object.hasOwn(object, name)) results.push(result(required(nameOf(`${field}.${name}`))));
  return joined([...results, result()]);
}

function pathOf(field: string, name: string): string {
  return field === "" ? name : `${field}.${name}`;
}

function tooMany(field: string, count: number, limit: number): FieldProblem {
  const items = limit === 1 ? "item" : "items";
  return {
    type: "FieldValueTooMany",
    field: nameOf(field),
    value: count,
    detail: `must have at most ${limit} ${items}`,
  };
}
