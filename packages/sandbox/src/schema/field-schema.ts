import type { StructuralSchema } from "@keelson/schema";
import { isJsonObject } from "./json-document.ts";

/**
 * What the server knows of a value's form: of built-in kinds from the pinned Kubernetes, of custom ones from their
 * definition. References are resolved, so the graph may have cycles; walk it along a value, never by itself.
 */
export interface FieldSchema
  extends Omit<
    StructuralSchema,
    "properties" | "additionalProperties" | "items" | "allOf" | "anyOf" | "oneOf" | "not"
  > {
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: FieldSchema | boolean;
  readonly items?: FieldSchema;
  readonly allOf?: readonly FieldSchema[];
  readonly anyOf?: readonly FieldSchema[];
  readonly oneOf?: readonly FieldSchema[];
  readonly not?: FieldSchema;
  /**
   * How strategic merge patches treat the field; lists of built-in kinds only. `merge`, `retainKeys`,
   * `merge,retainKeys`.
   */
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** Of built-in types, such as `v1.DeploymentSpec`, `resource.Quantity`, `v1.Time`: errors of decoding name it. */
  readonly typeName?: string;
  /**
   * Of built-in scalars: whether an empty one (`0`, `false`, `""`) that was given is kept. Of lists and maps that are
   * always written: whether an empty one stays, instead of becoming null.
   */
  readonly keepsEmpty?: boolean;
  /** Of built-in lists, maps and times: whether they are written even if they are empty or, as null, absent. */
  readonly isAlwaysWritten?: boolean;
}

/** What a schema says of one field of an object: as a property, or as one of many; undefined if nothing. */
export function schemaOfField(schema: FieldSchema | undefined, name: string): FieldSchema | undefined {
  if (schema?.properties !== undefined && Object.hasOwn(schema.properties, name))
    return schema.properties[name];
  return additionalSchema(schema);
}

/** Of fields that the schema does not name; `true` allows them with any value. */
export function additionalSchema(schema: FieldSchema | undefined): FieldSchema | undefined {
  const additional = schema?.additionalProperties;
  if (additional === undefined || additional === false) return undefined;
  return additional === true ? anything : additional;
}

const anything: FieldSchema = { nullable: true, "x-kubernetes-preserve-unknown-fields": true };

/** What Go's decoder calls a value of JSON. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** The Go type of a built-in field, as far as its schema shows it; pointers are dereferenced. */
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
