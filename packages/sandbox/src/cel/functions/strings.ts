import { type GoPattern, goPattern } from "../../schema/go-pattern.ts";
import { formatText } from "./format-text.ts";
import { failure, type Library, libraryOf, namespaced } from "./library.ts";

const onStrings = libraryOf([
  ["string.charAt(int): string", charAt],
  [
    "string.replace(string, string): string",
    (text: string, from: string, to: string) => text.replaceAll(from, () => to),
  ],
  ["string.replace(string, string, int): string", replaceSome],
  ["string.reverse(): string", (text: string) => [...text].reverse().join("")],
  ["string.format(list): string", formatText],
  ["string.find(string): string", (text: string, pattern: string) => patternOf(pattern).find(text) ?? ""],
  ["string.findAll(string): list<string>", (text: string, pattern: string) => findAll(text, pattern, -1n)],
  ["string.findAll(string, int): list<string>", findAll],
]);

const quoting = namespaced("strings", "StringsNamespace", [["quote(string): string", quote]]);

export const stringsLibrary: Library = (environment) => {
  onStrings(environment);
  quoting(environment);
};

function charAt(text: string, index: bigint): string {
  const characters = [...text];
  if (index < 0n || index > BigInt(characters.length)) throw failure(`index out of range: ${index}`);
  return characters[Number(index)] ?? "";
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  let left = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  return text.replaceAll(from, (found) => (left-- > 0 ? to : found));
}

function findAll(text: string, pattern: string, limit: bigint): readonly string[] {
  return patternOf(pattern).findAll(text, Number(limit));
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quote(text: string): string {
  return `"${[...text].map((character) => escapes[character] ?? character).join("")}"`;
}

/** Throws what CEL says of an expression that is none. */
export function patternOf(pattern: string): GoPattern {
  try {
    return goPattern(pattern);
  } catch (cause) {
    throw failure(`Illegal regex: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}
