import { deepEqual, isRecord } from "@keelson/core";

/** Where two values differ, a line for each place: `spec.replicas: 3, not 2`. The first is what is wanted. */
export function differences(wanted: unknown, found: unknown, path = ""): readonly string[] {
  if (deepEqual(wanted, found)) return [];
  if (Array.isArray(wanted) && Array.isArray(found))
    return partsOf(Object.entries(wanted), Object.entries(found), path);
  if (isRecord(wanted) && isRecord(found))
    return partsOf(Object.entries(wanted), Object.entries(found), path);
  return [`${path === "" ? "all" : path}: ${shown(wanted)} was wanted, ${shown(found)} was found`];
}

function partsOf(
  wanted: readonly (readonly [string, unknown])[],
  found: readonly (readonly [string, unknown])[],
  path: string,
): readonly string[] {
  const left = new Map(wanted);
  const right = new Map(found);
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  return keys.flatMap((key) =>
    differences(left.get(key), right.get(key), path === "" ? key : `${path}.${key}`),
  );
}

const longestShown = 300;

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
