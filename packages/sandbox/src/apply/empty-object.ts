import { typeNameOf } from "../patch/patch-meta.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import { isJsonObject, type JsonObject, setField } from "../schema/json-document.ts";

/** The kind of the empty object with which a new object is compared. */
interface NewObject {
  readonly schema: FieldSchema;
  readonly isCustom: boolean;
  readonly apiVersion: string;
  readonly kind: string;
}

const emptyObjects = new WeakMap<FieldSchema, JsonObject>();

/**
 * An object of a kind without any field that a client has set. Built-in kinds still have some fields (structs
 * within structs), so that setting fields inside of them does not own them: `spec`, `spec.strategy`, `status`.
 */
export function emptyObject({ schema, isCustom, apiVersion, kind }: NewObject): Readonly<JsonObject> {
  if (isCustom) return { apiVersion, kind };
  const known = emptyObjects.get(schema);
  if (known !== undefined) return known;
  const empty = emptyStruct(schema);
  emptyObjects.set(schema, empty);
  return empty;
}

function emptyStruct(schema: FieldSchema): JsonObject {
  const empty: JsonObject = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const value = emptyField(field, schema.required?.includes(name) === true);
    if (value !== undefined) setField(empty, name, value);
  }
  return empty;
}

/** Undefined for fields that are omitted when they are empty. */
function emptyField(field: FieldSchema, isRequired: boolean): unknown {
  if (isJsonObject(field.default) && field.type !== "array") return emptyStruct(field.allOf?.[0] ?? field);
  const typeName = typeNameOf(field);
  if (typeName === "Time" || typeName === "MicroTime") return null;
  // A scalar that is always written has its empty value as the default in the schema.
  if (field.default === "" || field.default === 0 || field.default === false) return field.default;
  return isRequired && field.keepsEmpty !== false ? null : undefined;
}
