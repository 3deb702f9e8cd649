import { type CelMap, isMap, type MapKey, mapKey, OptionalValue, typeNameOf } from "./cel-values.ts";
import { failure } from "./evaluation-failure.ts";

/** A key that no map can have is one like every other, and never found. */
export function keyOf(value: unknown): MapKey {
  return mapKey(value) ?? String(value);
}

export function insertEntry(map: Map<MapKey, unknown>, key: unknown, value: unknown): void {
  const at = keyOf(key);
  if (map.has(at)) throw failure(`insert failed: key ${String(key)} already exists`);
  map.set(at, value);
}

export function hasField(object: unknown, field: string): boolean {
  if (object instanceof OptionalValue) return object.hasValue && hasField(object.value, field);
  return isMap(object) && object.has(field);
}

/** With the name as the expression writes it, for the message. */
export function fieldOf(object: unknown, field: string, written: string): unknown {
  if (object instanceof OptionalValue) return optionalElement(object, field);
  if (isMap(object)) return valueAt(object, field, written);
  throw failure(`no such key: ${written}`);
}

function valueAt(map: CelMap, key: MapKey, written: unknown): unknown {
  const value = map.get(key);
  if (value !== undefined) return value;
  throw failure(`no such key: ${String(written)}`);
}

/** The index of a list that a number stands for. */
function listIndex(key: unknown): number {
  const index = mapKey(key);
  if (typeof index === "bigint") return Number(index);
  throw failure(`unsupported index type '${typeNameOf(key)}' in list`);
}

export function elementOf(container: unknown, key: unknown): unknown {
  if (container instanceof OptionalValue) return optionalElement(container, key);
  if (Array.isArray(container)) {
    const index = listIndex(key);
    if (index >= 0 && index < container.length) return container[index];
    throw failure(`index out of bounds: ${index}`);
  }
  const at = mapKey(key);
  if (isMap(container) && at !== undefined) return valueAt(container, at, key);
  throw failure(`no such key: ${String(key)}`);
}

export function optionalElement(container: unknown, key: unknown): OptionalValue {
  if (container instanceof OptionalValue)
    return container.hasValue ? optionalElement(container.value, key) : OptionalValue.none;
  if (Array.isArray(container)) {
    const index = listIndex(key);
    return index >= 0 && index < container.length ? OptionalValue.of(container[index]) : OptionalValue.none;
  }
  const at = mapKey(key);
  return isMap(container) && at !== undefined && container.has(at)
    ? OptionalValue.of(container.get(at))
    : OptionalValue.none;
}

/** How the real server calls the types of its values in one message. */
function implementationName(value: unknown): string {
  const name = typeNameOf(value).replace(/^.*\.|_type$/g, "");
  return `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** What a comprehension goes through: elements or keys, or both index or key and value. */
export function elementsOf(range: unknown, isPair: boolean): Iterable<readonly [unknown, unknown]> {
  if (Array.isArray(range))
    return range.map((value, index) => (isPair ? [BigInt(index), value] : [value, undefined]));
  if (isMap(range)) return range;
  throw failure(`got '${implementationName(range)}', expected iterable type`);
}
