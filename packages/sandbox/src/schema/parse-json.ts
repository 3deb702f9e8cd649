import { parseJson as parseExactly } from "@keelson/core";
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
    value = parseExactly(hasSurrogates.test(text) ? wellFormed(text) : text);
  } catch (error) {
    throw syntaxError(text, error);
  }
  return { value, text, hasDuplicates: countFields(value) !== countColons(text) };
}

const hasSurrogates = /\\u[dD][89a-fA-F]/;
/** A pair of halves that make a character, half a character, or another escape. */
const escapes =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./gs;

/** Halves of characters are no text; Go puts a mark in the place of each. */
function wellFormed(text: string): string {
  return text.replaceAll(escapes, (found) =>
    found.length === 6 && hasSurrogates.test(found) ? "\ufffd" : found,
  );
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

/** Not by recursion: a value may be nested deeper than the stack. */
function countFields(value: unknown): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const isList = Array.isArray(next);
    for (const inner of isList ? next : Object.values(next)) {
      if (!isList) count += 1;
      if (typeof inner === "object") open.push(inner);
    }
  }
  return count;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Outside of strings, of text that is JSON: as many as there are fields. Throws JsonSyntaxError if the text is nested too
 * deeply.
 */
function countColons(text: string): number {
  let count = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = closingQuote(text, at);
    } else if (code === colon) {
      count += 1;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > maxJsonDepth) throw tooDeep(text.charAt(at));
    } else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
    }
  }
  return count;
}

function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
}
