import type { FieldSchema } from "./field-schema.ts";

/** What a schema says of one field of an object: as a property, or as one of many; undefined if nothing. */
export function schemaOfField(schema: FieldSchema | undefined, name: string): FieldSchema | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, name))
    return schema.properties[name];
  return additionalSchema(schema);
}

/** Of fields that the schema does not name; `true` says nothing of them but that they may be there. */
export function additionalSchema(schema: FieldSchema | undefined): FieldSchema | undefined {
  const additional = schema?.additionalProperties;
  if (additional === undefined || additional === false) return undefined;
  return additional === true ? anything : additional;
}

const anything: FieldSchema = { "x-kubernetes-preserve-unknown-fields": true };
