import { deepEqual, isRecord } from "@keelson/core";

/** Where two values differ, a line for each place: `spec.replicas: 3, not 2`. The first is the expected value. */
export function differences(expected: unknown, found: unknown, path = ""): readonly string[] {
  if (deepEqual(expected, found)) return [];
  if (Array.isArray(expected) && Array.isArray(found))
    return partsOf(Object.entries(expected), Object.entries(found), path);
  if (isRecord(expected) && isRecord(found))
    return partsOf(Object.entries(expected), Object.entries(found), path);
  return [`${path === "" ? "all" : path}: ${shown(expected)} was expected, ${shown(found)} was found`];
}

function partsOf(
  expected: readonly (readonly [string, unknown])[],
  found: readonly (readonly [string, unknown])[],
  path: string,
): readonly string[] {
  const left = new Map(expected);
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
