import {
  CelDuration,
  type CelMap,
  CelTimestamp,
  ExtensionValue,
  isMap,
  OptionalValue,
  TypeValue,
  Unsigned,
} from "./cel-values.ts";

/** How the elements of a list are identified, where the schema declares a set or a map. */
export type ListKind = { readonly type: "set" } | { readonly type: "map"; readonly keys: readonly string[] };

/** Lists of JSON have no place for it. */
const kinds = new WeakMap<object, ListKind>();

export function markList(list: object, kind: ListKind): void {
  kinds.set(list, kind);
}

/**
 * Equality as in CEL: numbers by value; lists of type set and map whatever their order. Values without a schema may be
 * nested deeply, so it does not recurse into them.
 */
export function celEquals(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const pairs: Pair[] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop())
    if (!isEqualSoFar(pair[0], pair[1], pairs)) return false;
  return true;
}

type Pair = readonly [unknown, unknown];

/** Whether values are equal if the pairs that it adds are. */
function isEqualSoFar(left: unknown, right: unknown, pairs: Pair[]): boolean {
  if (left === right) return true;
  const [one, other] = [numeric(left), numeric(right)];
  if (one !== undefined && other !== undefined) return one >= other && one <= other;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && listsEqual(left, right, pairs);
  if (isMap(left)) return isMap(right) && mapsEqual(left, right, pairs);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && bytesEqual(left, right);
  if (left instanceof OptionalValue) {
    if (!(right instanceof OptionalValue) || left.hasValue !== right.hasValue) return false;
    if (left.hasValue) pairs.push([left.value, right.value]);
    return true;
  }
  const isSimple =
    left instanceof ExtensionValue ||
    left instanceof CelDuration ||
    left instanceof CelTimestamp ||
    left instanceof TypeValue;
  return isSimple && left.constructor === right.constructor && String(left) === String(right);
}

function numeric(value: unknown): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof Unsigned ? value.value : undefined;
}

function bytesEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function mapsEqual(left: CelMap, right: CelMap, pairs: Pair[]): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) {
    if (!right.has(key)) return false;
    pairs.push([value, right.get(key)]);
  }
  return true;
}

function listsEqual(left: readonly unknown[], right: readonly unknown[], pairs: Pair[]): boolean {
  if (left.length !== right.length) return false;
  const kind = kinds.get(left) ?? kinds.get(right);
  if (kind?.type === "set") return left.every((item) => right.some((other) => celEquals(item, other)));
  if (kind?.type === "map") {
    return left.every((item) =>
      right.some((other) => isSame(item, other, kind.keys) && celEquals(item, other)),
    );
  }
  for (const [index, item] of left.entries()) pairs.push([item, right[index]]);
  return true;
}

/** `+` of lists: of type set without duplicates, of type map with the later of two with the same keys. */
export function concatLists(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const kind = kinds.get(left);
  if (kind === undefined) return [...left, ...right];
  const isTwin = (a: unknown, b: unknown): boolean =>
    kind.type === "set" ? celEquals(a, b) : isSame(a, b, kind.keys);
  const kept = left.map((item) => right.findLast((other) => isTwin(item, other)) ?? item);
  const joined = [...kept, ...right.filter((item) => !left.some((other) => isTwin(item, other)))];
  markList(joined, kind);
  return joined;
}

function isSame(left: unknown, right: unknown, keys: readonly string[]): boolean {
  return keys.every((key) => celEquals(fieldOf(left, key), fieldOf(right, key)));
}

function fieldOf(value: unknown, key: string): unknown {
  return isMap(value) ? value.get(key) : undefined;
}
