import type { FieldProblem } from "../status/field-problem.ts";
import type { FieldSchema } from "./field-schema.ts";
import { hasFormat, isKnownFormat } from "./formats.ts";
import { goPattern } from "./go-pattern.ts";
import {
  bodyProblem,
  generalProblem,
  joined,
  nameOf,
  result,
  type SchemaResult,
  typeProblem,
} from "./schema-result.ts";

/** Whether a value is of the type that its schema names. */
export function typeResult(value: unknown, schema: FieldSchema, field: string): SchemaResult {
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
export function stringResult(text: string, schema: FieldSchema, field: string): SchemaResult {
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
export function numberResult(value: number, schema: FieldSchema, field: string): SchemaResult {
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

function rangeProblems(value: number, schema: FieldSchema, field: string): readonly FieldProblem[] {
  if (schema.type !== "integer") return [];
  const format = countedFormat(schema);
  const limit = format === "int32" ? 2 ** 31 : 2 ** 63;
  if (Number.isInteger(value) && value < limit && value >= -limit) return [];
  const form = format === undefined ? "(default format)" : `with format ${format}`;
  return [generalProblem(`Checked value must be of type integer ${form} in ${field}`)];
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}
