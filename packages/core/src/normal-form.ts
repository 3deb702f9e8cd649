import {
  defaultedWhenZero,
  meaningfulWhenEmpty,
  meaningfulWhenZero,
  quantityFields,
  quantityMaps,
  textMaps,
} from "./built-in-fields.ts";
import { type FieldPath, isAmong, pathIn } from "./field-path.ts";
import { deepEqual, isDeeperThan, isRecord } from "./json.ts";
import { formatQuantity, InvalidQuantityError, parseQuantity, roundUpQuantity } from "./quantity.ts";

/** Whether zero values which mean the same as no value are dropped. They are kept where they must be looked for. */
export type Zeros = "drop" | "keep";

/** Objects of built-in kinds are never nested so deeply. Such a value has no normal form. */
const deepest = 200;

export function hasNormalForm(value: object): boolean {
  return !isDeeperThan(deepest, value);
}

/**
 * One form for all ways to write the same object of a built-in kind, or the part of one that is at `path`. The value must
 * have a normal form: it is walked by recursion.
 */
export function normalForm(value: object, path: FieldPath, zeros: Zeros): Readonly<Record<string, unknown>> {
  const fields: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const normalized = normalize(field, pathIn(path, name), zeros);
    if (normalized !== undefined) fields.push([name, normalized]);
  }
  return Object.fromEntries(fields);
}

export function isZero(value: unknown): boolean {
  return value === false || value === 0 || value === "";
}

function normalize(value: unknown, path: FieldPath, zeros: Zeros): unknown {
  if (value === null || value === undefined) return undefined;
  if (isAmong(quantityFields, path)) return normalizeQuantity(value, path);
  if (Array.isArray(value)) return normalizeList(value, path, zeros);
  if (typeof value === "object") return normalizeField(value, path, zeros);
  if (isDroppedZero(value, path, zeros)) return undefined;
  return path === "port" || path.endsWith(".port") ? String(value) : value;
}

function normalizeField(value: object, path: FieldPath, zeros: Zeros): unknown {
  const isTextMap = isAmong(textMaps, path);
  const normalized = isTextMap ? value : normalizeNested(value, path, zeros);
  const isStated = Object.keys(normalized).length > 0 || (!isTextMap && isAmong(meaningfulWhenEmpty, path));
  return isStated ? normalized : undefined;
}

function normalizeNested(value: object, path: FieldPath, zeros: Zeros): object {
  if (!isAmong(quantityMaps, path)) return normalForm(value, path, zeros);
  return Object.fromEntries(Object.entries(value).map(([name, amount]) => [name, roundedQuantity(amount)]));
}

/** An element stays even if it is empty or zero: `args: [""]` is one argument. */
function normalizeList(list: readonly unknown[], path: FieldPath, zeros: Zeros): unknown {
  if (list.length === 0) return undefined;
  return list.map((element) => (isRecord(element) ? normalForm(element, path, zeros) : element));
}

function isDroppedZero(value: unknown, path: FieldPath, zeros: Zeros): boolean {
  if (!isZero(value) || isAmong(meaningfulWhenZero, path)) return false;
  return zeros === "drop" || isAmong(defaultedWhenZero, path);
}

/** The server prints a divisor of 0 where there is none. */
function normalizeQuantity(value: unknown, path: FieldPath): unknown {
  const normalized = canonicalQuantity(value, (quantity) => quantity);
  return path.endsWith("divisor") && normalized === "0" ? undefined : normalized;
}

function roundedQuantity(value: unknown): unknown {
  return canonicalQuantity(value, (quantity) => roundUpQuantity(quantity, -3));
}

/** One text for one amount. What is not a quantity stays as it is: the server will refuse it. */
function canonicalQuantity(
  value: unknown,
  adjust: (quantity: ReturnType<typeof parseQuantity>) => ReturnType<typeof parseQuantity>,
): unknown {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return value;
  try {
    const { nanos } = adjust(parseQuantity(value));
    return formatQuantity({ nanos, format: "DecimalSI" });
  } catch (error) {
    if (error instanceof InvalidQuantityError) return value;
    throw error;
  }
}

/**
 * Whether two pod templates mean the same, both as one side wrote them or both as the server stored them.
 *
 * Not a difference: a field that is absent, null, an empty list or map, or the zero value of a field for which the
 * server keeps none; how a quantity is written (`1` and `1000m`); a port as a number or as its digits. A difference:
 * everything else, also the order of every list, and a default that is spelt out on one side only. To compare what is
 * desired with what the server stored, use isCoveredBy.
 */
export function podTemplatesEqual(a: object, b: object): boolean {
  if (!(hasNormalForm(a) && hasNormalForm(b))) return deepEqual(a, b);
  return deepEqual(normalForm(a, "", "drop"), normalForm(b, "", "drop"));
}
