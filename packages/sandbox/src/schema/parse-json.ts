import { JsonSyntaxError, maxJsonDepth, parseDocument, tooDeep } from "./json-document.ts";

export interface ParsedJson {
  readonly value: unknown;
  /** Kept for what only the text contains: the order and repetition of fields, and how numbers are written. */
  readonly text: string;
  /** Whether an object anywhere in it names a field twice; the last one is in `value`. */
  readonly hasDuplicates: boolean;
  /** The problem of YAML that names a field twice; the JSON made from it does not show it. */
  readonly yamlProblem?: string;
}

/** Parses JSON as strictly as the API server. Throws JsonSyntaxError; `strictProblems` finds repeated fields. */
export function parseJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = hasSurrogates.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
  } catch (error) {
    throw syntaxError(text, error);
  }
  return { value, text, hasDuplicates: countFields(value, 0) !== countColons(text) };
}

const hasSurrogates = /\\u[dD][89a-fA-F]/;

/** Halves of characters are no text; Go puts a mark in the place of each. */
function wellFormed(_name: string, value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const isBroken = Object.keys(value).some((name) => !name.isWellFormed());
  return isBroken
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name.toWellFormed(), field]))
    : value;
}

/** The refusal in the server's words. */
function syntaxError(text: string, cause: unknown): Error {
  try {
    parseDocument(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  return new Error("parse JSON: the engine refuses text that the document reader takes", { cause });
}

function countFields(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > maxJsonDepth) throw tooDeep(Array.isArray(value) ? "[" : "{");
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countFields(item, depth + 1);
    return count;
  }
  for (const field of Object.values(value)) count += 1 + countFields(field, depth + 1);
  return count;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

/** Outside of strings, of text that is JSON: as many as there are fields. */
function countColons(text: string): number {
  let count = 0;
  let at = 0;
  for (;;) {
    const opening = text.indexOf('"', at);
    const end = opening === -1 ? text.length : opening;
    for (; at < end; at++) if (text.charCodeAt(at) === colon) count += 1;
    if (opening === -1) return count;
    at = closingQuote(text, opening) + 1;
  }
}

function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
}
