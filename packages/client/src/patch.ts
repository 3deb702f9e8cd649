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
  const root: ChangedObject = { before, after, fields: new Map() };
  const compared = [root];
  // Not by recursion: the depth of an object is what its author chose, and the stack is limited.
  for (const changed of compared) compared.push(...compareFields(changed));
  for (const { parent, name, fields } of compared.toReversed()) {
    if (parent !== undefined && name !== undefined && fields.size > 0)
      parent.fields.set(name, Object.fromEntries(fields));
  }
  return root.fields.size === 0 ? undefined : Object.fromEntries(root.fields);
}

/** Two states of an object, and what a patch has to set in it. */
interface ChangedObject {
  readonly before: object;
  readonly after: object;
  readonly fields: Map<string, unknown>;
  /** The object that it is in, and its name there. */
  readonly parent?: ChangedObject;
  readonly name?: string;
}

/** Finds the fields to set, and returns the objects that have to be compared as well. */
function compareFields(parent: ChangedObject): readonly ChangedObject[] {
  const { fields } = parent;
  const nested: ChangedObject[] = [];
  const from = new Map<string, unknown>(Object.entries(parent.before));
  const to = new Map<string, unknown>(
    Object.entries(parent.after).filter(([, value]) => value !== undefined),
  );
  for (const name of from.keys()) if (from.get(name) !== undefined && !to.has(name)) fields.set(name, null);
  for (const [name, after] of to) {
    const before = from.get(name);
    if (isRecord(before) && isRecord(after)) nested.push({ before, after, fields: new Map(), parent, name });
    else if (!deepEqual(before, after)) fields.set(name, after);
  }
  return nested;
}
