import { deepEqual } from "@keelson/core";
import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import type { Note } from "./incompatibility.ts";

type Bound = "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties";

const lowerBounds: readonly Bound[] = ["minLength", "minItems", "minProperties"];
const upperBounds: readonly Bound[] = ["maxLength", "maxItems", "maxProperties"];

/** Formats that hold every value of the format, or of the bare type, before the arrow. */
const widened: ReadonlySet<string> = new Set([
  "→int64",
  "int32→int64",
  "→double",
  "float→double",
  "→password",
]);

/** Notes where fewer values are allowed than before. */
export function compareLimits(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  for (const bound of lowerBounds) {
    const [was = 0, is = 0] = [last[bound], next[bound]];
    if (is > was) note("breaking", path, `${bound} rose from ${was} to ${is}.`);
  }
  for (const bound of upperBounds) {
    const [was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY] = [last[bound], next[bound]];
    if (is < was)
      note("breaking", path, `${bound} fell from ${Number.isFinite(was) ? was : "none"} to ${is}.`);
  }
  compareRange(last, next, path, note);
  compareValues(last, next, path, note);
  comparePattern(last, next, path, note);
  compareJunctors(last, next, path, note);
}

function compareRange(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  const { minimum, maximum, multipleOf } = next;
  const wasLower = last.minimum ?? Number.NEGATIVE_INFINITY;
  if (
    minimum !== undefined &&
    (minimum > wasLower || (minimum === wasLower && isNewly("exclusiveMinimum", last, next)))
  ) {
    note("breaking", path, `The minimum is ${describeBound(minimum, next.exclusiveMinimum)} now.`);
  }
  const wasUpper = last.maximum ?? Number.POSITIVE_INFINITY;
  if (
    maximum !== undefined &&
    (maximum < wasUpper || (maximum === wasUpper && isNewly("exclusiveMaximum", last, next)))
  ) {
    note("breaking", path, `The maximum is ${describeBound(maximum, next.exclusiveMaximum)} now.`);
  }
  const fits =
    multipleOf === undefined || (last.multipleOf !== undefined && last.multipleOf % multipleOf === 0);
  if (!fits) note("breaking", path, `Values must be multiples of ${multipleOf} now.`);
}

function isNewly(
  key: "exclusiveMinimum" | "exclusiveMaximum",
  last: JSONSchemaProps,
  next: JSONSchemaProps,
): boolean {
  return next[key] === true && last[key] !== true;
}

function describeBound(value: number, exclusive = false): string {
  return exclusive ? `${value}, itself excluded,` : `${value}`;
}

function compareValues(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  if (last.nullable === true && next.nullable !== true) note("breaking", path, "It cannot be null any more.");
  if (next.enum === undefined) return;
  if (last.enum === undefined) {
    note("breaking", path, `Only ${describeValues(next.enum)} are allowed now.`);
    return;
  }
  const gone = last.enum.filter((value) => !next.enum?.some((other) => deepEqual(value, other)));
  if (gone.length > 0) note("breaking", path, `${describeValues(gone)} is not allowed any more.`);
}

function describeValues(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}

function comparePattern(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  if (next.pattern !== undefined && next.pattern !== last.pattern) {
    if (last.pattern === undefined) note("breaking", path, `Values must match ${next.pattern} now.`);
    else note("risky", path, `The pattern changed from ${last.pattern} to ${next.pattern}.`);
  }
  const [was = "", is = ""] = [last.format, next.format];
  if (is !== "" && is !== was && !widened.has(`${was}→${is}`)) {
    note(
      "breaking",
      path,
      was === "" ? `Values must be of the format ${is} now.` : `The format changed from ${was} to ${is}.`,
    );
  }
}

/** Alternatives cannot be weighed against each other; they can be recognised. */
function compareJunctors(last: JSONSchemaProps, next: JSONSchemaProps, path: string, note: Note): void {
  const holds = (list: readonly unknown[], wanted: unknown): boolean =>
    list.some((item) => deepEqual(item, wanted));
  const [lastAny, nextAny] = [last.anyOf, next.anyOf];
  const anyOfIsWider = nextAny === undefined || lastAny?.every((branch) => holds(nextAny, branch)) === true;
  const oneOfIsSame = next.oneOf === undefined || deepEqual(last.oneOf, next.oneOf);
  const allOfIsWider = (next.allOf ?? []).every((branch) => holds(last.allOf ?? [], branch));
  const notIsSame = next.not === undefined || deepEqual(last.not, next.not);
  if (anyOfIsWider && oneOfIsSame && allOfIsWider && notIsSame) return;
  note("risky", path, "Its alternatives (anyOf, oneOf, allOf, not) changed, and may allow less than before.");
}
