import { isRecord } from "@keelson/core";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { schemaProblems } from "../../schema/validate.ts";

/**
 * Whether `schemaProblems` finds nothing. Almost all objects are valid, and checking that takes a fraction of the time
 * that finding the problems takes.
 */
export function fitsSchema(value: unknown, schema: FieldSchema): boolean {
  if (value === null || !isPlain(schema)) return schemaProblems(value, schema, "").length === 0;
  return hasType(value, schema.type) && partsFit(value, schema);
}

function hasType(value: unknown, type: FieldSchema["type"]): boolean {
  switch (type) {
    case undefined:
      return true;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return typeof value === "bigint" || (Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63);
    case "number":
      return typeof value === "bigint" || typeof value === "number";
    default:
      return typeof value === type;
  }
}

function partsFit(
  value: unknown,
  { items, properties, additionalProperties, required }: FieldSchema,
): boolean {
  if (Array.isArray(value)) return items === undefined || value.every((item) => fitsSchema(item, items));
  if (!isRecord(value)) return true;
  for (const name of required ?? []) if (!Object.hasOwn(value, name)) return false;
  for (const name of Object.keys(value)) {
    const isNamed = properties !== undefined && Object.hasOwn(properties, name);
    const part = isNamed ? properties[name] : additionalProperties;
    if (typeof part === "object" && !fitsSchema(value[name], part)) return false;
  }
  return true;
}

/** Keywords that are checked here, and keywords that do not affect validity. */
const plainKeywords: ReadonlySet<string> = new Set([
  "additionalProperties",
  "default",
  "description",
  "example",
  "externalDocs",
  "items",
  "nullable",
  "properties",
  "required",
  "title",
  "type",
  "typeName",
  "x-kubernetes-map-type",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);

const plain = new WeakMap<FieldSchema, boolean>();

/** Whether a schema, apart from its parts, has no other keywords; cached, because every value needs it. */
function isPlain(schema: FieldSchema): boolean {
  let known = plain.get(schema);
  if (known === undefined) {
    known = Object.keys(schema).every((keyword) => plainKeywords.has(keyword));
    plain.set(schema, known);
  }
  return known;
}
