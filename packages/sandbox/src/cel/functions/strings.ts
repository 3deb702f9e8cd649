import { type GoPattern, goPattern } from "../../schema/go-pattern.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";
import { formatText } from "./format-text.ts";

export const strings: Functions = [
  ["string.contains(string): bool", (text: string, part: string) => text.includes(part)],
  ["string.startsWith(string): bool", (text: string, part: string) => text.startsWith(part)],
  ["string.endsWith(string): bool", (text: string, part: string) => text.endsWith(part)],
  ["matches(string, string): bool", matches],
  ["string.matches(string): bool", matches],
  ["string.charAt(int): string", charAt],
  ["string.indexOf(string): int", (text: string, part: string) => indexOf(text, part, 0n)],
  ["string.indexOf(string, int): int", indexOf],
  ["string.lastIndexOf(string): int", lastIndexOf],
  ["string.lastIndexOf(string, int): int", lastIndexBefore],
  ["string.lowerAscii(): string", (text: string) => text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())],
  ["string.upperAscii(): string", (text: string) => text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase())],
  [
    "string.replace(string, string): string",
    (text: string, from: string, to: string) => replaceSome(text, from, to, -1n),
  ],
  ["string.replace(string, string, int): string", replaceSome],
  ["string.split(string): list<string>", (text: string, separator: string) => split(text, separator, -1n)],
  ["string.split(string, int): list<string>", split],
  ["string.substring(int): string", (text: string, start: bigint) => substring(text, start, undefined)],
  ["string.substring(int, int): string", substring],
  [
    "string.trim(): string",
    (text: string) => text.replaceAll(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, ""),
  ],
  ["list<string>.join(): string", (list: readonly string[]) => list.join("")],
  ["list<string>.join(string): string", (list: readonly string[], separator: string) => list.join(separator)],
  ["string.format(list<dyn>): string", formatText],
  ["string.find(string): string", (text: string, pattern: string) => patternOf(pattern).find(text) ?? ""],
  [
    "string.findAll(string): list<string>",
    (text: string, pattern: string) => patternOf(pattern).findAll(text, -1),
  ],
  [
    "string.findAll(string, int): list<string>",
    (text: string, pattern: string, limit: bigint) => patternOf(pattern).findAll(text, Number(limit)),
  ],
  ["strings.quote(string): string", quote],
];

function matches(text: string, pattern: string): boolean {
  try {
    return goPattern(pattern).test(text);
  } catch (cause) {
    throw failure(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** Throws what CEL says of an expression that is none. */
function patternOf(pattern: string): GoPattern {
  try {
    return goPattern(pattern);
  } catch (cause) {
    throw failure(`Illegal regex: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function outOfRange(index: bigint): Error {
  return failure(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): string {
  const characters = [...text];
  if (index < 0n || index > BigInt(characters.length)) throw outOfRange(index);
  return characters[Number(index)] ?? "";
}

/** Places are counted in characters, not in units of UTF-16. */
function indexOf(text: string, part: string, offset: bigint): bigint {
  if (part === "") return offset;
  if (offset < 0n) throw outOfRange(offset);
  const characters = [...text];
  const start = characters.slice(0, Number(offset)).join("").length;
  const found = text.indexOf(part, start);
  return found < 0 || offset >= BigInt(characters.length) ? -1n : BigInt([...text.slice(0, found)].length);
}

function lastIndexOf(text: string, part: string): bigint {
  const { length } = [...text];
  if (part === "") return BigInt(length);
  return length === 0 ? -1n : lastIndexBefore(text, part, BigInt(length - 1));
}

function lastIndexBefore(text: string, part: string, offset: bigint): bigint {
  if (part === "") return offset;
  if (offset < 0n) throw outOfRange(offset);
  const characters = [...text];
  if (offset >= BigInt(characters.length)) return -1n;
  const start = characters.slice(0, Number(offset)).join("").length;
  const found = text.lastIndexOf(part, start);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  let left = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const pattern = from === "" ? /(?:)/gu : from;
  return text.replaceAll(pattern, (found) => (left-- > 0 ? to : found));
}

function split(text: string, separator: string, limit: bigint): readonly string[] {
  if (limit === 0n) return [];
  const parts = separator === "" ? [...text] : text.split(separator);
  const most = Number(limit);
  if (limit < 0n || parts.length <= most) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

function substring(text: string, start: bigint, end: bigint | undefined): string {
  const characters = [...text];
  const length = BigInt(characters.length);
  if (end !== undefined && start > end)
    throw failure(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > length) throw outOfRange(start);
  if (end !== undefined && (end < 0n || end > length)) throw outOfRange(end);
  return characters.slice(Number(start), Number(end ?? length)).join("");
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
