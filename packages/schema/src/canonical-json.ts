import { isRecord } from "@keelson/core";

/** The same JSON value with the fields of every object in alphabetical order, so that equal values print equally. */
export function sortFields<T>(value: T): T;
export function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => sortFields(element));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => compareText(a, b))
      .map(([name, field]) => [name, sortFields(field)]),
  );
}

/** The order of code units, the same in every locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
