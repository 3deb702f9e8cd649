import { deepEqual, formatJson } from "@keelson/core";
import { type FieldProblem, invalidValue, notSupported, required } from "../status/field-problem.ts";
import { additionalSchema, type FieldSchema } from "./field-schema.ts";
import { hasFormat, isKnownFormat } from "./formats.ts";
import { goPattern } from "./go-pattern.ts";
import { isJsonObject, type JsonObject } from "./json-document.ts";
import { correlatedItem, embeddedResourceProblems, listKeyProblems } from "./validate-custom.ts";

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
    ...valueProblems(value, schema, field, old),
    ...embeddedResourceProblems(value, schema, field),
    ...listKeyProblems(value, schema, field),
  ];
}

/** The part of them that OpenAPI defines: nothing of embedded resources, sets and maps. */
export function valueProblems(
  value: unknown,
  schema: FieldSchema,
  field: string,
  old?: unknown,
): readonly FieldProblem[] {
  return valueResult(value, schema, field, old).problems;
}

/** One schema and one value, in the order in which the server looks. */
function valueResult(value: unknown, schema: FieldSchema, field: string, old: unknown): SchemaResult {
  if (old !== undefined && deepEqual(value, old)) return result();
  if (value === null) return joined([typeResult(value, schema, field), enumResult(value, schema, field)]);
  const inner = (one: FieldSchema): SchemaResult => valueResult(value, one, field, undefined);
  const results = [typeResult(value, schema, field), alternativesResult(schema, field, inner)];
  if (typeof value === "string") results.push(stringResult(value, schema, field));
  if (typeof value === "number" || typeof value === "bigint")
    results.push(numberResult(value, schema, field));
  if (Array.isArray(value)) results.push(listResult(value, schema, field, old));
  results.push(enumResult(value, schema, field));
  if (isJsonObject(value)) results.push(objectResult(value, schema, field, old));
  return joined(results);
}

function enumResult(value: unknown, schema: FieldSchema, field: string): SchemaResult {
  if (schema.enum === undefined || schema.enum.some((one) => deepEqual(one, value))) return result();
  const supported = schema.enum.map((one) => (typeof one === "string" ? one : formatJson(one)));
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

/** The result of `anyOf`, `oneOf`, `allOf` and `not` for a value; `judge` validates it by one of their schemas. */
function alternativesResult(
  schema: FieldSchema,
  field: string,
  judge: (schema: FieldSchema) => SchemaResult,
): SchemaResult {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const name = JSON.stringify(field === "" ? "" : nameOf(field));
  const results: SchemaResult[] = [];
  if (anyOf.length > 0) results.push(anyResult(anyOf.map(judge), name));
  if (oneOf.length > 0) results.push(oneResult(oneOf.map(judge), name));
  if (allOf.length > 0) results.push(allResult(allOf.map(judge), name));
  if (not !== undefined && isMet(judge(not)))
    results.push(result(generalProblem(`${name} must not validate the schema (not)`)));
  return joined([...results, result()]);
}

function anyResult(results: readonly SchemaResult[], name: string): SchemaResult {
  const met = results.find(isMet);
  if (met !== undefined) return met;
  const problem = generalProblem(`${name} must validate at least one schema (anyOf)`);
  return joined([result(problem), nearest(results)]);
}

function oneResult(results: readonly SchemaResult[], name: string): SchemaResult {
  const met = results.filter(isMet);
  const [only] = met;
  if (only !== undefined && met.length === 1) return only;
  const found = met.length === 0 ? "Found none valid" : `Found ${met.length} valid alternatives`;
  const problem = generalProblem(`${name} must validate one and only one schema (oneOf). ${found}`);
  return met.length === 0 ? joined([result(problem), nearest(results)]) : result(problem);
}

function allResult(results: readonly SchemaResult[], name: string): SchemaResult {
  const met = results.filter(isMet);
  if (met.length === results.length) return joined(results);
  const none = met.length === 0 ? ". None validated" : "";
  return joined([...results, result(generalProblem(`${name} must validate all the schemas (allOf)${none}`))]);
}

function isMet({ problems }: SchemaResult): boolean {
  return problems.length === 0;
}

/** The first of those that match most. */
function nearest(results: readonly SchemaResult[]): SchemaResult {
  return results.reduce((best, one) => (one.matches > best.matches ? one : best));
}

/** Whether a value is of the type that its schema names. */
function typeResult(value: unknown, schema: FieldSchema, field: string): SchemaResult {
  const types = typesOf(schema);
  if (types.length === 0 || (value === null && schema.nullable === true)) return result();
  const actual = jsonType(value);
  const format = countedFormat(schema);
  const isNumeric = types.includes("integer") || types.includes("number");
  const isText = actual === "string" || actual === "array";
  // What is text or a list is left to the format, whatever the type.
  if (format !== undefined && isText && !isNumeric) return result();
  if (types.includes(actual) || (actual === "integer" && types.includes("number"))) return result();
  if (format !== undefined && !isText && value !== null)
    return result(typeProblem(field, format, formatOfNumber(actual)));
  return result(typeProblem(field, types.join(","), actual));
}

/** The server compares numbers by their formats; other values have none. */
function formatOfNumber(type: string): string {
  if (type === "integer") return "int64";
  return type === "number" ? "float64" : "";
}

function typesOf(schema: FieldSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value !== "number") return typeof value;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "integer" : "number";
}

/** The format, if it is one that counts for the type. */
function countedFormat({ type, format }: FieldSchema): string | undefined {
  if (format === undefined) return undefined;
  if (type === "integer") return format === "int32" || format === "int64" ? format : undefined;
  if (type === "number") return format === "float" || format === "double" ? format : undefined;
  return (type === "string" || type === undefined) && isKnownFormat(format) ? format : undefined;
}

/** The first of its lengths and its pattern that is not met; and its format. */
function stringResult(text: string, schema: FieldSchema, field: string): SchemaResult {
  const problem = lengthProblem(text, schema, field) ?? patternProblem(text, schema, field);
  const { type, format } = schema;
  const isWrong =
    format !== undefined && (type === "string" || type === undefined) && !hasFormat(text, format);
  return joined([
    problem === undefined ? result() : result(problem),
    isWrong ? result(typeProblem(field, format, text)) : result(),
  ]);
}

function lengthProblem(
  text: string,
  { minLength, maxLength }: FieldSchema,
  field: string,
): FieldProblem | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined;
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) {
    const bytes = maxLength === 1 ? "byte" : "bytes";
    const detail = `may not be more than ${maxLength} ${bytes}`;
    return { type: "FieldValueTooLong", field: nameOf(field), detail };
  }
  if (minLength !== undefined && length < minLength)
    return bodyProblem(field, text, `should be at least ${minLength} chars long`);
  return undefined;
}

function patternProblem(text: string, { pattern }: FieldSchema, field: string): FieldProblem | undefined {
  if (pattern === undefined || goPattern(pattern).test(text)) return undefined;
  return bodyProblem(field, text, `should match '${pattern}'`);
}

/** Its range, the multiple it must be, and its limits. */
function numberResult(value: number | bigint, schema: FieldSchema, field: string): SchemaResult {
  const { multipleOf, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const problems: FieldProblem[] = [...rangeProblems(value, schema, field)];
  const say = (rest: string): void => void problems.push(bodyProblem(field, value, rest));
  if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    say(`should be a multiple of ${multipleOf}`);
  if (minimum !== undefined && exclusiveMinimum === true && value <= minimum)
    say(`should be greater than ${minimum}`);
  if (minimum !== undefined && exclusiveMinimum !== true && value < minimum)
    say(`should be greater than or equal to ${minimum}`);
  if (maximum !== undefined && exclusiveMaximum === true && value >= maximum)
    say(`should be less than ${maximum}`);
  if (maximum !== undefined && exclusiveMaximum !== true && value > maximum)
    say(`should be less than or equal to ${maximum}`);
  return { problems, matches: 1 };
}

function rangeProblems(value: number | bigint, schema: FieldSchema, field: string): readonly FieldProblem[] {
  if (schema.type !== "integer") return [];
  const format = countedFormat(schema);
  const limit = format === "int32" ? 2 ** 31 : 2 ** 63;
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  // The least integer itself would be a bigint; a number of that size was a smaller one.
  if (isInteger && value < limit && value >= -limit && value !== -(2 ** 63)) return [];
  const form = format === undefined ? "(default format)" : `with format ${format}`;
  return [generalProblem(`Checked value must be of type integer ${form} in ${field}`)];
}

function isMultiple(given: number | bigint, factor: number): boolean {
  if (typeof given === "bigint" && Number.isInteger(factor)) return given % BigInt(factor) === 0n;
  const value = Number(given);
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

/** What one schema says of one value. */
interface SchemaResult {
  readonly problems: readonly FieldProblem[];
  /** How much of the schema the value meets; of several forms that it does not meet, the nearest one is reported. */
  readonly matches: number;
}

function joined(results: readonly SchemaResult[]): SchemaResult {
  return {
    problems: results.flatMap(({ problems }) => problems),
    matches: results.reduce((total, { matches }) => total + matches, 0),
  };
}

function result(...problems: readonly FieldProblem[]): SchemaResult {
  return { problems, matches: problems.length === 0 ? 1 : 0 };
}

/** Messages about a field repeat its name: `spec.size in body should be at least 2 chars long`. */
function bodyProblem(field: string, value: unknown, rest: string): FieldProblem {
  return invalidValue(nameOf(field), value, `${field} in body ${rest}`);
}

function typeProblem(field: string, expected: string, actual: string): FieldProblem {
  const detail = `${field} in body must be of type ${expected}: ${JSON.stringify(actual)}`;
  return { type: "FieldValueTypeInvalid", field: nameOf(field), value: actual, detail };
}

/** Problems that are not about one field are about none. */
function generalProblem(detail: string): FieldProblem {
  return invalidValue("<nil>", "", detail);
}

/** How the object itself is called. */
function nameOf(field: string): string {
  return field === "" ? "<nil>" : field.replace(/^\./, "");
}
