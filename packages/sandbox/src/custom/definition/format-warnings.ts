import type { GenericObject } from "@keelson/core";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { isKnownFormat } from "../../schema/formats.ts";
import { definitionOf, fieldSchemaOf } from "./definition.ts";

/** Formats that nobody checks; of those that the old definition has already, nothing is said again. */
export function formatWarnings(object: GenericObject, old: GenericObject | undefined): readonly string[] {
  const known = old === undefined ? [] : unknownFormats(old);
  return unknownFormats(object)
    .filter((format) => !known.includes(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(object: GenericObject): readonly string[] {
  const { versions = [] } = definitionOf(object).spec;
  const schemas = versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  return [...new Set(schemas.flatMap((schema) => formatsOf(fieldSchemaOf(schema))))];
}

function formatsOf(schema: FieldSchema): readonly string[] {
  const { type, format = "", items, properties = {}, additionalProperties } = schema;
  const own = format === "" || isFormatOf(type, format) ? [] : [format];
  const inner = [
    ...(items === undefined ? [] : [items]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.not === undefined ? [] : [schema.not]),
    ...Object.values(properties),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
  ];
  return [...own, ...inner.flatMap(formatsOf)];
}

function isFormatOf(type: string | undefined, format: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === undefined || type === "string") && isKnownFormat(format);
}
