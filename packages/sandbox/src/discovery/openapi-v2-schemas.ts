import type { RawSchema } from "../builtin/builtin-schemas.ts";
import type { FieldSchema } from "../schema/field-schema.ts";
import { mapped, type OpenApiSchema, type SchemaDialect, typeProperties } from "./openapi-schemas.ts";

/** OpenAPI v2 has no alternatives, and kubectl reports what it does not understand as a mistake of the user. */
export const openApi2Schemas: SchemaDialect = {
  reference: definitionReference,
  builtin: builtinDefinition,
  custom: rootDefinition,
};

export function definitionReference(name: string): OpenApiSchema {
  return { $ref: `#/definitions/${name}` };
}

/** int-or-string is published as a string; defaults are not published. */
function builtinDefinition(raw: RawSchema, needed: Set<string>): OpenApiSchema {
  const { $ref, properties, additionalProperties, items, oneOf, default: _default, ...plain } = raw;
  if ($ref !== undefined) {
    needed.add($ref);
    return { ...plain, ...definitionReference($ref) };
  }
  return {
    ...plain,
    ...(oneOf !== undefined && { type: "string" }),
    ...(items !== undefined && { items: builtinDefinition(items, needed) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: builtinDefinition(additionalProperties, needed),
    }),
    ...(properties !== undefined && {
      properties: mapped(properties, (one) => builtinDefinition(one, needed)),
    }),
  };
}

/** A kind with unknown fields is published without fields, because kubectl would refuse the unknown ones. */
function rootDefinition(schema: FieldSchema): OpenApiSchema {
  if (keepsUnknown(schema)) return { type: "object" };
  const { properties, ...rest } = customDefinition(schema);
  return { ...rest, properties: { ...Object(properties), ...objectProperties } };
}

const objectProperties: OpenApiSchema = {
  ...typeProperties,
  metadata: definitionReference("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
};

function keepsUnknown(schema: FieldSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

/** A schema that is nullable or preserves unknown fields is published without its type. */
function customDefinition(schema: FieldSchema): OpenApiSchema {
  const { properties, items, additionalProperties, type, required, ...keywords } = schema;
  const { allOf, anyOf, oneOf, not, nullable, default: _default, ...plain } = keywords;
  const isOpen = nullable === true || keepsUnknown(schema);
  const isUntyped = nullable === true || (keepsUnknown(schema) && (type === "object" || type === "array"));
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true && !keepsUnknown(schema);
  const fields = {
    ...(properties !== undefined && !isOpen && mapped(properties, customDefinition)),
    ...(isEmbedded && objectProperties),
  };
  const demanded = demandedFields(schema, isEmbedded);
  return {
    ...plain,
    ...(type !== undefined && !isUntyped && { type }),
    ...(demanded.length > 0 && { required: demanded }),
    ...(items !== undefined && !isOpen && { items: customDefinition(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: additional(additionalProperties) }),
    // For kubectl, an object without properties may have any field.
    ...(Object.keys(fields).length > 0 && { properties: fields }),
  };
}

function additional(schema: FieldSchema | boolean): OpenApiSchema | boolean {
  return typeof schema === "boolean" ? schema : customDefinition(schema);
}

/** Nullable fields are not required, because null counts as absent for kubectl. */
function demandedFields(schema: FieldSchema, isEmbedded: boolean): readonly string[] {
  const { properties = {}, required = [] } = schema;
  const own = required.filter((name) => properties[name]?.nullable !== true);
  return isEmbedded ? [...new Set([...own, "kind", "apiVersion"])] : own;
}
