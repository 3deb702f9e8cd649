import { draft, isDeeperThan } from "@keelson/core";
import type { FieldSchema } from "../schema/field-schema.ts";
import { fieldOf, isJsonObject, type JsonObject, setField } from "../schema/json-document.ts";
import { badRequest, plainError } from "../status/api-error.ts";
import { goText, goType, goValue } from "./go-format.ts";
import { withoutNulls } from "./merge-patch.ts";
import { declares, elementsOf, patchMetaOf, typeNameOf } from "./patch-meta.ts";
import { checkAgainstOrder, inOrder, mergeList } from "./strategic-list.ts";

const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/**
 * Applies a strategic merge patch to a copy of a built-in object: lists merge by the merge keys of the schema, and
 * `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` are directives. Throws ApiError.
 */
export function applyStrategicMergePatch(
  object: Readonly<JsonObject>,
  patch: Readonly<Record<string, unknown>>,
  schema: FieldSchema,
): JsonObject {
  return mergeMaps(draft(object), draft(patch), schema);
}

/** Merges the patch into the target. Both are private copies and may be changed. */
function mergeMaps(target: JsonObject, patch: JsonObject, schema: FieldSchema | undefined): JsonObject {
  if (Object.hasOwn(patch, "$patch")) return directed(patch);
  retainKeys(target, patch);
  orderLists(target, patch, schema);
  for (const key of Object.keys(patch)) {
    const value = fieldOf(patch, key);
    if (key.startsWith(deletePrefix)) deleteElements(target, afterPrefix(key, deletePrefix), value, schema);
    else mergeField(target, key, value, schema);
  }
  return target;
}

function directed(patch: JsonObject): JsonObject {
  const directive = fieldOf(patch, "$patch");
  if (directive === "delete") return {};
  if (directive !== "replace") {
    throw plainError(`unknown patch type: ${goText(directive)} in map: ${goValue(patch)}`);
  }
  delete patch.$patch;
  return patch;
}

function mergeField(target: JsonObject, key: string, value: unknown, schema: FieldSchema | undefined): void {
  const current = fieldOf(target, key);
  const meta = patchMetaOf(schema, key);
  if (value === null) delete target[key];
  else if (isJsonObject(current) && isJsonObject(value)) {
    setField(target, key, meta.strategy === "replace" ? value : mergeMaps(current, value, meta.schema));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const merges = meta.strategy === "merge";
    setField(target, key, merges ? mergeLists(current, value, meta.schema, meta.mergeKey) : value);
  } else {
    const kept = withoutDirectives(withoutNulls(value));
    if (kept === undefined) delete target[key];
    else setField(target, key, kept);
  }
}

function mergeLists(
  current: unknown[],
  patch: unknown[],
  schema: FieldSchema | undefined,
  mergeKey: string,
): unknown[] {
  const elements = elementsOf(schema);
  return mergeList(current, patch, mergeKey, (old, change) => mergeMaps(old, change, elements));
}

/** A merge cannot remove elements from a list of scalars, so a directive beside the list does. */
function deleteElements(
  target: JsonObject,
  key: string | undefined,
  removed: unknown,
  schema: FieldSchema | undefined,
): void {
  if (key === undefined) throw badRequest("invalid patch format of primitive list");
  const current = fieldOf(target, key);
  if (removed === null) delete target[key];
  if (!Array.isArray(current) || !Array.isArray(removed)) return;
  const { schema: list, mergeKey } = patchMetaOf(schema, key);
  if ([...current, ...removed].some(isJsonObject)) {
    setField(target, key, mergeLists(current, removed, list, mergeKey));
  } else {
    const removedElements = new Set(removed);
    setField(
      target,
      key,
      current.filter((element) => !removedElements.has(element)),
    );
  }
}

/** `$retainKeys`: fields that it does not name are removed; the patch may set only fields that it names. */
function retainKeys(target: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, "$retainKeys")) return;
  const retained = fieldOf(patch, "$retainKeys");
  delete patch.$retainKeys;
  if (!Array.isArray(retained)) throw badRequest("invalid patch format of retainKeys");
  const names = new Set<unknown>(retained);
  for (const key of Object.keys(patch)) {
    const directs = key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
    if (fieldOf(patch, key) !== null && !directs && !names.has(key)) {
      throw badRequest("invalid patch format of retainKeys");
    }
  }
  for (const key of Object.keys(target)) if (!names.has(key)) delete target[key];
}

/** `$setElementOrder/…`: merges these lists first, in the given order. */
function orderLists(target: JsonObject, patch: JsonObject, schema: FieldSchema | undefined): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(orderPrefix)) continue;
    const order = fieldOf(patch, directive);
    delete patch[directive];
    if (!Array.isArray(order)) throw expectedList(order);
    const key = afterPrefix(directive, orderPrefix);
    if (key === undefined) throw badRequest("invalid patch format of setElementOrder list");
    orderList(target, patch, { key, order, schema });
  }
}

interface ListOrder {
  readonly key: string;
  readonly order: readonly unknown[];
  readonly schema: FieldSchema | undefined;
}

function orderList(target: JsonObject, patch: JsonObject, { key, order, schema }: ListOrder): void {
  const current = listOf(target, key);
  const change = listOf(patch, key);
  if (!declares(schema, key)) throw unknownField(schema, key);
  const { schema: list, strategy, mergeKey } = patchMetaOf(schema, key);
  if (change !== undefined) checkAgainstOrder(change, order, mergeKey);
  if (current === undefined && change === undefined) return;
  const merged = mergedForOrder(current, change, () =>
    strategy === "merge" ? mergeLists([...(current ?? [])], change ?? [], list, mergeKey) : (change ?? []),
  );
  setField(target, key, inOrder(merged, order, current ?? [], mergeKey));
  delete patch[key];
}

function unknownField(schema: FieldSchema | undefined, key: string): Error {
  const where = typeNameOf(schema) ?? "ObjectMeta";
  return plainError(`unable to find api field in struct ${where} for the json field ${JSON.stringify(key)}`);
}

function mergedForOrder(
  current: unknown[] | undefined,
  change: unknown[] | undefined,
  both: () => unknown[],
): readonly unknown[] {
  if (change === undefined) return current ?? [];
  if (current !== undefined) return both();
  const kept = withoutDirectives(change);
  return Array.isArray(kept) ? kept : [];
}

function listOf(object: JsonObject, key: string): unknown[] | undefined {
  if (!Object.hasOwn(object, key)) return undefined;
  const value = object[key];
  if (!Array.isArray(value)) throw expectedList(value);
  return value;
}

function expectedList(value: unknown): Error {
  return plainError(`expected a []interface {}, but received a ${goType(value)}`);
}

/** `$prefix/field` names a field; `$prefix` alone does not. */
function afterPrefix(key: string, prefix: string): string | undefined {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : undefined;
}

/** No field of a built-in kind has a value that is nested deeper. */
const deepest = 300;

/** A new value without objects that have a `$patch` directive; undefined for such an object itself. */
function withoutDirectives(value: unknown): unknown {
  return isDeeperThan(deepest, value) ? value : keptOf(value);
}

function keptOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keptOf).filter((element) => element !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, "$patch")) return undefined;
  for (const key of Object.keys(value)) {
    const kept = keptOf(fieldOf(value, key));
    if (kept === undefined) delete value[key];
    else setField(value, key, kept);
  }
  return value;
}
