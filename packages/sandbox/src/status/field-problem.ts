import { formatJson } from "@keelson/core";
import { goQuote } from "./go-quote.ts";

/** A problem of one field of an object, with the message of the API server. */
export interface FieldProblem {
  readonly type: FieldProblemType;
  /** `spec.containers[0].name`; `<nil>` for the object as a whole. */
  readonly field: string;
  /** Absent if the message does not contain the value. */
  readonly value?: unknown;
  readonly detail: string;
}

export type FieldProblemType = keyof typeof titles;

const titles = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTooShort: "Too short",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
} as const;

/** Problems whose message never contains the value, which may be long or absent. */
const withoutValue: ReadonlySet<FieldProblemType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "FieldValueTooShort",
  "InternalError",
]);

/** The message without the field: `Invalid value: -1: must be greater than or equal to 0`. */
export function problemBody(problem: FieldProblem): string {
  const { type, detail } = problem;
  const showsValue = "value" in problem && !withoutValue.has(type);
  return [titles[type], showsValue ? shown(problem.value) : "", detail]
    .filter((part) => part !== "")
    .join(": ");
}

/** Go escapes the characters of HTML tags in lists and objects. */
function shown(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  const text = formatJson(value);
  if (typeof value !== "object" || value === null) return text;
  return text.replaceAll(/[<>&]/g, (character) => htmlEscapes[character] ?? character);
}

const htmlEscapes: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };

export function formatProblem(problem: FieldProblem): string {
  return `${problem.field}: ${problemBody(problem)}`;
}

export function required(field: string, detail = ""): FieldProblem {
  return { type: "FieldValueRequired", field, detail };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldProblem {
  return { type: "FieldValueInvalid", field, value, detail };
}

export function duplicateValue(field: string, value: unknown): FieldProblem {
  return { type: "FieldValueDuplicate", field, value, detail: "" };
}

export function tooMany(field: string, count: number, most: number): FieldProblem {
  const detail = `must have at most ${most} ${most === 1 ? "item" : "items"}`;
  return { type: "FieldValueTooMany", field, value: count, detail };
}

export function forbiddenField(field: string, detail: string): FieldProblem {
  return { type: "FieldValueForbidden", field, detail };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldProblem {
  const detail =
    supported.length === 0
      ? ""
      : `supported values: ${supported.map((one) => JSON.stringify(one)).join(", ")}`;
  return { type: "FieldValueNotSupported", field, value, detail };
}

/** `field[3]` */
export function indexed(field: string, index: number): string {
  return `${field}[${index}]`;
}

/** `field[key]`, for an entry of a map. */
export function keyed(field: string, key: string): string {
  return `${field}[${key}]`;
}
