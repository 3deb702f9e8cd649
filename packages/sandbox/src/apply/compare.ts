import { deepEqual } from "@keelson/core";
import {
  differenceWithInner,
  emptySet,
  type FieldSet,
  type FieldSetDraft,
  isEmpty,
  isMember,
  leaf,
  self,
  union,
} from "./field-set.ts";
import { deduced, type FieldType, type ListType, type MapType, typeOfField } from "./field-type.ts";
import { fieldsOf, formOf, hasFields, itemsByElement, itemsOf } from "./list-element.ts";
import { fieldElement, sortElements } from "./path-element.ts";

/** The difference between two objects. */
export interface Comparison {
  /** Fields that were added or have another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two objects of a type field by field. Fields in `ignored` are not compared, with everything inside of them.
 * Parts that both objects share are skipped.
 */
export function compareObjects(
  before: unknown,
  after: unknown,
  type: FieldType,
  ignored: FieldSet = emptySet,
): Comparison {
  const change = compareMaps(fieldsOf(before), fieldsOf(after), type.map ?? anyMap, ignored);
  return { changed: change?.changed ?? emptySet, removed: change?.removed ?? emptySet };
}

const anyMap: MapType = { isAtomic: false, declared: () => undefined, element: deduced };

/** The same for a part; a missing set is empty. */
interface Change {
  readonly changed?: FieldSet | undefined;
  readonly removed?: FieldSet | undefined;
}

const changedLeaf: Change = { changed: leaf };

function compareValues(
  before: unknown,
  after: unknown,
  type: FieldType,
  ignored: FieldSet,
): Change | undefined {
  if (before === after) return undefined;
  const from = formOf(type, before);
  const to = formOf(type, after);
  const change = compareAs(to, before, after, type, ignored);
  if (from === to) return change;
  const other = compareAs(from, before, after, type, ignored);
  return {
    changed: joined(other?.changed, change?.changed),
    removed: joined(other?.removed, change?.removed),
  };
}

/** The union of two nodes; a leaf stays a member. */
function joined(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return union({ "f:": a }, { "f:": b })["f:"];
}

function compareAs(
  form: "map" | "scalar" | "list",
  before: unknown,
  after: unknown,
  type: FieldType,
  ignored: FieldSet,
): Change | undefined {
  if (form === "map" && type.map?.isAtomic === false) {
    const from = fieldsOf(before);
    const to = fieldsOf(after);
    if (hasFields(from) || hasFields(to)) return compareMaps(from, to, type.map, ignored);
  } else if (form === "list" && type.list !== undefined && type.list.relation !== "atomic") {
    const from = itemsOf(before);
    const to = itemsOf(after);
    // Most lists do not change, and identifying their items costs more than comparing them.
    if (from.length === to.length && deepEqual(before, after)) return undefined;
    if (from.length > 0 || to.length > 0) return compareLists(from, to, type.list);
  }
  // Empty values are compared as a whole, so that null and empty remain different.
  return deepEqual(before, after) ? undefined : changedLeaf;
}

type Fields = Readonly<Record<string, unknown>>;

function compareMaps(before: Fields, after: Fields, map: MapType, ignored: FieldSet): Change | undefined {
  const changed: FieldSetDraft = {};
  const removed: FieldSetDraft = {};
  for (const name of differingNames(before, after)) {
    const element = fieldElement(name);
    const skipped = ignored[element];
    if (skipped !== undefined && isMember(skipped)) continue;
    const from = Object.hasOwn(before, name) ? before[name] : undefined;
    const to = Object.hasOwn(after, name) ? after[name] : undefined;
    const change = compareFields(from, to, typeOfField(map, name), skipped ?? emptySet);
    if (change?.changed !== undefined) changed[element] = change.changed;
    if (change?.removed !== undefined) removed[element] = change.removed;
  }
  return changeOf(changed, removed);
}

/** One of the values may be undefined: then the other was added, or removed. */
function compareFields(
  before: unknown,
  after: unknown,
  type: FieldType,
  ignored: FieldSet,
): Change | undefined {
  if (before !== undefined && after !== undefined) return compareValues(before, after, type, ignored);
  const whole = everything(before ?? after, type);
  const counted = isEmpty(ignored) ? whole : differenceWithInner(whole, ignored);
  return before === undefined ? { changed: counted } : { removed: counted };
}

/** The names of fields that may differ, sorted. */
function differingNames(before: Fields, after: Fields): string[] {
  const names: string[] = [];
  for (const name in after) {
    const from = Object.hasOwn(before, name) ? before[name] : undefined;
    if (from !== after[name]) names.push(name);
  }
  for (const name in before) {
    if (!Object.hasOwn(after, name) && before[name] !== undefined) names.push(name);
  }
  return names.sort();
}

function changeOf(changed: FieldSet, removed: FieldSet): Change | undefined {
  const [isChanged, isRemoved] = [!isEmpty(changed), !isEmpty(removed)];
  if (!isChanged && !isRemoved) return undefined;
  return { changed: isChanged ? changed : undefined, removed: isRemoved ? removed : undefined };
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  list: ListType,
): Change | undefined {
  const from = itemsByElement(list, before);
  const to = itemsByElement(list, after);
  const elements = [...to.keys()];
  for (const element of from.keys()) if (!to.has(element)) elements.push(element);
  const changed: FieldSetDraft = {};
  const removed: FieldSetDraft = {};
  for (const element of sortElements(elements)) {
    const change = compareItems(from.get(element) ?? [], to.get(element) ?? [], list.element);
    if (change?.changed !== undefined) changed[element] = change.changed;
    if (change?.removed !== undefined) removed[element] = change.removed;
  }
  return changeOf(changed, removed);
}

/** An element may have several items by mistake; then they are owned together, as a whole. */
function compareItems(
  before: readonly unknown[],
  after: readonly unknown[],
  type: FieldType,
): Change | undefined {
  if (before.length > 1 && after.length > 1) return deepEqual(before, after) ? undefined : changedLeaf;
  if (before.length > 1) {
    return { removed: leaf, changed: after.length > 0 ? everything(after[0], type) : undefined };
  }
  if (after.length > 1) {
    return { changed: leaf, removed: before.length > 0 ? everything(before[0], type) : undefined };
  }
  if (before.length === 0) return { changed: everything(after[0], type) };
  if (after.length === 0) return { removed: everything(before[0], type) };
  return compareValues(before[0], after[0], type, emptySet);
}

/** All fields of a value that exists on one side only: each node is a member. */
function everything(value: unknown, type: FieldType): FieldSet {
  const form = formOf(type, value);
  if (form === "map" && type.map?.isAtomic === false) return everyField(fieldsOf(value), type.map);
  if (form === "list" && type.list !== undefined && type.list.relation !== "atomic") {
    return everyItem(itemsOf(value), type.list);
  }
  return leaf;
}

function everyField(fields: Fields, map: MapType): FieldSet {
  const names = Object.keys(fields);
  if (names.length === 0) return leaf;
  const out: FieldSetDraft = { [self]: leaf };
  for (const name of names.sort()) {
    if (fields[name] !== undefined)
      out[fieldElement(name)] = everything(fields[name], typeOfField(map, name));
  }
  return out;
}

function everyItem(items: readonly unknown[], list: ListType): FieldSet {
  const byElement = itemsByElement(list, items);
  if (byElement.size === 0) return leaf;
  const out: FieldSetDraft = { [self]: leaf };
  for (const element of sortElements([...byElement.keys()])) {
    const same = byElement.get(element) ?? [];
    out[element] = same.length > 1 ? leaf : everything(same[0], list.element);
  }
  return out;
}
