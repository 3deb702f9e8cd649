import { deepEqual } from "@keelson/core";
import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import type { Bound } from "../structural/number-schema.ts";
import type { Note } from "./compare-crds.ts";
import { comparePatterns, compareStringFormats, patternsOf } from "./compare-text.ts";
import { isMultiple, isTighterLower, isTighterUpper, rangeOf } from "./number-range.ts";

type Size = "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties";

const leastSizes: readonly Size[] = ["minLength", "minItems", "minProperties"];
const greatestSizes: readonly Size[] = ["maxLength", "maxItems", "maxProperties"];

/** Notes where fewer values are allowed than before. */
export function compareLimits(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  compareValues(last, next, path, note);
  // Limits on numbers do not touch strings, and the other way round.
  if (last.type !== "string") compareNumbers(last, next, path, note);
  if (last.type !== "integer" && last.type !== "number") {
    compareSizes(withImpliedLengths(last), next, path, note);
    comparePatterns(last, next, path, note);
    compareStringFormats(last, next, path, note);
  }
  compareJunctors(last, next, path, note);
}

function compareSizes(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  for (const size of leastSizes) {
    const [was = 0, is = 0] = [last[size], next[size]];
    if (is > was) note("breaking", path, `${size} rose from ${was} to ${is}.`);
  }
  for (const size of greatestSizes) {
    const [was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY] = [last[size], next[size]];
    if (is < was)
      note("breaking", path, `${size} fell from ${Number.isFinite(was) ? was : "none"} to ${is}.`);
  }
}

/** An enum of strings is a limit on their length, too. */
function withImpliedLengths(node: JSONSchemaProps): JSONSchemaProps {
  const lengths = (node.enum ?? [])
    .filter((value) => typeof value === "string")
    .map((text) => [...text].length);
  if (lengths.length === 0) return node;
  return { ...node, minLength: Math.min(...lengths), maxLength: Math.max(...lengths) };
}

function compareNumbers(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  // What the next enum allows is judged value by value.
  const { enum: _, ...limits } = next;
  const [was, is] = [rangeOf(last), rangeOf(limits)];
  const tighter = [
    ...(isTighterLower(is.lower, was.lower) ? [`The minimum is ${describeBound(is.lower)} now.`] : []),
    ...(isTighterUpper(is.upper, was.upper) ? [`The maximum is ${describeBound(is.upper)} now.`] : []),
  ];
  if (tighter.length > 0) note("breaking", path, tighter.join(" "));
  const steps = multiplesOf(last);
  for (const step of multiplesOf(next)) {
    const fits =
      last.enum?.every((value) => typeof value !== "number" || isMultiple(value, step)) ??
      (steps.some((known) => isMultiple(known, step)) || (last.type === "integer" && isMultiple(1, step)));
    if (!fits) note("breaking", path, `Values must be multiples of ${step} now.`);
  }
}

function multiplesOf({ multipleOf, allOf = [] }: JSONSchemaProps): readonly number[] {
  return [...(multipleOf === undefined ? [] : [multipleOf]), ...allOf.flatMap(multiplesOf)];
}

function describeBound({ value, exclusive }: Bound): string {
  return exclusive ? `${value}, itself excluded,` : `${value}`;
}

function compareValues(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  if (last.nullable === true && next.nullable !== true) note("breaking", path, "It cannot be null any more.");
  if (next.enum === undefined) return;
  if (last.enum === undefined) {
    note("breaking", path, `Only ${describeValues(next.enum)} are allowed now.`);
    return;
  }
  const removed = last.enum.filter((value) => !next.enum?.some((other) => deepEqual(value, other)));
  if (removed.length > 0) note("breaking", path, `${describeValues(removed)} is not allowed any more.`);
}

function describeValues(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}

/** Alternatives cannot be weighed against each other; they can be recognised. */
function compareJunctors(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  const holds = (list: readonly unknown[], searched: unknown): boolean =>
    list.some((item) => deepEqual(item, searched));
  const [lastAny, nextAny] = [last.anyOf, next.anyOf];
  const anyOfIsWider = nextAny === undefined || lastAny?.every((branch) => holds(nextAny, branch)) === true;
  const oneOfIsSame = next.oneOf === undefined || deepEqual(last.oneOf, next.oneOf);
  const allOfIsWider = (next.allOf ?? []).every(
    (branch) => isWeighed(branch) || holds(last.allOf ?? [], branch),
  );
  const notIsSame = next.not === undefined || deepEqual(last.not, next.not);
  if (anyOfIsWider && oneOfIsSame && allOfIsWider && notIsSame) return;
  note("risky", path, "Its alternatives (anyOf, oneOf, allOf, not) changed, and may allow less than before.");
}

/** Whether all that a branch of allOf requires is compared elsewhere, with what stands beside it. */
function isWeighed(branch: JSONSchemaProps): boolean {
  return Object.keys(branch).length === multiplesOf(branch).length + patternsOf(branch).length;
}
