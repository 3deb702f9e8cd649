import type { JSONSchemaProps } from "@keelson/core/kinds/apiextensions/v1";
import type { Note } from "./compare-crds.ts";

/** Formats that hold every value of the format, or of any string, before the arrow. */
const widened: ReadonlySet<string> = new Set(["→password", "uuid3→uuid", "uuid4→uuid", "uuid5→uuid"]);

/** Formats of numbers; they are ranges. */
const numeric: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** The patterns that a string must match, all of them. */
export function patternsOf({ pattern, allOf = [] }: JSONSchemaProps): readonly string[] {
  return [...(pattern === undefined ? [] : [pattern]), ...allOf.flatMap(patternsOf)];
}

export function comparePatterns(
  last: JSONSchemaProps,
  next: JSONSchemaProps,
  path: string,
  note: Note,
): void {
  const known = patternsOf(last);
  for (const pattern of patternsOf(next)) {
    if (known.includes(pattern) || last.enum?.every((value) => matches(value, pattern)) === true) continue;
    if (known.length === 0) note("breaking", path, `Values must match ${pattern} now.`);
    else note("risky", path, `The pattern changed from ${known.join(" and ")} to ${pattern}.`);
  }
}

/** Whether a value is known to match; it is not where the pattern is one that only RE2 can read. */
function matches(value: unknown, pattern: string): boolean {
  if (typeof value !== "string") return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    // Not an expression of JavaScript's, so it cannot be tried here.
    return false;
  }
}

export function compareStringFormats(
  last: JSONSchemaProps,
  next: JSONSchemaProps,
  path: string,
  note: Note,
): void {
  const [was = "", is = ""] = [last.format, next.format];
  if (is === "" || is === was || numeric.has(is) || widened.has(`${was}→${is}`)) return;
  note(
    "breaking",
    path,
    was === "" ? `Values must be of the format ${is} now.` : `The format changed from ${was} to ${is}.`,
  );
}
