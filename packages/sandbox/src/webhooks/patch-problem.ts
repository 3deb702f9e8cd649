import { isRecord, type JsonPatchOperation } from "@keelson/core";
import { applyJsonPatch } from "../patch/json-patch.ts";
import type { JsonObject } from "../schema/json-document.ts";
import { ApiError, internalError } from "../status/api-error.ts";

/** Applies the patch of a webhook. Throws ApiError that names the operation that failed. */
export function applyWebhookPatch(
  object: Readonly<JsonObject>,
  operations: readonly JsonPatchOperation[],
): JsonObject {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw internalError(firstProblem(object, operations));
  }
}

/** Applies the operations of the patch one by one, to find the one that fails. */
function firstProblem(object: Readonly<JsonObject>, operations: readonly JsonPatchOperation[]): string {
  let before: Readonly<JsonObject> = object;
  for (const operation of operations) {
    try {
      before = applyJsonPatch(before, [operation]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return problemOf(before, operation);
    }
  }
  return "the patch does not apply";
}

const known: ReadonlySet<string> = new Set(["add", "remove", "replace", "move", "copy", "test"]);

function problemOf(object: Readonly<JsonObject>, operation: JsonPatchOperation): string {
  const { op = "unknown", path = "", from = "" }: Readonly<Record<string, unknown>> = { ...operation };
  if (!known.has(String(op))) return `Unexpected kind: ${op}`;
  if (op === "test") return `testing value ${path} failed: test failed`;
  const source = op === "move" || op === "copy" ? String(from) : String(path);
  const at = JSON.stringify(source);
  if (parentAt(object, source) === undefined) {
    const what = op === "move" || op === "copy" ? "from path" : "path";
    return `${op} operation does not apply: doc is missing ${what}: ${at}: missing value`;
  }
  const key = keysOf(source).at(-1) ?? "";
  const isMissing = !hasKey(parentAt(object, source), key);
  if (isMissing && op === "remove") {
    return `error in remove for path: '${source}': Unable to remove nonexistent key: ${key}: missing value`;
  }
  if (isMissing && op !== "add") {
    return `${op} operation does not apply: doc is missing key: ${at}: missing value`;
  }
  return `error in ${op} for path: '${path}': Unable to access invalid index: ${keysOf(String(path)).at(-1)}: invalid index referenced`;
}

function keysOf(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function parentAt(object: unknown, path: string): object | undefined {
  let parent: unknown = object;
  for (const key of keysOf(path).slice(0, -1)) {
    parent = isRecord(parent) || Array.isArray(parent) ? Reflect.get(parent, key) : undefined;
  }
  return isRecord(parent) || Array.isArray(parent) ? parent : undefined;
}

function hasKey(parent: object | undefined, key: string): boolean {
  return parent !== undefined && Object.hasOwn(parent, key);
}
