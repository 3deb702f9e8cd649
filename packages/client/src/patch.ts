import type { JsonPatchOperation } from "@keelson/core";

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
