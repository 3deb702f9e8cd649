import { isJsonObject } from "../schema/json-document.ts";
import { asMember, emptySet, type FieldSet, type FieldSetDraft, isEmpty, leaf } from "./field-set.ts";
import { type FieldType, type ListType, type MapType, typeOfField } from "./field-type.ts";
import { fieldsOf, formOf, itemsByElement, itemsOf } from "./list-element.ts";
import { fieldElement, sortElements } from "./path-element.ts";

/**
 * The fields of an object, which its applier owns: every leaf, every element of a list and every entry of a map, but not
 * the objects that the schema declares.
 */
export function fieldsOfConfiguration(object: unknown, type: FieldType): FieldSet {
  return fieldsIn(object, type) ?? emptySet;
}

/** Undefined if there are none; a leaf for the value itself. */
function fieldsIn(value: unknown, type: FieldType): FieldSet | undefined {
  const form = formOf(type, value);
  if (form === "scalar") return leaf;
  if (form === "map" && type.map !== undefined) return type.map.isAtomic ? leaf : inMap(value, type.map);
  if (type.list === undefined || type.list.relation === "atomic") return leaf;
  return inList(itemsOf(value), type.list);
}

function inMap(value: unknown, map: MapType): FieldSet | undefined {
  const fields = fieldsOf(value);
  const out: FieldSetDraft = {};
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field === undefined) continue;
    const inner = fieldsIn(field, typeOfField(map, name));
    const isWhole = field === null || (isJsonObject(field) && isEmptyMap(field));
    const node = isWhole || map.declared(name) === undefined ? asMember(inner) : inner;
    if (node !== undefined) out[fieldElement(name)] = node;
  }
  return isEmpty(out) ? undefined : out;
}

function isEmptyMap(value: object): boolean {
  return Object.keys(value).length === 0;
}

function inList(items: readonly unknown[], list: ListType): FieldSet | undefined {
  const byElement = itemsByElement(list, items);
  if (byElement.size === 0) return undefined;
  const out: FieldSetDraft = {};
  for (const element of sortElements([...byElement.keys()])) {
    const same = byElement.get(element) ?? [];
    out[element] = same.length > 1 ? leaf : asMember(fieldsIn(same[0], list.element));
  }
  return out;
}

/**
 * The set with the declared objects that contain its fields, which sets leave out: a set of `spec.replicas` then also has
 * `spec`.
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const out: FieldSetDraft = {};
  for (const element in set) {
    const node = set[element] ?? leaf;
    if (element === "." || isEmpty(node)) {
      out[element] = node;
      continue;
    }
    const isField = element.startsWith("f:");
    const name = element.slice(2);
    const declared = isField ? type?.map?.declared(name) : undefined;
    const inner = withNamedFields(node, isField ? (declared ?? type?.map?.element) : type?.list?.element);
    out[element] = declared === undefined ? inner : asMember(inner);
  }
  return out;
}
