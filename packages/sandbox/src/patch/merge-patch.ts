import { draft } from "@keelson/core";
import { fieldOf, isJsonObject, type JsonObject, setField } from "../schema/json-document.ts";

/**
 * Applies an RFC 7386 patch to a copy of the object: null removes, objects merge, all else replaces. Nulls inside of
 * new values are dropped too, also in objects within lists, as the server's library does.
 */
export function applyMergePatch(
  object: Readonly<JsonObject>,
  patch: Readonly<Record<string, unknown>>,
): JsonObject {
  const result = draft(object);
  mergeInto(result, draft(patch));
  return result;
}

/** Not by recursion: a patch may be nested deeper than the stack. */
function mergeInto(object: JsonObject, objectPatch: JsonObject): void {
  const open = [{ target: object, patch: objectPatch }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { target, patch } = next;
    for (const key of Object.keys(patch)) {
      const value = fieldOf(patch, key);
      const current = fieldOf(target, key);
      if (value === null) delete target[key];
      else if (isJsonObject(current) && isJsonObject(value)) open.push({ target: current, patch: value });
      else setField(target, key, isJsonObject(current) ? value : withoutNulls(value));
    }
  }
}

/** The value without nulls, except as elements of lists. They are removed in place. */
export function withoutNulls(value: unknown): unknown {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) for (const item of next) open.push(item);
    if (!isJsonObject(next)) continue;
    for (const key of Object.keys(next)) {
      const field = fieldOf(next, key);
      if (field === null) delete next[key];
      else if (typeof field === "object") open.push(field);
    }
  }
  return value;
}
