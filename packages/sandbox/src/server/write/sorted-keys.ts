import { type GenericObject, isDeeperThan, isRecord, sortFields } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";

/**
 * A custom object with sorted keys, as the server stores and returns it; parts that are sorted already are shared.
 * Objects of built-in kinds are unchanged. (JavaScript always orders keys that are numbers first.)
 */
export function withSortedKeys(
  resource: Pick<ServedResource, "isCustom">,
  object: GenericObject,
): GenericObject {
  if (!resource.isCustom) return object;
  const sortPart = isDeeperThan(deepest, object) ? ofDeepObject : ofObject;
  return asObject(sortedFields(object, sortPart));
}

/** The same for an object before it is stored: with a place for the resourceVersion, which the store sets. */
export function sortedForStore(
  resource: Pick<ServedResource, "isCustom">,
  object: GenericObject,
): GenericObject {
  if (!resource.isCustom) return object;
  const { metadata } = object;
  if (metadata.resourceVersion !== undefined) return withSortedKeys(resource, object);
  return withSortedKeys(resource, { ...object, metadata: { ...metadata, resourceVersion: "" } });
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields with the keys of all levels sorted, as Go writes maps. */
export function sortedRecord(fields: Fields): Fields {
  return sortedFields(fields);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return sortedItems(value);
  return isRecord(value) ? sortedFields(value) : value;
}

function sortedItems(
  items: readonly unknown[],
  sortItem: (item: unknown) => unknown = sorted,
): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = sortItem(items[index]);
    if (item === items[index]) continue;
    changed ??= [...items];
    changed[index] = item;
  }
  return changed ?? items;
}

function sortedFields(fields: Fields, sortValue: (value: unknown, key: string) => unknown = sorted): Fields {
  const keys = Object.keys(fields);
  let isSame = areInOrder(keys);
  if (!isSame) keys.sort(compareBytes);
  const values: unknown[] = [];
  for (const key of keys) {
    const value = sortValue(fields[key], key);
    if (value !== fields[key]) isSame = false;
    values.push(value);
  }
  return isSame ? fields : objectOf(keys, values);
}

function ofObject(value: unknown, key: string): unknown {
  return key === "metadata" && isRecord(value) ? sortedFields(value, ofMetadata) : sorted(value);
}

/** Parts that are nested deeper are sorted without recursion, and not shared. */
const deepest = 300;

function ofDeepObject(value: unknown, key: string): unknown {
  return key === "metadata" ? ofObject(value, key) : sortFields(value);
}

function ofMetadata(value: unknown, key: string): unknown {
  return key === "managedFields" && Array.isArray(value) ? sortedItems(value, ofEntry) : sorted(value);
}

/** FieldsV1 has an order of its own, that of path elements. */
function ofEntry(entry: unknown): unknown {
  return isRecord(entry) ? sortedFields(entry, (value) => value) : entry;
}

function areInOrder(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1) {
    if (compareBytes(keys[index - 1] ?? "", keys[index] ?? "") > 0) return false;
  }
  return true;
}

function objectOf(keys: readonly string[], values: readonly unknown[]): Fields {
  // By assignment, this key would change what the object inherits.
  if (keys.includes("__proto__")) return Object.fromEntries(keys.map((key, index) => [key, values[index]]));
  const object: Record<string, unknown> = {};
  for (let index = 0; index < keys.length; index += 1) object[keys[index] ?? ""] = values[index];
  return object;
}

/** By UTF-8, which has another order than UTF-16 only where surrogates come in. */
function compareBytes(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const unit = one.charCodeAt(index);
    const otherUnit = other.charCodeAt(index);
    if (unit === otherUnit) continue;
    if (unit < firstSurrogate || otherUnit < firstSurrogate) return unit - otherUnit;
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return one.length - other.length;
}

const firstSurrogate = 0xd800;

/** The same object, only in another order. */
function asObject(value: unknown): GenericObject {
  return value as GenericObject;
}
