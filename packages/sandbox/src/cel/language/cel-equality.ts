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

/** Equality as in CEL: numbers by value; lists of type set and map whatever their order. */
export function celEquals(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const [one, other] = [numeric(left), numeric(right)];
  if (one !== undefined && other !== undefined) return one >= other && one <= other;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && listsEqual(left, right);
  if (isMap(left)) return isMap(right) && mapsEqual(left, right);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && bytesEqual(left, right);
  if (left instanceof OptionalValue) {
    if (!(right instanceof OptionalValue)) return false;
    return left.hasValue && right.hasValue
      ? celEquals(left.value, right.value)
      : left.hasValue === right.hasValue;
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

function mapsEqual(left: CelMap, right: CelMap): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) if (!right.has(key) || !celEquals(value, right.get(key))) return false;
  return true;
}

function listsEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  const kind = kinds.get(left) ?? kinds.get(right);
  if (kind === undefined) return left.every((item, index) => celEquals(item, right[index]));
  if (kind.type === "set") return left.every((item) => right.some((other) => celEquals(item, other)));
  return left.every((item) =>
    right.some((other) => isSame(item, other, kind.keys) && celEquals(item, other)),
  );
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
