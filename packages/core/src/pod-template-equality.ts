import { deepEqual } from "./deep-equal.ts";
import { isRecord } from "./json.ts";
import {
  defaultedWhenZero,
  defaultsInKeys,
  listKeys,
  meaningfulWhenEmpty,
  meaningfulWhenZero,
  orderedLists,
  quantityFields,
  quantityMaps,
  textMaps,
} from "./pod-template-fields.ts";
import { formatQuantity, InvalidQuantityError, parseQuantity, roundUpQuantity } from "./quantity.ts";

/**
 * Whether two pod templates mean the same, both as one side wrote them or both as the server stored them.
 *
 * Not a difference: a field that is absent, null, an empty list or map, or the zero value of a field for which the
 * server keeps none; how a quantity is written (`1` and `1000m`); a port as a number or as its digits. A difference:
 * everything else, also the order of every list, and a default that is spelt out on one side only. To compare what is
 * wanted with what the server stored, use isCoveredBy.
 */
export function podTemplatesEqual(a: object, b: object): boolean {
  return deepEqual(normalizeObject(a, "drop"), normalizeObject(b, "drop"));
}

/**
 * Whether `actual` already says everything that `desired` says. It does not tell what `desired` no longer says: an
 * apply by the manager who said it before would remove that, so ask this only where nothing is ever taken back.
 * Defaults of the server, and what others added, are no difference: fields and entries of maps that `desired` does not
 * state, and elements of lists with keys (containers, env, ports, volumes, volumeMounts and so on) that it does not
 * have. Elements are matched by key; only env and initContainers must also be in the same order. Other lists, such as
 * args, must have the same elements in the same order. Stating null, an empty list or an empty map states nothing.
 */
export function isCoveredBy(desired: object, actual: object): boolean {
  return covers(normalizeObject(actual, "drop"), normalizeObject(desired, "keep"), "");
}

/** Whether zero values which mean the same as no value are dropped. They are kept where they must be looked for. */
type Zeros = "drop" | "keep";

function normalize(value: unknown, field: string, zeros: Zeros): unknown {
  if (value === null || value === undefined) return undefined;
  if (quantityFields.has(field)) return normalizeQuantity(value, field);
  if (Array.isArray(value)) return normalizeList(value, zeros);
  if (typeof value === "object") return normalizeField(value, field, zeros);
  if (isDroppedZero(value, field, zeros)) return undefined;
  return field === "port" ? String(value) : value;
}

function normalizeField(value: object, field: string, zeros: Zeros): unknown {
  const normalized = normalizeNested(value, field, zeros);
  return Object.keys(normalized).length > 0 || meaningfulWhenEmpty.has(field) ? normalized : undefined;
}

function normalizeNested(value: object, field: string, zeros: Zeros): object {
  if (textMaps.has(field)) return value;
  if (!quantityMaps.has(field)) return normalizeObject(value, zeros);
  return Object.fromEntries(Object.entries(value).map(([name, amount]) => [name, roundedQuantity(amount)]));
}

function normalizeObject(value: object, zeros: Zeros): Readonly<Record<string, unknown>> {
  const fields: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const normalized = normalize(field, name, zeros);
    if (normalized !== undefined) fields.push([name, normalized]);
  }
  return Object.fromEntries(fields);
}

/** An element stays even if it is empty or zero: `args: [""]` is one argument. */
function normalizeList(list: readonly unknown[], zeros: Zeros): unknown {
  if (list.length === 0) return undefined;
  return list.map((element) => (isRecord(element) ? normalizeObject(element, zeros) : element));
}

function isDroppedZero(value: unknown, field: string, zeros: Zeros): boolean {
  return (
    isZero(value) && !meaningfulWhenZero.has(field) && (zeros === "drop" || defaultedWhenZero.has(field))
  );
}

function isZero(value: unknown): boolean {
  return value === false || value === 0 || value === "";
}

/** The server prints a divisor of 0 where there is none. */
function normalizeQuantity(value: unknown, field: string): unknown {
  const normalized = canonicalQuantity(value, (quantity) => quantity);
  return field === "divisor" && normalized === "0" ? undefined : normalized;
}

function roundedQuantity(value: unknown): unknown {
  return canonicalQuantity(value, (quantity) => roundUpQuantity(quantity, -3));
}

/** One text for one amount. What is not a quantity stays as it is: the server will refuse it. */
function canonicalQuantity(
  value: unknown,
  adjust: (quantity: ReturnType<typeof parseQuantity>) => ReturnType<typeof parseQuantity>,
): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  try {
    const { nanos } = adjust(parseQuantity(value));
    return formatQuantity({ nanos, format: "DecimalSI" });
  } catch (error) {
    if (error instanceof InvalidQuantityError) return value;
    throw error;
  }
}

function covers(actual: unknown, desired: unknown, field: string): boolean {
  if (Array.isArray(desired)) {
    if (!Array.isArray(actual)) return false;
    const keys = listKeys.get(field);
    return keys === undefined
      ? coversInFull(actual, desired)
      : coversByKey(actual, desired, keys, orderedLists.has(field));
  }
  if (isRecord(desired)) {
    if (meaningfulWhenEmpty.has(field) && !isRecord(actual)) return false;
    if (isTakenFromElsewhere(actual, desired)) return false;
    const isMap = textMaps.has(field) || quantityMaps.has(field);
    return Object.entries(desired).every(([name, value]) => {
      const counterpart = isRecord(actual) && Object.hasOwn(actual, name) ? actual[name] : undefined;
      return isMap ? counterpart === value : covers(counterpart, value, name);
    });
  }
  if (actual === undefined) return isZero(desired) && !meaningfulWhenZero.has(field);
  return actual === desired;
}

/** An empty value is not stored, but it is still not the value that is taken from a Secret. */
function isTakenFromElsewhere(actual: unknown, desired: Readonly<Record<string, unknown>>): boolean {
  return desired.value === "" && isRecord(actual) && actual.valueFrom !== undefined;
}

function coversInFull(actual: readonly unknown[], desired: readonly unknown[]): boolean {
  if (actual.length !== desired.length) return false;
  return desired.every((element, index) =>
    isRecord(element) ? covers(actual[index], element, "") : element === actual[index],
  );
}

function coversByKey(
  actual: readonly unknown[],
  desired: readonly unknown[],
  keys: readonly string[],
  isOrdered: boolean,
): boolean {
  const positions = new Map<string, number[]>();
  for (const [index, element] of actual.entries()) {
    const key = keyOf(element, keys);
    positions.set(key, [...(positions.get(key) ?? []), index]);
  }
  let last = -1;
  for (const element of desired) {
    // A key that occurs twice, as a variable may, is matched with its occurrences in turn.
    const position = positions.get(keyOf(element, keys))?.shift();
    if (position === undefined || !covers(actual[position], element, "")) return false;
    if (isOrdered && position < last) return false;
    last = position;
  }
  return true;
}

function keyOf(element: unknown, keys: readonly string[]): string {
  if (!isRecord(element)) return JSON.stringify(element) ?? "";
  return JSON.stringify(keys.map((key) => element[key] ?? defaultsInKeys.get(key) ?? null));
}
