import { type Constraint, refuseConstraints } from "./checks.ts";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** A bound that numbers are held to. */
export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

export interface Range {
  readonly least: number;
  readonly most: number;
}

export const int32: Range = { least: -(2 ** 31), most: 2 ** 31 - 1 };

const largestFloat = (2 - 2 ** -23) * 2 ** 127;
export const float: Range = { least: -largestFloat, most: largestFloat };

interface NumberFormat extends Range {
  readonly name: string;
  readonly node: StructuralSchema;
  /** What to do where numbers beyond the range are needed. */
  readonly remedy: string;
}

/** int64 as far as JavaScript has integers. */
const safe: Range = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };
const double: Range = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE };

const anyNumber: NumberFormat = {
  name: "a number",
  node: { type: "number" },
  ...double,
  remedy: "leave the bound out",
};

/** The number formats of zod in Kubernetes' words, the narrowest first: of several, the narrowest counts. */
const formats: readonly NumberFormat[] = [
  {
    name: "int32",
    node: { type: "integer", format: "int32" },
    ...int32,
    remedy: "use z.int() or z.uint32()",
  },
  {
    name: "uint32",
    node: { type: "integer", format: "int64" },
    least: 0,
    most: 2 ** 32 - 1,
    remedy: "use z.int()",
  },
  { name: "safeint", node: { type: "integer", format: "int64" }, ...safe, remedy: "leave the bound out" },
  { name: "float32", node: { type: "number", format: "float" }, ...float, remedy: "use z.float64()" },
  {
    name: "float64",
    node: { type: "number", format: "double" },
    ...double,
    remedy: "leave the bound out",
  },
];

/** What the server holds numbers of a format to by itself. */
const heldByServer: Readonly<Record<string, Range>> = { int32, int64: safe, float, double };

/** What a number may be: integer or not, its bounds, what it is a multiple of. */
export function numberSchema(constraints: readonly Constraint[], at: SchemaPosition): StructuralSchema {
  const requested = new Set<string>();
  const lower: Bound[] = [];
  const upper: Bound[] = [];
  const multiples: number[] = [];
  for (const constraint of constraints) {
    const { check } = constraint;
    if (check === "number_format") requested.add(constraint.format);
    else if (check === "greater_than") {
      lower.push({ value: Number(constraint.value), exclusive: !constraint.inclusive });
    } else if (check === "less_than") {
      upper.push({ value: Number(constraint.value), exclusive: !constraint.inclusive });
    } else if (check === "multiple_of") multiples.push(Number(constraint.value));
    else refuseConstraints([constraint], at);
  }
  const known = formats.filter(({ name }) => requested.has(name));
  const format = known[0] ?? anyNumber;
  const isInteger = format.node.type === "integer";
  // The server refuses every value if the bound of an integer is a fraction.
  const bounds = {
    lower: lower.filter(({ value }) => value !== Number.NEGATIVE_INFINITY).map(isInteger ? roundUp : same),
    upper: upper.filter(({ value }) => value !== Number.POSITIVE_INFINITY).map(isInteger ? roundDown : same),
  };
  checkBounds([...bounds.lower, ...bounds.upper], format, at);
  checkMultiples(multiples, format, at);
  const own = rangeBeyondFormat(known, format);
  return {
    ...format.node,
    ...lowerBound([...bounds.lower, ...own.lower]),
    ...upperBound([...bounds.upper, ...own.upper]),
    ...allMultiples(multiples),
  };
}

/** The node with the range of its format in numbers instead: without a type beside it, a format of numbers has no effect. */
export function withoutNumberFormat(node: StructuralSchema): StructuralSchema {
  const { format, ...rest } = node;
  const held = heldByServer[format ?? ""];
  if (held === undefined) return node;
  // Integers are int64, and numbers double, without a format.
  if (held === safe || held === double) return rest;
  const { least: minimum, most: maximum } = held;
  return { ...rest, minimum: node.minimum ?? minimum, maximum: node.maximum ?? maximum };
}

function same(limit: Bound): Bound {
  return limit;
}

/** What the formats of zod require beyond the server's: that a uint32 has no sign only the schema can express. */
function rangeBeyondFormat(
  known: readonly NumberFormat[],
  { node }: NumberFormat,
): { readonly lower: readonly Bound[]; readonly upper: readonly Bound[] } {
  const held = heldByServer[node.format ?? "double"] ?? double;
  const least = Math.max(held.least, ...known.map((format) => format.least));
  const most = Math.min(held.most, ...known.map((format) => format.most));
  return {
    lower: least > held.least ? [{ value: least, exclusive: false }] : [],
    upper: most < held.most ? [{ value: most, exclusive: false }] : [],
  };
}

/** The server refuses every value, not only the bound, if the format cannot hold the bound. */
function checkBounds(
  limits: readonly Bound[],
  { name, least, most, remedy }: NumberFormat,
  at: SchemaPosition,
): void {
  for (const { value } of limits) {
    if (value >= least && value <= most) continue;
    at.report(`is bounded by ${value}, which ${name} cannot hold`, remedy);
  }
}

function checkMultiples(
  multiples: readonly number[],
  { name, node, most }: NumberFormat,
  at: SchemaPosition,
): void {
  for (const multiple of multiples) {
    const fits = multiple > 0 && multiple <= most && (node.type !== "integer" || Number.isInteger(multiple));
    if (fits) continue;
    at.report(
      `is a multiple of ${multiple}, where the server wants a positive ${name}`,
      "use another multiple, or z.number()",
    );
  }
}

function lowerBound(limits: readonly Bound[]): StructuralSchema {
  const tightest = limits.toSorted(
    (a, b) => b.value - a.value || Number(b.exclusive) - Number(a.exclusive),
  )[0];
  if (tightest === undefined) return {};
  return { minimum: tightest.value, ...(tightest.exclusive && { exclusiveMinimum: true }) };
}

function upperBound(limits: readonly Bound[]): StructuralSchema {
  const tightest = limits.toSorted(
    (a, b) => a.value - b.value || Number(b.exclusive) - Number(a.exclusive),
  )[0];
  if (tightest === undefined) return {};
  return { maximum: tightest.value, ...(tightest.exclusive && { exclusiveMaximum: true }) };
}

function allMultiples(multiples: readonly number[]): StructuralSchema {
  const [first, ...others] = multiples;
  if (first === undefined) return {};
  return others.length === 0
    ? { multipleOf: first }
    : { allOf: multiples.map((multipleOf) => ({ multipleOf })) };
}

/** A lower bound as the least integer that it allows. */
export function roundUp({ value, exclusive }: Bound): Bound {
  const least = Math.ceil(value) + 0; // not -0
  return { value: exclusive && least === value ? least + 1 : least, exclusive: false };
}

/** An upper bound as the greatest integer that it allows. */
export function roundDown({ value, exclusive }: Bound): Bound {
  const most = Math.floor(value);
  return { value: exclusive && most === value ? most - 1 : most, exclusive: false };
}
