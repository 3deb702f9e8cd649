import { additionalSchema, type FieldSchema, schemaOfField } from "./field-schema.ts";
import { copyJson, isJsonObject, type JsonObject } from "./json-document.ts";

/**
 * Fills in, in place, what is left out and has a default, also below what was just filled in. A null where none may be
 * counts as left out. Of built-in kinds all published defaults are real: empty ones are fields that the server always
 * writes. Repeating it changes nothing.
 */
export function applySchemaDefaults(value: unknown, schema: FieldSchema): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) fillItems(value, schema.items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, field] of defaultedFields(schema)) {
    if (!Object.hasOwn(value, name) || isAbsent(value[name], field) || isForgotten(value[name], field))
      value[name] = defaultOf(field);
  }
  const additional = additionalSchema(schema);
  for (const name of Object.keys(value)) {
    // Most fields are scalars, which have nothing to fill in.
    if (typeof value[name] !== "object") continue;
    const field = schemaOfField(schema, name);
    if (field === undefined) continue;
    if (field === additional && isAbsent(value[name], field)) value[name] = copyJson(field.default);
    const inner = value[name];
    if (typeof inner === "object" && inner !== null) applySchemaDefaults(inner, field);
  }
}

/** Takes away, in place, the nulls that are neither allowed nor replaced by a default; not those in lists. */
export function dropNulls(value: unknown, schema: FieldSchema | undefined): void {
  // What is not declared keeps its nulls, however deeply it is nested.
  if (schema === undefined) return;
  if (Array.isArray(value)) for (const item of value) dropNulls(item, schema.items);
  else if (isJsonObject(value)) dropNullFields(value, schema);
}

function dropNullFields(object: JsonObject, schema: FieldSchema | undefined): void {
  for (const name of Object.keys(object)) {
    const field = object[name];
    if (typeof field !== "object") continue;
    const fieldSchema = schemaOfField(schema, name);
    if (field !== null) dropNulls(field, fieldSchema);
    else if (fieldSchema !== undefined && !takesNull(fieldSchema) && fieldSchema.default === undefined)
      delete object[name];
  }
}

function fillItems(list: unknown[], items: FieldSchema): void {
  for (const [index, item] of list.entries()) {
    if (isAbsent(item, items)) list[index] = copyJson(items.default);
    applySchemaDefaults(list[index], items);
  }
}

/** Cached, because every object of a kind needs it. */
const defaulted = new WeakMap<FieldSchema, readonly (readonly [string, FieldSchema])[]>();

function defaultedFields(schema: FieldSchema): readonly (readonly [string, FieldSchema])[] {
  const known = defaulted.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([, field]) => field.default !== undefined || field.isAlwaysWritten === true,
  );
  defaulted.set(schema, fields);
  return fields;
}

function defaultOf(field: FieldSchema): unknown {
  return field.default === undefined ? null : copyJson(field.default);
}

/**
 * Stored as protobuf, an empty list or map is not distinguished from none: a field that is always written comes back as
 * null.
 */
function isForgotten(value: unknown, { isAlwaysWritten, keepsEmpty, default: given }: FieldSchema): boolean {
  if (isAlwaysWritten !== true || keepsEmpty === true || given !== undefined) return false;
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}

/** Nulls of free form count as values. */
function isAbsent(value: unknown, schema: FieldSchema): boolean {
  return value === null && !takesNull(schema) && schema.default !== undefined;
}

function takesNull(schema: FieldSchema): boolean {
  return schema.nullable === true;
}

/**
 * Removes from a custom resource, in place, all fields that its schema does not name, and returns the removed paths,
 * sorted. `apiVersion`, `kind` and `metadata` stay, of the object and of resources embedded in it.
 */
export function pruneUnknownFields(object: unknown, schema: FieldSchema): readonly string[] {
  const unknown: string[] = [];
  prune(object, { ...schema, "x-kubernetes-embedded-resource": true }, "", unknown);
  return unknown.sort();
}

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function prune(value: unknown, schema: FieldSchema | undefined, path: string, unknown: string[]): void {
  const isOpen = schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    // A list without declared items keeps them all, however deeply they are nested.
    if (isOpen && schema.items === undefined) return;
    for (const [index, item] of value.entries())
      prune(item, itemSchema(schema), `${path}[${index}]`, unknown);
    return;
  }
  if (!isJsonObject(value)) return;
  const isResource = schema?.["x-kubernetes-embedded-resource"] === true;
  for (const name of Object.keys(value)) {
    if (isResource && metaFields.has(name)) continue;
    const field = schemaOfField(schema, name);
    const fieldPath = path === "" ? name : `${path}.${name}`;
    if (field !== undefined) prune(value[name], field, fieldPath, unknown);
    else if (!isOpen) {
      unknown.push(fieldPath);
      delete value[name];
    }
  }
}

/** In a list that keeps everything, each item does. */
function itemSchema(schema: FieldSchema | undefined): FieldSchema | undefined {
  if (schema?.["x-kubernetes-preserve-unknown-fields"] !== true) return schema?.items;
  return { ...schema.items, "x-kubernetes-preserve-unknown-fields": true };
}
