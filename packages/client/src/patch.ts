import { deepEqual, isRecord, type JsonPatchOperation } from "@keelson/core";

/** A change to an object, in one of the three ways that the API server knows beside server-side apply. */
export interface Patch {
  readonly contentType: string;
  readonly value: unknown;
}

/** RFC 6902: operations in order, all or none. A `test` operation makes the whole conditional. */
export function jsonPatch(operations: readonly JsonPatchOperation[]): Patch {
  return { contentType: "application/json-patch+json", value: operations };
}

/** RFC 7386: what is given replaces, null removes, lists are replaced whole. */
export function mergePatch(value: object): Patch {
  return { contentType: "application/merge-patch+json", value };
}

/** As merge patch, but lists with keys are merged by key. For built-in kinds only. */
export function strategicMergePatch(value: object): Patch {
  return { contentType: "application/strategic-merge-patch+json", value };
}

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
