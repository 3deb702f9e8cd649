import { goPattern } from "../../schema/go-pattern.ts";
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
  [
    "string.find(string): string",
    (text: string, pattern: string) => goRegExp(pattern, "").exec(text)?.[0] ?? "",
  ],
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
  const found = [...text.matchAll(goRegExp(pattern, "g"))].map(([match]) => match);
  return limit < 0n ? found : found.slice(0, Number(limit));
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

/** An expression in the syntax of Go; throws what CEL says of one that is none. */
function goRegExp(pattern: string, flags: string): RegExp {
  try {
    const { source, flags: own } = goPattern(pattern);
    return new RegExp(source, `${own}${flags}`);
  } catch (cause) {
    throw failure(`Illegal regex: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}
