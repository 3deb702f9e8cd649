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

function mergeInto(target: JsonObject, patch: JsonObject): void {
  for (const key of Object.keys(patch)) {
    const value = fieldOf(patch, key);
    if (value === null) {
      delete target[key];
      continue;
    }
    const current = fieldOf(target, key);
    if (!isJsonObject(current)) setField(target, key, withoutNulls(value));
    else if (isJsonObject(value)) mergeInto(current, value);
    else setField(target, key, value);
  }
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  for (const key of Object.keys(value)) {
    const field = fieldOf(value, key);
    if (field === null) delete value[key];
    else setField(value, key, withoutNulls(field));
  }
  return value;
}
