import { formatJson, parseJson } from "@keelson/core";
import { fieldOf, isJsonObject, type JsonObject } from "../schema/json-document.ts";

/*
 * A step of a path to a field, as FieldsV1 writes it: `f:name` a field, `k:{"name":"web"}` the element of a list with
 * these keys, `v:"x"` an element with this value, `i:3` an index (of atomic lists; only read).
 */

/** Names are repeated, and a string that the engine already knows as a key is much faster than a new one. */
const fieldElements = new Map<string, string>();
const maxKnown = 5_000;

export function fieldElement(name: string): string {
  const known = fieldElements.get(name);
  if (known !== undefined) return known;
  if (fieldElements.size >= maxKnown) fieldElements.clear();
  const element = `f:${name}`;
  fieldElements.set(name, element);
  return element;
}

export function valueElement(value: unknown): string {
  return `v:${goJson(value)}`;
}

/** The fields must be sorted by name. */
export function keyElement(fields: readonly (readonly [name: string, value: unknown])[]): string {
  return `k:{${fields.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(",")}}`;
}

/** JSON as Go writes it into strings: also safe inside of HTML. */
export function goJson(value: unknown): string {
  const json = formatJson(value);
  return /[<>&\u2028\u2029]/.test(json) ? json.replace(/[<>&\u2028\u2029]/g, escaped) : json;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The name of the field that the element is; undefined for elements of lists. */
function fieldNameOf(element: string): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

const rank: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** The order of elements in FieldsV1: by kind, then fields by name, elements of lists by their values. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  const kind = a[0] ?? "";
  if (kind !== b[0]) return (rank[kind] ?? 4) - (rank[b[0] ?? ""] ?? 4);
  if (kind === "k") return compareKeys(parsedElement(a), parsedElement(b));
  if (kind === "v" || kind === "i") return compareValues(parsedElement(a), parsedElement(b));
  return compareTexts(a, b);
}

/** Sorts in place. */
export function sortElements(elements: string[]): string[] {
  const plain = elements.every((element) => element.startsWith("f:"));
  return plain ? elements.sort() : elements.sort(compareElements);
}

/** Elements of lists are compared often, and few of them are different. */
const parsedElements = new Map<string, unknown>();

function parsedElement(element: string): unknown {
  const known = parsedElements.get(element);
  if (known !== undefined) return known;
  if (parsedElements.size >= maxKnown) parsedElements.clear();
  const parsed = parsedText(element.slice(2));
  parsedElements.set(element, parsed);
  return parsed;
}

function parsedText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // This server writes JSON only; any other text is ordered like null.
    return null;
  }
}

function compareKeys(a: unknown, b: unknown): number {
  const [left, right] = [isJsonObject(a) ? a : {}, isJsonObject(b) ? b : {}];
  const [leftNames, rightNames] = [Object.keys(left).sort(), Object.keys(right).sort()];
  for (const [index, name] of leftNames.entries()) {
    const other = rightNames[index];
    if (other === undefined) return 1;
    const order = compareTexts(name, other) || compareValues(fieldOf(left, name), fieldOf(right, name));
    if (order !== 0) return order;
  }
  return leftNames.length - rightNames.length;
}

const typeRank: Readonly<Record<string, number>> = { number: 0, bigint: 0, string: 1, boolean: 2 };

function compareValues(a: unknown, b: unknown): number {
  if (isNumeric(a) && isNumeric(b)) return Number(a > b) - Number(a < b);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  return (typeRank[typeof a] ?? 3) - (typeRank[typeof b] ?? 3) || compareTexts(goJson(a), goJson(b));
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The element in messages: `.name`, `[name="web"]`, `[="x"]`, `[3]`. */
export function formatElement(element: string): string {
  const name = fieldNameOf(element);
  if (name !== undefined) return `.${name}`;
  const value = parsedElement(element);
  if (element.startsWith("k:") && isJsonObject(value)) return `[${formatKeys(value)}]`;
  return element.startsWith("v:") ? `[=${formatJson(value)}]` : `[${formatJson(value)}]`;
}

function formatKeys(keys: JsonObject): string {
  return Object.keys(keys)
    .sort()
    .map((name) => `${name}=${formatJson(fieldOf(keys, name))}`)
    .join(",");
}

/**
 * An element from a client in the form that this server writes; undefined for an unknown kind of element. Throws
 * SyntaxError if it is invalid.
 */
export function normalElement(text: string): string | undefined {
  if (text.length < 2 || text[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  const rest = text.slice(2);
  if (text[0] === "f") return text;
  if (text[0] === "v") return valueElement(parseJson(rest));
  if (text[0] === "i") {
    if (!/^[+-]?\d+$/.test(rest)) throw new SyntaxError(`no index: ${text}`);
    return `i:${Number(rest)}`;
  }
  if (text[0] !== "k") return undefined;
  const keys = parseJson(rest);
  if (!isJsonObject(keys)) throw new SyntaxError(`no keys: ${text}`);
  return keyElement(
    Object.keys(keys)
      .sort()
      .map((name) => [name, fieldOf(keys, name)]),
  );
}
