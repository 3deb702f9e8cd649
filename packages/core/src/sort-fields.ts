import { copyJson } from "./copy-json.ts";

/**
 * A copy of a JSON value with the fields of every object in alphabetical order, so that equal values print equally. What
 * is undefined is dropped.
 */
export function sortFields<T>(value: T): T;
export function sortFields(value: unknown): unknown {
  return copyJson(value, sortedEntries);
}

function sortedEntries(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(object)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => compareText(a, b));
}

/** The order of code units, the same in every locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
