import { type Constraint, refuseConstraints } from "./checks.ts";
import type { Place } from "./place.ts";
import type { StructuralSchema } from "./structural-schema.ts";

interface Limit {
  readonly value: number;
  readonly exclusive: boolean;
}

/** The number formats of zod in Kubernetes' words. A JavaScript integer is at home in int64. */
const formats: Readonly<Record<string, StructuralSchema>> = {
  safeint: { type: "integer", format: "int64" },
  int32: { type: "integer", format: "int32" },
  uint32: { type: "integer", format: "int64" },
  float32: { type: "number", format: "float" },
  float64: { type: "number", format: "double" },
};

const uint32: { readonly lower: Limit; readonly upper: Limit } = {
  lower: { value: 0, exclusive: false },
  upper: { value: 2 ** 32 - 1, exclusive: false },
};

/** What a number may be: integer or not, its bounds, what it is a multiple of. */
export function numberSchema(constraints: readonly Constraint[], at: Place): StructuralSchema {
  const lower: Limit[] = [];
  const upper: Limit[] = [];
  const multiples: number[] = [];
  let kind: StructuralSchema = { type: "number" };
  for (const constraint of constraints) {
    const { check } = constraint;
    if (check === "number_format") {
      const known = formats[constraint.format] ?? kind;
      // An integer stays one, whatever is said later.
      kind = kind.type === "integer" && known.type === "number" ? kind : known;
      if (constraint.format === "uint32") {
        lower.push(uint32.lower);
        upper.push(uint32.upper);
      }
    } else if (check === "greater_than") {
      lower.push({ value: Number(constraint.value), exclusive: !constraint.inclusive });
    } else if (check === "less_than") {
      upper.push({ value: Number(constraint.value), exclusive: !constraint.inclusive });
    } else if (check === "multiple_of") multiples.push(Number(constraint.value));
    else refuseConstraints([constraint], at);
  }
  return { ...kind, ...lowerBound(lower), ...upperBound(upper), ...allMultiples(multiples) };
}

function lowerBound(limits: readonly Limit[]): StructuralSchema {
  const tightest = limits.toSorted(
    (a, b) => b.value - a.value || Number(b.exclusive) - Number(a.exclusive),
  )[0];
  if (tightest === undefined) return {};
  return { minimum: tightest.value, ...(tightest.exclusive && { exclusiveMinimum: true }) };
}

function upperBound(limits: readonly Limit[]): StructuralSchema {
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
