import { isJsonObject, type JsonObject, setField } from "../schema/json-document.ts";
import { difference, type FieldSet, intersection, isEmpty, isMember, union } from "./field-set.ts";
import { type FieldType, type ListType, type MapType, typeOfField } from "./field-type.ts";
import { fieldsOfConfiguration, withNamedFields } from "./fields-of-configuration.ts";
import { formOf, identify } from "./list-element.ts";
import type { Owners } from "./managers.ts";
import { fieldElement } from "./path-element.ts";

/**
 * The merged object without the fields that its applier owned before and no longer applies, unless they have another owner.
 * `owners` has the applier's new fields already.
 */
export function prune(
  merged: unknown,
  owners: Owners,
  previous: FieldSet | undefined,
  type: FieldType,
): unknown {
  if (previous === undefined || isEmpty(previous)) return merged;
  const named = (set: FieldSet): FieldSet => withNamedFields(set, type);
  const present = named(fieldsOfConfiguration(merged, type));
  const last = named(previous);
  const bare = removeItems(merged, last, type);
  let owned: FieldSet = {};
  for (const { set } of owners.values()) owned = union(owned, set);
  const kept = union(named(fieldsOfConfiguration(bare, type)), named(owned));
  const pruned = removeItems(merged, difference(present, kept), type);
  // Fields without an owner must not be removed with the owned fields that contain them.
  const removed = difference(present, named(fieldsOfConfiguration(pruned, type)));
  return removeItems(merged, intersection(removed, last), type);
}

/** The value without the fields and items of the set; a container that becomes empty stays. */
function removeItems(value: unknown, items: FieldSet, type: FieldType): unknown {
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
