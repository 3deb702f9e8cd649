import { isJsonObject } from "../schema/json-document.ts";
import type { FieldType, ListType } from "./field-type.ts";
import { keyElement, valueElement } from "./path-element.ts";

/** The identity of an element of a list, or why it has none. */
type ElementIdentity = { readonly element: string } | { readonly problem: string };

/** For lists that are owned by element. */
export function identify(list: ListType, item: unknown): ElementIdentity {
  return list.keys.length > 0 ? identifyByKeys(list, item) : identifyByValue(item);
}

function identifyByKeys(list: ListType, item: unknown): ElementIdentity {
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isJsonObject(item)) return { problem: "associative list with keys may not have non-map elements" };
  const fields: (readonly [string, unknown])[] = [];
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : list.keyDefault(key);
    // An element without the key is different from every element with it.
    if (value !== undefined) fields.push([key, value]);
  }
  if (fields.length > 0) return { element: keyElement(fields) };
  const keys = `[${list.keys.map((key) => JSON.stringify(key)).join(" ")}]`;
  return {
    problem: `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
  };
}

function identifyByValue(item: unknown): ElementIdentity {
  if (item === null)
    return { problem: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { problem: "not supported: associative list with lists as elements" };
  if (isJsonObject(item)) {
    return { problem: "associative list without keys has an element that's a map type" };
  }
  return { element: valueElement(item) };
}

/** The items by their identity, in the order of the list. Items without an identity are left out. */
export function itemsByElement(list: ListType, items: readonly unknown[]): Map<string, unknown[]> {
  const byElement = new Map<string, unknown[]>();
  for (const item of items) {
    const identity = identify(list, item);
    if ("problem" in identity) continue;
    const same = byElement.get(identity.element);
    if (same === undefined) byElement.set(identity.element, [item]);
    else same.push(item);
  }
  return byElement;
}

/** The form in which a value is owned: for a type of several forms, that of the value. */
export function formOf(type: FieldType, value: unknown): "map" | "scalar" | "list" {
  if (Array.isArray(value)) {
    if (type.list !== undefined) return "list";
  } else if (typeof value === "object") {
    if (type.map !== undefined && value !== null) return "map";
  } else if (type.scalar !== undefined) return "scalar";
  if (type.map !== undefined) return "map";
  return type.scalar !== undefined ? "scalar" : "list";
}

/** The fields of a map; none for null and for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : noFields;
}

/** The items of a list; none for any other value. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : noItems;
}

const noFields: Readonly<Record<string, unknown>> = Object.freeze({});
const noItems: readonly unknown[] = Object.freeze([]);

export function hasFields(fields: object): boolean {
  for (const _name in fields) return true;
  return false;
}
