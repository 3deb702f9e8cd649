import type { FieldSchema } from "./field-schema.ts";
import { isJsonObject } from "./json-kind.ts";

/** What Go's decoder calls a value of JSON. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** The Go type of which a built-in field is, as far as its schema tells; pointers are looked through. */
export function goType(schema: FieldSchema): string {
  if (schema.typeName === "v1.Time" || schema.typeName === "v1.MicroTime") return "string";
  if (schema.typeName !== undefined) return schema.typeName;
  switch (schema.type) {
    case "integer":
      return schema.format ?? "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "array":
      return `[]${goType(schema.items ?? {})}`;
    case "object":
      return `map[string]${typeof schema.additionalProperties === "object" ? goType(schema.additionalProperties) : "interface {}"}`;
    case "string":
      return schema.format === "byte" ? "[]uint8" : "string";
    default:
      return "interface {}";
  }
}
