import { isJsonObject, type JsonObject, setField } from "../patch/json-value.ts";
import { type FieldSet, isMember } from "./field-set.ts";
import { type FieldType, type ListType, type MapType, typeOfField } from "./field-type.ts";
import { formOf, identify } from "./list-element.ts";
import { fieldElement } from "./path-element.ts";

/** The value without the fields and items of the set; what becomes empty stays as an empty container. */
export function removeItems(value: unknown, items: FieldSet, type: FieldType): unknown {
  const form = formOf(type, value);
  if (form === "scalar") return value;
  if (form === "map") return isJsonObject(value) ? fromMap(value, items, type.map) : null;
  return Array.isArray(value) ? fromList(value, items, type.list) : null;
}

function fromMap(value: JsonObject, items: FieldSet, map: MapType | undefined): unknown {
  if (map === undefined || map.isAtomic) return {};
  const out: JsonObject = {};
  for (const name of Object.keys(value)) {
    const node = items[fieldElement(name)];
    if (node === undefined) setField(out, name, value[name]);
    else if (!isMember(node)) setField(out, name, removeItems(value[name], node, typeOfField(map, name)));
  }
  return out;
}

function fromList(value: readonly unknown[], items: FieldSet, list: ListType | undefined): unknown {
  if (list === undefined || list.relation === "atomic") return [];
  const out: unknown[] = [];
  for (const item of value) {
    const identity = identify(list, item);
    const node = "problem" in identity ? undefined : items[identity.element];
    if (node === undefined) out.push(item);
    else if (!isMember(node)) out.push(removeItems(item, node, list.element));
  }
  return out;
}
