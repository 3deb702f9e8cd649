import { additionalSchema, type FieldSchema, schemaOfField } from "./field-schema.ts";
import { copyJson, isJsonObject, type JsonObject, setField } from "./json-document.ts";

/** What is removed while an object is brought into the form of its schema. */
export interface ReadFormOptions {
  /** Fields that the schema does not name, and nulls that it does not allow. */
  readonly prunes: boolean;
  /** Whether what is left out gets its default. */
  readonly defaults: boolean;
}

/**
 * A custom object as a schema shows it: pruned, without nulls that are not allowed, and with defaults. Nothing is
 * changed in place: what has this form already is shared, and an object that has it is returned itself. `apiVersion`,
 * `kind` and `metadata` stay, of the object and of resources embedded in it.
 */
export function readForm<T extends object>(object: T, schema: FieldSchema, options: ReadFormOptions): T;
export function readForm(object: object, schema: FieldSchema, options: ReadFormOptions): unknown {
  if (!isJsonObject(object)) return object;
  const isOpen = isOpenSchema(schema);
  return fieldsForm(object, schema, { ...options, keepsUnknown: !options.prunes, isResource: true, isOpen });
}

interface Place extends ReadFormOptions {
  /** `apiVersion`, `kind` and `metadata` are not pruned, at any depth. */
  readonly isResource: boolean;
  /** Fields that the schema does not name stay: here, or here and below. */
  readonly isOpen: boolean;
  readonly keepsUnknown: boolean;
}

type Below = Omit<Place, "isResource" | "isOpen">;

function valueForm(
  value: unknown,
  schema: FieldSchema | undefined,
  isOpen: boolean,
  options: Below,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  // Whatever is below such a schema stays, at any depth.
  if (isOpen && !hasParts(schema)) return value;
  if (Array.isArray(value)) return itemsForm(value, schema, isOpen, options);
  if (!isJsonObject(value)) return value;
  const isResource = schema?.["x-kubernetes-embedded-resource"] === true;
  return fieldsForm(value, schema, { ...options, isResource, isOpen });
}

function itemsForm(
  list: readonly unknown[],
  schema: FieldSchema | undefined,
  isOpen: boolean,
  options: Below,
): readonly unknown[] {
  const items = schema?.items;
  // In a list that keeps everything, each item does.
  const isItemOpen = isOpen || isOpenSchema(items);
  let changed: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const given = item === null && isDefaulted(items, options) ? copyJson(items?.default) : item;
    const form = valueForm(given, items, isItemOpen, options);
    if (form === item) continue;
    changed ??= [...list];
    changed[index] = form;
  }
  return changed ?? list;
}

function fieldsForm(object: JsonObject, schema: FieldSchema | undefined, place: Place): JsonObject {
  let changed: JsonObject | undefined;
  for (const name of Object.keys(object)) {
    const isMeta = place.isResource && metaFields.has(name);
    const form = fieldForm(
      object[name],
      schemaOfField(schema, name),
      isMeta ? { ...place, keepsUnknown: true } : place,
    );
    if (form === object[name]) continue;
    changed ??= { ...object };
    if (form === undefined) delete changed[name];
    else setField(changed, name, form);
  }
  if (!place.defaults || schema === undefined) return changed ?? object;
  for (const [name, field] of defaultedFields(schema)) {
    if (Object.hasOwn(object, name)) continue;
    changed ??= { ...object };
    setField(changed, name, valueForm(copyJson(field.default), field, isOpenSchema(field), place));
  }
  return changed ?? object;
}

/** Undefined for what is removed. */
function fieldForm(value: unknown, field: FieldSchema | undefined, place: Place): unknown {
  if (field === undefined) return place.isOpen || place.keepsUnknown ? value : undefined;
  if (value === null && field.nullable !== true) {
    if (isDefaulted(field, place))
      return valueForm(copyJson(field.default), field, isOpenSchema(field), place);
    return place.prunes && field.default === undefined ? undefined : value;
  }
  return valueForm(value, field, isOpenSchema(field), place);
}

function isDefaulted(schema: FieldSchema | undefined, { defaults }: ReadFormOptions): boolean {
  return defaults && schema?.default !== undefined && schema.nullable !== true;
}

function isOpenSchema(schema: FieldSchema | undefined): boolean {
  return schema?.["x-kubernetes-preserve-unknown-fields"] === true;
}

/** Whether a schema says anything about what is below a value. */
function hasParts(schema: FieldSchema | undefined): boolean {
  if (schema === undefined) return false;
  return (
    schema.properties !== undefined || schema.items !== undefined || additionalSchema(schema) !== undefined
  );
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Cached, because every object of a kind needs it. */
const defaulted = new WeakMap<FieldSchema, readonly (readonly [string, FieldSchema])[]>();

function defaultedFields(schema: FieldSchema): readonly (readonly [string, FieldSchema])[] {
  const known = defaulted.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.properties ?? {}).filter(([, field]) => field.default !== undefined);
  defaulted.set(schema, fields);
  return fields;
}
