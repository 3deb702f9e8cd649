import type { Environment } from "@marcbachmann/cel-js";
import type { FieldSchema } from "../schema/field-schema.ts";
import { escapeName } from "./escape-name.ts";

/**
 * Declares what expressions may do with values of a schema; gives the name of the type. Undefined for values that
 * expressions cannot see because nothing is known of them.
 */
export function declareType(
  environment: Environment,
  schema: FieldSchema,
  name: string,
  isResource: boolean,
): string | undefined {
  if (schema["x-kubernetes-int-or-string"] === true || schema.nullable === true) return "dyn";
  if (schema.type === "array") {
    const items = schema.items && declareType(environment, schema.items, `${name}.@items`, false);
    return items === undefined ? undefined : `list<${items}>`;
  }
  if (schema.type === "object") return declareObject(environment, schema, name, isResource);
  return schema.type === undefined ? undefined : scalarType(schema.type, schema.format);
}

function scalarType(type: string, format: string | undefined): string | undefined {
  if (type === "integer") return "int";
  if (type === "number") return "double";
  if (type === "boolean") return "bool";
  if (type !== "string") return undefined;
  if (format === "byte") return "bytes";
  if (format === "date" || format === "date-time") return "google.protobuf.Timestamp";
  return format === "duration" ? "google.protobuf.Duration" : "string";
}

function declareObject(
  environment: Environment,
  schema: FieldSchema,
  name: string,
  isResource: boolean,
): string | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object") {
    const values = declareType(environment, additionalProperties, `${name}.@values`, false);
    return values === undefined ? undefined : `map<string, ${values}>`;
  }
  const fields: Record<string, string> = {};
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property);
    const isHidden =
      (isResource || schema["x-kubernetes-embedded-resource"] === true) && property === "metadata";
    if (escaped === undefined || isHidden) continue;
    const type = declareType(environment, inner, `${name}.${escaped}`, false);
    if (type !== undefined) fields[escaped] = type;
  }
  if (isResource || schema["x-kubernetes-embedded-resource"] === true) {
    environment.registerType(`${name}.metadata`, { fields: { name: "string", generateName: "string" } });
    Object.assign(fields, { apiVersion: "string", kind: "string", metadata: `${name}.metadata` });
  }
  environment.registerType(name, { fields });
  return name;
}
