import { CelCIDR, CelIP } from "../functions/ip.ts";
import { CelFormat } from "../functions/named-formats.ts";
import { isMap, OptionalValue } from "../language/cel-values.ts";

/** What it costs to make a list, a map. */
export const listCost = 10;
export const mapCost = 30;

/** Going through a text costs a tenth of a step per character. */
export const perCharacter = 0.1;
/** An expression of a pattern is guessed to have four characters. */
export const perPatternCharacter = 0.25;
/** Only two questions about access fit into the budget of one expression. */
export const accessCost = 350_000;

type Values = readonly unknown[];

/** What a call cost, in the units of the real server. Operators that choose among their operands cost nothing. */
export function callCost(name: string, values: Values, result: unknown): number {
  return costers[name]?.(values, result) ?? 1;
}

const traversal = (factor: number) => (values: Values) =>
  Math.ceil(sizeOf(values[0]) * factor * perCharacter);
const once = traversal(1);
const twice = traversal(2);

const ofPattern = ([text, pattern]: Values): number =>
  Math.ceil((1 + sizeOf(text)) * perCharacter) * Math.ceil(sizeOf(pattern) * perPatternCharacter);

const comparison = ([one, other]: Values): number =>
  Math.ceil(Math.min(sizeOf(one), sizeOf(other)) * perCharacter);

const textComparison = (values: Values): number | undefined =>
  typeof values[0] === "string" || values[0] instanceof Uint8Array ? comparison(values) : undefined;

const collection = (_values: Values, result: unknown): number => sizeOf(result) + 1 + listCost;

/** In the worst case each element is compared with every other one. */
const selfComparison = ([list]: Values): number => {
  const [first] = Array.isArray(list) ? list : [];
  const isText = typeof first === "string" || first instanceof Uint8Array;
  const factor = isText ? 2 + perCharacter : 2;
  return Math.trunc(sizeOf(list) ** 2 * factor) + 1 + listCost;
};

const setProduct =
  (factor: number) =>
  ([one, other]: Values): number =>
    1 + Math.floor(sizeOf(one) * sizeOf(other) * factor);

const costers: Readonly<Record<string, (values: Values, result: unknown) => number | undefined>> = {
  check: () => accessCost,
  isSorted: ([list]) => traversalCost(list),
  sum: ([list]) => traversalCost(list),
  max: ([list]) => traversalCost(list),
  min: ([list]) => traversalCost(list),
  indexOf: ([list]) => traversalCost(list),
  lastIndexOf: ([list]) => traversalCost(list),
  url: once,
  lowerAscii: once,
  upperAscii: once,
  substring: once,
  trim: once,
  startsWith: once,
  endsWith: once,
  format: once,
  "strings.quote": once,
  cidr: once,
  isIP: once,
  isCIDR: once,
  quantity: once,
  isQuantity: once,
  semver: once,
  isSemver: once,
  bytes: (values) => (typeof values[0] === "string" ? once(values) : undefined),
  string: (values) => (values[0] instanceof Uint8Array ? once(values) : undefined),
  ip: (values) => (typeof values[0] === "string" ? once(values) : undefined),
  replace: twice,
  split: twice,
  "ip.isCanonical": twice,
  join: (_values, result) => twice([result]),
  find: ofPattern,
  findAll: ofPattern,
  matches: ofPattern,
  validate: ([format, text]) =>
    Math.ceil((1 + sizeOf(text)) * perCharacter) *
    Math.ceil((format instanceof CelFormat ? format.patternLength : 1) * perPatternCharacter),
  contains: ([text, part]) => Math.ceil(sizeOf(text) * perCharacter) * Math.ceil(sizeOf(part) * perCharacter),
  containsIP: ([cidr, other]) =>
    Math.ceil(2 * sizeOf(cidr) * perCharacter) + (typeof other === "string" ? once([other]) : 0),
  containsCIDR: ([cidr, other]) =>
    Math.ceil(2 * sizeOf(cidr) * perCharacter) +
    once([cidr]) +
    1 +
    (typeof other === "string" ? once([other]) : 0),
  "@in": ([, container]) => (Array.isArray(container) ? container.length : undefined),
  "_==_": comparison,
  "_!=_": comparison,
  "_<_": textComparison,
  "_<=_": textComparison,
  "_>_": textComparison,
  "_>=_": textComparison,
  "_+_": ([one, other]) =>
    typeof one === "string" || one instanceof Uint8Array
      ? Math.ceil((sizeOf(one) + sizeOf(other)) * perCharacter)
      : undefined,
  slice: collection,
  reverse: collection,
  "lists.range": collection,
  flatten: ([list, depth = 1n]) => Math.trunc(sizeOf(list) * Number(depth)) + 1 + listCost,
  distinct: selfComparison,
  sort: selfComparison,
  "@sortByAssociatedKeys": ([, keys]) => selfComparison([keys]),
  "sets.contains": setProduct(1),
  "sets.intersects": setProduct(1),
  "sets.equivalent": setProduct(2),
};

function sizeOf(value: unknown): number {
  if (typeof value === "string") return countCharacters(value);
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  if (isMap(value)) return value.size;
  if (value instanceof OptionalValue) return value.hasValue ? sizeOf(value.value) : 1;
  if (value instanceof CelIP) return value.family === 4 ? 4 : 16;
  return value instanceof CelCIDR ? Math.ceil(value.prefixLength / 8) : 1;
}

/** A pair of surrogates is one character. */
function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    count++;
    if ((text.codePointAt(index) ?? 0) > 0xffff) index++;
  }
  return count;
}

function traversalCost(value: unknown): number {
  if (typeof value === "string") return Math.trunc(Buffer.byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.trunc(value.length * perCharacter);
  if (Array.isArray(value)) return value.reduce<number>((total, item) => total + traversalCost(item), 0);
  if (!isMap(value)) return 1;
  let total = 0;
  for (const [key, inner] of value) total += traversalCost(key) + traversalCost(inner);
  return total;
}
