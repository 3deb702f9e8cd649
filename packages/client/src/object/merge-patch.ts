import { deepEqual, isRecord } from "@keelson/core";

/**
 * The RFC 7386 patch that turns one JSON object into another; undefined if they are equal. A field that is missing or
 * undefined in `after` is removed. Lists are replaced whole, which is all that a merge patch can do.
 */
export function mergePatchBetween(before: object, after: object): object | undefined {
  const patch: Record<string, unknown> = {};
  const from = new Map<string, unknown>(Object.entries(before));
  const to = new Map<string, unknown>(Object.entries(after).filter(([, value]) => value !== undefined));
  for (const key of from.keys()) if (from.get(key) !== undefined && !to.has(key)) patch[key] = null;
  for (const [key, value] of to) {
    const old = from.get(key);
    if (deepEqual(old, value)) continue;
    patch[key] = isRecord(old) && isRecord(value) ? mergePatchBetween(old, value) : value;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
