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
  if (isNumeric(left) && isNumeric(right)) return Number(left) === Number(right);
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && listsEqual(left, right);
  if (left instanceof Date) return right instanceof Date && left.getTime() === right.getTime();
  if (left instanceof Uint8Array) return right instanceof Uint8Array && bytesEqual(left, right);
  if (isPlain(left)) return isPlain(right) && !Array.isArray(right) && mapsEqual(left, right);
  return left.constructor === right.constructor && String(left) === String(right);
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isPlain(value: object): value is Record<string, unknown> {
  return value.constructor === Object || value.constructor === undefined;
}

function bytesEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function mapsEqual(left: Record<string, unknown>, right: Record<string, unknown>): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && celEquals(left[name], right[name]));
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
  return typeof value === "object" && value !== null && isPlain(value) ? value[key] : undefined;
}
