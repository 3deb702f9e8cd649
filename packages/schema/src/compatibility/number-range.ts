import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import { type Bound, float, int32, type Range, roundDown, roundUp } from "../structural/number-schema.ts";

export interface NumberRange {
  readonly lower: Bound;
  readonly upper: Bound;
}

const everything: Range = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
/** As near as JavaScript's numbers come to it. */
const int64: Range = { least: -(2 ** 63), most: 2 ** 63 };

/** What the server holds numbers of a format to. Integers of any other format are int64. */
const formatRanges: Readonly<Record<string, Range>> = { int32, float };

/** The numbers that a schema allows, whether it limits them with bounds, a format or an enum. */
export function rangeOf(node: JSONSchemaProps): NumberRange {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, format = "" } = node;
  const isWhole = node.type === "integer" || node["x-kubernetes-int-or-string"] === true;
  const { least, most } = formatRanges[format] ?? (isWhole ? int64 : everything);
  const numbers = (node.enum ?? []).filter((value) => typeof value === "number");
  const lower = [
    { value: minimum, exclusive: node.exclusiveMinimum === true },
    included(least),
    ...(numbers.length > 0 ? [included(Math.min(...numbers))] : []),
  ];
  const upper = [
    { value: maximum, exclusive: node.exclusiveMaximum === true },
    included(most),
    ...(numbers.length > 0 ? [included(Math.max(...numbers))] : []),
  ];
  return {
    lower: (isWhole ? lower.map(roundUp) : lower).reduce((a, b) => (isTighterLower(b, a) ? b : a)),
    upper: (isWhole ? upper.map(roundDown) : upper).reduce((a, b) => (isTighterUpper(b, a) ? b : a)),
  };
}

export function isTighterLower(bound: Bound, than: Bound): boolean {
  return bound.value > than.value || (bound.value === than.value && bound.exclusive && !than.exclusive);
}

export function isTighterUpper(bound: Bound, than: Bound): boolean {
  return bound.value < than.value || (bound.value === than.value && bound.exclusive && !than.exclusive);
}

/** Whether a number is a multiple of another, within the precision of fractions: 0.3 is a multiple of 0.1. */
export function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

function included(value: number): Bound {
  return { value, exclusive: false };
}
